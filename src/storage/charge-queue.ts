import { randomBytes } from 'node:crypto';
import { endOfMonth, type Balance } from '../accounts/account.ts';
import type { Reservation } from '../accounts/store.ts';
import { systemClock } from '../clock.ts';

/** The limit and usage of an account in a month; both are 0 if the account does not exist. */
export interface MonthlyUsage {
  readonly month: Reservation['month'];
  readonly limit: number;
  readonly used: number;
}

/** Returns the balance of an account, which never falls below zero. */
export function balanceOf({ limit, used, month }: MonthlyUsage): Balance {
  return { limit, used, remaining: Math.max(limit - used, 0), resetsAt: endOfMonth(month) };
}

/** Limit and usage after a charge. */
export interface ChargeRow extends MonthlyUsage {
  /** The id of its ledger entry; null if the amount exceeds the remaining credits. */
  readonly entry: Reservation['id'] | null;
}

/** Sends one charge. `amount` is called when it is sent. */
type Send = (amount: () => number) => Promise<ChargeRow>;

/**
 * Combines charges with the same key that are made while an earlier one is being answered, or before
 * they are sent, into one with one entry. Whatever the load, a busy account then takes a small part of
 * the time of the database.
 */
export class ChargeQueue {
  /** The charges of each key that are not sent, and the latest that are. */
  readonly #unsent = new Map<string, CombinedCharges>();
  readonly #sent = new Map<string, CombinedCharges>();

  /**
   * Sends a charge, or has it sent with another one. If an earlier charge fails, those that wait for
   * it fail too, unsent.
   */
  async charge(key: string, amount: number, send: Send): Promise<ChargeRow> {
    const combined = this.#unsent.get(key) ?? this.#combine(key, send);
    combined.count += 1;
    const sum = (combined.total += amount);
    const row = await combined.charged;

    // Each caller gets the usage after its own charge.
    if (row.entry !== null) return { ...row, used: row.used - combined.total + sum };

    // Of several charges that exceed the remaining credits together, some may fit.
    return combined.count === 1 ? row : send(() => amount);
  }

  /** Waits until all charges are sent. */
  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#unsent.values(), ({ charged }) => charged));
  }

  #combine(key: string, send: Send): CombinedCharges {
    const previous = Promise.resolve(this.#sent.get(key)?.charged);
    const markSent = () => {
      this.#unsent.delete(key);
      this.#sent.set(key, combined);
      return combined.total;
    };

    const combined = { count: 0, total: 0, charged: previous.then(() => send(markSent)) };
    this.#unsent.set(key, combined);
    const forget = () => {
      for (const all of [this.#unsent, this.#sent]) if (all.get(key) === combined) all.delete(key);
    };
    combined.charged.then(forget, forget);

    return combined;
  }
}

interface CombinedCharges {
  count: number;
  total: number;
  readonly charged: Promise<ChargeRow>;
}

/**
 * Returns a UUID that starts with the time: the index then grows at one end, which stays in memory
 * even with many millions of entries.
 */
export function newChargeId(): string {
  const hex = systemClock.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns an amount of credits. Throws `RangeError` if it is not a whole number of 0 or more. */
export function validCredits(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`Credits must be an integer of 0 or more, got ${amount}.`);
  return amount;
}

import { randomBytes } from 'node:crypto';
import type { Account, Balance, Plan, PlanChange } from '../accounts/account.ts';
import type { KeyHash } from '../accounts/api-key.ts';
import type { KeyUse } from '../accounts/idempotency.ts';
import { endOf, monthOf } from '../accounts/month.ts';
import {
  LedgerUnavailable,
  type AccountStore,
  type Charged,
  type Refused,
  type Reservation,
  type Reserved,
} from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Moment, Tables, Tally } from './tables.ts';

export interface AccountStoreOptions {
  readonly clock: Clock;
  /** Credits a month for an account without a plan of its own. */
  readonly freeCredits: number;
}

/** Tables somewhere: in another thread, or behind a socket. */
export interface RemoteTables {
  call<M extends keyof Tables>(
    method: M,
    ...args: Parameters<Tables[M]>
  ): Promise<ReturnType<Tables[M]>>;
  /** Waits for what was called. */
  close(): Promise<void>;
}

/** Accounts over tables: knows what time it is, which reservations are open, and that nothing is settled twice. */
export class TableAccountStore implements AccountStore {
  readonly #tables: RemoteTables;
  readonly #options: AccountStoreOptions;
  readonly #open = new Set<Reservation>();
  #closed = false;

  constructor(tables: RemoteTables, options: AccountStoreOptions) {
    this.#tables = tables;
    this.#options = options;
  }

  create(plan: Plan, hash: KeyHash) {
    return this.#call('create', { ...plan, id: randomBytes(6).toString('hex') }, hash, this.#now());
  }

  list() {
    return this.#call('list');
  }

  usage() {
    return this.#call('usage');
  }

  change(id: string, change: PlanChange) {
    return this.#call('change', id, change);
  }

  rotate(id: string, hash: KeyHash) {
    return this.#call('rotate', id, hash, this.#now());
  }

  revoke(id: string) {
    return this.#call('revoke', id, this.#now());
  }

  findByHash(hash: KeyHash): Promise<Account | undefined> {
    return this.#call('findByHash', hash, this.#now());
  }

  look(use: KeyUse) {
    return this.#call('lookAtKey', use, this.#now());
  }

  claim(use: KeyUse) {
    return this.#call('claimKey', use, this.#now());
  }

  owe(use: KeyUse, amount: number) {
    return this.#call('oweUnderKey', use, amount);
  }

  async reserve(accountId: string, amount: number): Promise<Reserved | Refused> {
    const { entry, month, balance } = await this.#charge(accountId, amount, false);
    if (entry === undefined) return { granted: false, balance };
    const reservation: Reservation = { id: entry, accountId, month, amount };
    if (amount > 0) this.#open.add(reservation);
    return { granted: true, reservation, balance };
  }

  async chargeAtOnce(accountId: string, amount: number): Promise<Charged | Refused> {
    const { entry, balance } = await this.#charge(accountId, amount, true);
    return { granted: entry !== undefined, balance };
  }

  async settle(reservation: Reservation, charged: number): Promise<Balance> {
    if (wholeCredits(charged) > reservation.amount)
      throw new RangeError(`${charged} of ${reservation.amount} reserved credits`);
    if (!this.#open.delete(reservation)) return this.balance(reservation.accountId);
    return balanceOf(await this.#call('settle', reservation, charged, this.#moment()));
  }

  async balance(accountId: string): Promise<Balance> {
    return balanceOf(await this.#call('tally', accountId, this.#moment()));
  }

  async extendReservations(): Promise<void> {
    const ids = Array.from(this.#open, ({ id }) => id);
    if (ids.length > 0) await this.#call('extendReservations', ids, this.#moment());
  }

  async refundExpired(): Promise<number> {
    let total = 0;
    for (;;) {
      const refunded = await this.#call('refundExpired', maxRefundedAtOnce, this.#moment());
      total += refunded;
      if (refunded < maxRefundedAtOnce) return total;
    }
  }

  check() {
    return this.#call('check');
  }

  probe() {
    return this.#call('probe', this.#moment());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#tables.close();
  }

  async #charge(accountId: string, amount: number, forGood: boolean) {
    const moment = this.#moment();
    // What costs nothing is never refused, also to an account that has used more than its plan, cut since, allows.
    const { entry, ...tally } =
      amount === 0
        ? { entry: 0, ...(await this.#call('tally', accountId, moment)) }
        : await this.#call('charge', accountId, wholeCredits(amount), forGood, moment);
    return { entry, month: tally.month, balance: balanceOf(tally) };
  }

  async #call<M extends keyof Tables>(
    method: M,
    ...args: Parameters<Tables[M]>
  ): Promise<ReturnType<Tables[M]>> {
    try {
      if (this.#closed) throw new Error('the store is closed');
      return await this.#tables.call(method, ...args);
    } catch (error) {
      throw new LedgerUnavailable(error);
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #moment(): Moment {
    const now = this.#now();
    return { now, month: monthOf(now), freeCredits: this.#options.freeCredits };
  }
}

/** Few enough that no statement takes long. */
const maxRefundedAtOnce = 100;

function balanceOf({ limit, used, month }: Tally): Balance {
  return { limit, used, remaining: Math.max(limit - used, 0), resetsAt: endOf(month) };
}

function wholeCredits(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`${amount} is no number of credits`);
  return amount;
}

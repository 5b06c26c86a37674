import { randomBytes } from 'node:crypto';
import {
  endOfMonth,
  monthOf,
  type Account,
  type Balance,
  type Month,
  type Plan,
  type PlanChange,
} from '../accounts/account.ts';
import type { KeyHash } from '../accounts/api-key.ts';
import type { IdempotencyKeyUse } from '../accounts/idempotency.ts';
import {
  LedgerUnavailableError,
  type AccountStore,
  type Charged,
  type Refused,
  type Reservation,
  type Reserved,
} from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { BillingContext, Tables, MonthlyUsage } from './tables.ts';

/** The settings of every account store. */
export interface AccountStoreOptions {
  readonly clock: Clock;
  /** Credits per month for an account without a plan. */
  readonly freeCredits: number;
}

/** Tables in another thread or on a server. */
export interface RemoteTables {
  call<M extends keyof Tables>(
    method: M,
    ...args: Parameters<Tables[M]>
  ): Promise<ReturnType<Tables[M]>>;
  /** Waits for pending calls. */
  close(): Promise<void>;
}

/**
 * Implements the account store on tables: supplies the time, tracks open reservations and prevents
 * double settlement.
 */
export class TableAccountStore implements AccountStore {
  readonly #tables: RemoteTables;
  readonly #options: AccountStoreOptions;
  readonly #openReservations = new Set<Reservation>();
  #isClosed = false;

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

  topUsage(maxCount: number) {
    return this.#call('topUsage', maxCount, this.#billing());
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

  idempotencyStatus(use: IdempotencyKeyUse) {
    return this.#call('idempotencyStatus', use, this.#now());
  }

  bindIdempotencyKey(use: IdempotencyKeyUse) {
    return this.#call('bindIdempotencyKey', use, this.#now());
  }

  addIdempotentCharge(use: IdempotencyKeyUse, amount: number) {
    return this.#call('addIdempotentCharge', use, amount);
  }

  async reserve(accountId: string, amount: number): Promise<Reserved | Refused> {
    const { entry, month, balance } = await this.#charge(accountId, amount, false);
    if (entry === undefined) return { granted: false, balance };
    const reservation: Reservation = { id: entry, accountId, month, amount };
    if (amount > 0) this.#openReservations.add(reservation);
    return { granted: true, reservation, balance };
  }

  async charge(accountId: string, amount: number): Promise<Charged | Refused> {
    const { entry, balance } = await this.#charge(accountId, amount, true);
    return { granted: entry !== undefined, balance };
  }

  async settle(reservation: Reservation, charged: number): Promise<Balance> {
    if (validCredits(charged) > reservation.amount)
      throw new RangeError(`Cannot charge ${charged} of ${reservation.amount} reserved credits.`);
    if (!this.#openReservations.delete(reservation)) return this.balance(reservation.accountId);
    return balanceOf(await this.#call('settle', reservation, charged, this.#billing()));
  }

  async refund(accountId: string, month: Month, amount: number): Promise<void> {
    await this.#call('refund', accountId, month, validCredits(amount), this.#billing());
  }

  async balance(accountId: string): Promise<Balance> {
    return balanceOf(await this.#call('tally', accountId, this.#billing()));
  }

  async extendReservations(): Promise<void> {
    const ids = Array.from(this.#openReservations, ({ id }) => id);
    if (ids.length > 0) await this.#call('extendReservations', ids, this.#billing());
  }

  async refundExpired(): Promise<number> {
    let total = 0;
    for (;;) {
      const refunded = await this.#call('refundExpired', maxRefundsPerBatch, this.#billing());
      total += refunded;
      if (refunded < maxRefundsPerBatch) return total;
    }
  }

  check() {
    return this.#call('check');
  }

  probe() {
    return this.#call('probe', this.#billing());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#tables.close();
  }

  async #charge(accountId: string, amount: number, isFinal: boolean) {
    const billing = this.#billing();
    // An amount of 0 is never refused, even if a plan was reduced below the credits already used.
    const { entry, ...usage } =
      amount === 0
        ? { entry: 0, ...(await this.#call('tally', accountId, billing)) }
        : await this.#call('charge', accountId, validCredits(amount), isFinal, billing);
    return { entry, month: usage.month, balance: balanceOf(usage) };
  }

  async #call<M extends keyof Tables>(
    method: M,
    ...args: Parameters<Tables[M]>
  ): Promise<ReturnType<Tables[M]>> {
    try {
      if (this.#isClosed) throw new Error('The store is closed.');
      return await this.#tables.call(method, ...args);
    } catch (error) {
      throw new LedgerUnavailableError(error);
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #billing(): BillingContext {
    const now = this.#now();
    return { now, month: monthOf(now), freeCredits: this.#options.freeCredits };
  }
}

/** Small enough to keep each statement short. */
const maxRefundsPerBatch = 100;

function balanceOf({ limit, used, month }: MonthlyUsage): Balance {
  return { limit, used, remaining: Math.max(limit - used, 0), resetsAt: endOfMonth(month) };
}

function validCredits(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`Credits must be an integer of 0 or more, got ${amount}.`);
  return amount;
}

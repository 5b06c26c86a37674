import type { Account, ListedAccount, Plan, PlanChange, Month } from '../accounts/account.ts';
import type { KeyHash } from '../accounts/api-key.ts';
import type {
  IdempotencyClaim,
  IdempotencyKeyUse,
  IdempotencyStatus,
} from '../accounts/idempotency.ts';
import type { AccountUsage, Discrepancy, Reservation, Usage } from '../accounts/store.ts';

/**
 * The tables that `TableAccountStore` needs. Each call is one transaction or part of one. Times are
 * milliseconds since the epoch by the caller's clock; a database that several machines share may
 * use its own instead.
 */
export interface Tables extends AccountTables, LedgerTables, IdempotencyTables {}

/** Records what was charged per idempotency key. */
export interface IdempotencyTables {
  idempotencyStatus(use: IdempotencyKeyUse, now: number): IdempotencyStatus;
  bindIdempotencyKey(use: IdempotencyKeyUse, now: number): IdempotencyClaim;
  /**
   * Adds an amount to what was charged with the key, and returns how much of it was not charged
   * before.
   */
  addIdempotentCharge(use: IdempotencyKeyUse, amount: number): number;
}

/** Stores accounts and the hashes of their keys. */
export interface AccountTables {
  create(account: NewAccount, hash: KeyHash, now: number): Account;
  list(): ListedAccount[];
  /** Returns undefined if the account does not exist or is revoked. */
  change(id: string, change: PlanChange): Account | undefined;
  /**
   * Returns undefined if the account does not exist or is revoked. Old keys work for another
   * `replacedKeyGraceMs`.
   */
  rotate(id: string, hash: KeyHash, now: number): Account | undefined;
  /**
   * Returns undefined if the account does not exist; an account that is already revoked does not
   * change.
   */
  revoke(id: string, now: number): Account | undefined;
  findByHash(hash: KeyHash, now: number): Account | undefined;
}

/** Stores the credits used per account and month, and the entries whose sum they are. */
export interface LedgerTables {
  /**
   * Charges an amount if the month has enough credits left: permanently if `isFinal`, otherwise for
   * `reservationExpiryMs` unless it is settled or extended.
   */
  charge(
    accountId: string,
    amount: number,
    isFinal: boolean,
    billing: BillingContext,
  ): ChargeResult;
  /**
   * Settles a reservation once. An expired one is charged up to the credits that its month has
   * left.
   */
  settle(reservation: Reservation, charged: number, billing: BillingContext): MonthlyUsage;
  /** Refunds at most what was used in a month. */
  refund(accountId: string, month: Month, amount: number, billing: BillingContext): void;
  tally(accountId: string, billing: BillingContext): MonthlyUsage;
  /** Extends open reservations to `reservationExpiryMs` from now. */
  extendReservations(ids: readonly Reservation['id'][], billing: BillingContext): void;
  /** Refunds at most `maxCount` expired reservations; returns how many. */
  refundExpired(maxCount: number, billing: BillingContext): number;
  usage(): Usage[];
  topUsage(maxCount: number, billing: BillingContext): AccountUsage[];
  check(): Discrepancy[];
  probe(billing: BillingContext): void;
}

/** The same methods, run asynchronously. */
export type AsyncTables<Method extends keyof Tables = keyof Tables> = {
  readonly [M in Method]: (...args: Parameters<Tables[M]>) => Promise<ReturnType<Tables[M]>>;
};

type NewAccount = Plan & Pick<Account, 'id'>;

/** When, and by which default plan, credits are charged. */
export interface BillingContext {
  readonly now: number;
  readonly month: Month;
  /** Credits per month for an account without a plan. */
  readonly freeCredits: number;
}

/** Limit and usage of an account in the current month; both are 0 if the account does not exist. */
export interface MonthlyUsage {
  readonly month: Month;
  readonly limit: number;
  readonly used: number;
}

/** Limit and usage after a charge. */
export interface ChargeResult extends MonthlyUsage {
  /**
   * The id of the ledger entry; undefined if the amount exceeds the remaining credits, in which
   * case nothing has changed.
   */
  readonly entry: Reservation['id'] | undefined;
}

import type { Account, Plan, PlanChange } from '../accounts/account.ts';
import type { KeyHash } from '../accounts/api-key.ts';
import type {
  IdempotencyClaim,
  IdempotencyKeyUse,
  IdempotencyStatus,
} from '../accounts/idempotency.ts';
import type { Month } from '../accounts/month.ts';
import type { Discrepancy, Reservation, Usage } from '../accounts/store.ts';

/**
 * What a database does for `accountStore`. Each call is one transaction or a part of one. Times are milliseconds since the epoch: the caller's,
 * in whose place a database that many machines share may put its own.
 */
export interface Tables extends AccountTables, LedgerTables, IdempotencyTables {}

/** What was charged under which idempotency key. */
export interface IdempotencyTables {
  idempotencyStatus(use: IdempotencyKeyUse, now: number): IdempotencyStatus;
  bindIdempotencyKey(use: IdempotencyKeyUse, now: number): IdempotencyClaim;
  /** What of the amount was not counted under the key before; it counts from now on. */
  addIdempotentCharge(use: IdempotencyKeyUse, amount: number): number;
}

/** Accounts and the hashes of their keys. */
export interface AccountTables {
  create(account: NewAccount, hash: KeyHash, now: number): Account;
  list(): Account[];
  /** Undefined when there is no such account, or it is revoked. */
  change(id: string, change: PlanChange): Account | undefined;
  /** Undefined when there is no such account, or it is revoked. Old keys work for `replacedKeyWorksMs`. */
  rotate(id: string, hash: KeyHash, now: number): Account | undefined;
  /** Undefined when there is no such account; one that was revoked before stays as it was. */
  revoke(id: string, now: number): Account | undefined;
  findByHash(hash: KeyHash, now: number): Account | undefined;
}

/** What was used in each month, and the entries that it is the sum of. */
export interface LedgerTables {
  /** Counts the amount against the month if it fits into what is left: for good, or for `reservationExpiryMs` unless it is settled or extended. */
  charge(
    accountId: string,
    amount: number,
    isFinal: boolean,
    billing: BillingContext,
  ): ChargeResult;
  /** Settles a reservation once. One that expired is charged as far as its month has credits left. */
  settle(reservation: Reservation, charged: number, billing: BillingContext): MonthlyUsage;
  tally(accountId: string, billing: BillingContext): MonthlyUsage;
  /** Has open reservations expire `reservationExpiryMs` from now. */
  extendReservations(ids: readonly Reservation['id'][], billing: BillingContext): void;
  /** Refunds at most so many reservations that expired; returns how many it did. */
  refundExpired(maxCount: number, billing: BillingContext): number;
  usage(): Usage[];
  check(): Discrepancy[];
  probe(billing: BillingContext): void;
}

/** The same, somewhere else. */
export type AsyncTables<Method extends keyof Tables = keyof Tables> = {
  readonly [M in Method]: (...args: Parameters<Tables[M]>) => Promise<ReturnType<Tables[M]>>;
};

type NewAccount = Plan & Pick<Account, 'id'>;

export interface BillingContext {
  readonly now: number;
  readonly month: Month;
  /** What an account without a plan of its own has a month. */
  readonly freeCredits: number;
}

/** What an account has and has used in the month that is running; nothing at all for an account that there is not. */
export interface MonthlyUsage {
  readonly month: Month;
  readonly limit: number;
  readonly used: number;
}

export interface ChargeResult extends MonthlyUsage {
  /** What the ledger knows the entry by; undefined when the amount does not fit: then nothing has changed. */
  readonly entry: Reservation['id'] | undefined;
}

import { Problem } from '../domain/problems.ts';
import type { Account, Balance, Plan, PlanChange } from './account.ts';
import type { KeyHash } from './api-key.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { Month } from './month.ts';

/**
 * Accounts and what they spent. Every method is one transaction, durable when its promise resolves; a rejected promise is a
 * `LedgerUnavailable`, and then no credit is spent: a charge that a database may have counted without confirming it is reversed as soon as the
 * database answers, and credits that stay reserved are refunded when the reservation expires.
 * `test/contracts/account-store.test.ts` holds every implementation to the same promises.
 */
export interface AccountStore extends Ledger, IdempotencyKeys {
  /** A new account, whose key has this hash. */
  create(plan: Plan, hash: KeyHash): Promise<Account>;
  /** All of them, the oldest first, revoked ones too. */
  list(): Promise<readonly Account[]>;
  /** What was used in every month in which anything was, the latest month first. */
  usage(): Promise<readonly Usage[]>;
  /** Undefined when there is no such account, or it is revoked. Credits count by the new plan at once. */
  change(id: string, change: PlanChange): Promise<Account | undefined>;
  /** Gives an account a new key; the old ones work 24 h more. Undefined when there is no such account, or it is revoked. */
  rotate(id: string, hash: KeyHash): Promise<Account | undefined>;
  /** Stops all keys of an account, for good. Undefined when there is no such account. */
  revoke(id: string): Promise<Account | undefined>;
  /** Whose key this is: undefined for one that is unknown, revoked, or was replaced more than 24 h ago. */
  findByHash(hash: KeyHash): Promise<Account | undefined>;
  /** Keeps the reservations that were made here and not settled from expiring. Call it more often than every `reservationExpiryMs`. */
  extendReservations(): Promise<void>;
  /** Refunds reservations that expired, of any process that shares the store, to the month that they are from. Returns how many. */
  refundExpired(): Promise<number>;
  /** Every month of an account whose count is not the sum of its ledger's entries: none, unless the file was tampered with. */
  check(): Promise<readonly Discrepancy[]>;
  /** Proves that the store can be written now, by writing. */
  probe(): Promise<void>;
  /** Waits for what was asked; refuses what comes later. */
  close(): Promise<void>;
}

/** Counts credits. Two calls never spend the same credit, whichever process they come from. Amounts are whole numbers from 0. */
export interface Ledger {
  /** Reserves credits of the running month for work that is about to start, or refuses and changes nothing. */
  reserve(accountId: string, amount: number): Promise<Reserved | Refused>;
  /**
   * Charges `charged` of what was reserved and refunds the rest to the month that it is from. A second time changes nothing, also after a
   * rejection: then the whole reservation is refunded when it expires. If it has expired by now, as in a process that was suspended, the work is
   * charged all the same, as far as the month still has credits.
   */
  settle(reservation: Reservation, charged: number): Promise<Balance>;
  /** Reserves and settles as one, where the whole price is owed at once; or refuses and changes nothing. */
  charge(accountId: string, amount: number): Promise<Charged | Refused>;
  balance(accountId: string): Promise<Balance>;
}

/** How long a reservation lasts unless it is extended: so long after a process was killed, what it had reserved can be refunded. */
export const reservationExpiryMs = 60_000;

/** Credits that are reserved. Made by `reserve` alone, and valid for the store that made it. */
export interface Reservation {
  /** What the store knows it by. */
  readonly id: number | string;
  readonly accountId: string;
  readonly month: Month;
  readonly amount: number;
}

export interface Reserved {
  readonly granted: true;
  readonly reservation: Reservation;
  readonly balance: Balance;
}

export interface Charged {
  readonly granted: true;
  readonly balance: Balance;
}

export interface Refused {
  readonly granted: false;
  readonly balance: Balance;
}

export interface Usage {
  readonly accountId: string;
  readonly month: Month;
  readonly used: number;
}

export interface Discrepancy extends Usage {
  /** The sum of the entries. */
  readonly entered: number;
}

/** How long a key works after it was replaced. */
export const replacedKeyGraceMs = 24 * 60 * 60 * 1000;

/** Credits cannot be counted now. The client reads that it may try again; why is for the log. */
export class LedgerUnavailableError extends Problem {
  constructor(cause: unknown) {
    super(
      'unavailable',
      'Credits cannot be counted at the moment, so nothing was looked up and nothing charged; try again later.',
      {
        cause,
        retryAfter: 5,
      },
    );
    this.name = 'LedgerUnavailableError';
  }
}

/** The ledger cannot be opened: a reason not to start. The message is a sentence that says what to do. */
export class LedgerOpenError extends Error {
  override readonly name = 'LedgerOpenError';
}

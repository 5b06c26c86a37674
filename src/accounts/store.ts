import { repeatedly, type Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { Log } from '../log.ts';
import type { Account, Balance, ListedAccount, Plan, PlanChange, Month } from './account.ts';
import type { KeyHash } from './api-key.ts';
import type { IdempotencyKeys } from './idempotency.ts';

/**
 * Stores accounts and their credits. Every method is one transaction, durable when its promise
 * resolves. A rejected promise is a `LedgerUnavailableError`, and no credits are spent: a charge
 * that a database may have applied without confirming it is reversed as soon as the database
 * responds, and credits that stay reserved are refunded when the reservation expires.
 * `test/storage/contracts/account-store.test.ts` runs against every implementation.
 */
export interface AccountStore extends Ledger, IdempotencyKeys {
  /** Creates an account with a key that has this hash. */
  create(plan: Plan, hash: KeyHash): Promise<Account>;
  /** Returns all accounts, including revoked ones, oldest first. */
  list(): Promise<readonly ListedAccount[]>;
  /**
   * Returns the credits used per account and month, newest month first, without months in which
   * none were used.
   */
  usage(): Promise<readonly Usage[]>;
  /**
   * Returns the accounts that used most credits in the current month, most first. `find`: only those
   * that have this ID, or this text in their name, revoked ones included.
   */
  topUsage(maxCount: number, find?: string): Promise<readonly AccountUsage[]>;
  /**
   * Changes the plan of an account; new limits apply immediately. Returns undefined if the account
   * does not exist or is revoked.
   */
  change(id: string, change: PlanChange): Promise<Account | undefined>;
  /**
   * Adds a key to an account; its old keys work for another 24 h. Returns undefined if the account
   * does not exist or is revoked.
   */
  rotate(id: string, hash: KeyHash): Promise<Account | undefined>;
  /**
   * Revokes all keys of an account permanently. Returns undefined if the account does not exist.
   */
  revoke(id: string): Promise<Account | undefined>;
  /**
   * Returns the account of a key, or undefined if the key is unknown, revoked or expired, or was
   * replaced more than 24 h ago.
   */
  findByHash(hash: KeyHash): Promise<Account | undefined>;
  /**
   * Returns the active account with an ID, or else the only one with a name; undefined if there is
   * none, or if several have the name.
   */
  findNamed(idOrName: string): Promise<Account | undefined>;
  /**
   * Extends the unsettled reservations of this process. Call it more often than every
   * `reservationExpiryMs`.
   */
  extendReservations(): Promise<void>;
  /**
   * Refunds expired reservations of all processes that share the store, to the month in which they
   * were made. Returns their number.
   */
  refundExpired(): Promise<number>;
  /**
   * Returns every account and month whose counter differs from the sum of its ledger entries: none,
   * unless the store was tampered with.
   */
  check(): Promise<readonly Discrepancy[]>;
  /** Checks by a write that the store is writable. */
  probe(): Promise<void>;
  /** Waits for pending calls; later calls reject. */
  close(): Promise<void>;
}

/**
 * Counts credits. Two calls never spend the same credit, in any number of processes. Amounts are
 * integers ≥ 0.
 */
export interface Ledger {
  /**
   * Reserves credits of the current month for work that is about to start, or refuses without
   * changing anything.
   */
  reserve(accountId: string, amount: number): Promise<Reserved | Refused>;
  /**
   * Charges `charged` credits of a reservation and refunds the rest to the month in which it was
   * made. A second call has no effect, even if the first was rejected: the whole reservation is
   * then refunded when it expires. If it has already expired, as in a process that was suspended,
   * the work is still charged, up to the credits that the month has left.
   */
  settle(reservation: Reservation, charged: number): Promise<Balance>;
  /**
   * Charges credits without a reservation, for work whose full price is due immediately, or refuses
   * without changing anything.
   */
  charge(accountId: string, amount: number): Promise<Charged | Refused>;
  /** Refunds credits that were charged in a month, as an entry of that month. */
  refund(accountId: string, month: Month, amount: number): Promise<void>;
  balance(accountId: string): Promise<Balance>;
}

/**
 * Lifetime of a reservation unless it is extended: this long after a process was killed, its
 * reservations can be refunded.
 */
export const reservationExpiryMs = 60_000;

/** Reserved credits. Created only by `reserve`, and valid only for the store that created it. */
export interface Reservation {
  /** The store's own identifier. */
  readonly id: number | string;
  readonly accountId: string;
  readonly month: Month;
  readonly amount: number;
}

/** Credits were reserved. */
export interface Reserved {
  readonly granted: true;
  readonly reservation: Reservation;
  readonly balance: Balance;
}

/** Credits were charged. */
export interface Charged {
  readonly granted: true;
  readonly balance: Balance;
}

/** The account has too few credits left; nothing was changed. */
export interface Refused {
  readonly granted: false;
  readonly balance: Balance;
}

/** Credits that an account used in a month. */
export interface Usage {
  readonly accountId: string;
  readonly month: Month;
  readonly used: number;
}

/** An account in the current month. */
export interface AccountUsage extends ListedAccount, Pick<Balance, 'limit' | 'used'> {
  /** The number of accounts that are not revoked, or were charged in this month, or were found. */
  readonly total: number;
}

/** A counter that differs from the sum of its entries. */
export interface Discrepancy extends Usage {
  /** The sum of the entries. */
  readonly entered: number;
}

/** How long a replaced key still works. */
export const replacedKeyGraceMs = 24 * 60 * 60 * 1000;

/** The ledger is unavailable. The client may retry; `cause` is for the log. */
export class LedgerUnavailableError extends Problem {
  constructor(cause: unknown) {
    super(
      'unavailable',
      'Credit accounting is temporarily unavailable. Nothing was looked up or charged. Try again later.',
      {
        cause,
        retryAfter: 5,
      },
    );
    this.name = 'LedgerUnavailableError';
  }
}

/** The ledger cannot be opened, which aborts startup. The message says how to fix it. */
export class LedgerOpenError extends Error {
  override readonly name = 'LedgerOpenError';
}

/**
 * Extends the reservations of this process while its work is running, and refunds expired
 * reservations of any process: immediately and then every 15 seconds. Credits reserved by a killed
 * process are refunded within 75 seconds. Returns a function that stops it.
 */
export function maintainReservations(
  store: Pick<AccountStore, 'extendReservations' | 'refundExpired'>,
  clock: Clock,
  log: Log,
): () => void {
  return repeatedly(clock, intervalMs, async (isStopped) => {
    try {
      await store.extendReservations();
      const reservations = await store.refundExpired();
      if (reservations > 0)
        log.warn({ reservations }, 'Refunded credit reservations that were not settled in time.');
    } catch (error) {
      if (!isStopped())
        log.warn(
          { err: error },
          'Failed to extend or refund credit reservations. Retrying in 15 s.',
        );
    }
  });
}

/** Short enough to extend reservations in time even if some attempts fail. */
const intervalMs = 15_000;

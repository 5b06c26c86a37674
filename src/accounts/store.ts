import { Problem } from '../problems.ts';
import type { Account, Balance, Plan, PlanChange } from './account.ts';
import type { KeyHash } from './api-key.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { Month } from './month.ts';

/**
 * Accounts and what they spent. Every method is one transaction, durable when its promise resolves; a rejected promise is a
 * `LedgerUnavailable`, and then no credit is spent: what a database may have counted unheard is taken back as soon as it answers.
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
  /** Proves that the store can be written now, by writing. */
  probe(): Promise<void>;
  /** Waits for what was asked; refuses what comes later. */
  close(): Promise<void>;
}

/** Counts credits. Two calls never spend the same credit, whichever process they come from. Amounts are whole numbers from 0. */
export interface Ledger {
  /** Sets credits of the running month aside for work that is about to start, or refuses and changes nothing. */
  reserve(accountId: string, amount: number): Promise<Reserved | Refused>;
  /** Keeps `charged` of what was set aside and gives the rest back to the month it came from. A second time changes nothing. */
  settle(reservation: Reservation, charged: number): Promise<Balance>;
  /** Reserves and settles as one, where the whole price is owed at once; or refuses and changes nothing. */
  chargeAtOnce(accountId: string, amount: number): Promise<Charged | Refused>;
  balance(accountId: string): Promise<Balance>;
  /**
   * Gives back what processes that died had set aside; how many reservations those were. Call it before anything is reserved: where one
   * process alone keeps a store, what is open then is what died. A store that many share leaves what may live alone, and goes on by itself.
   */
  refundDangling(): Promise<number>;
  /** Every month of an account whose count is not the sum of its ledger's entries: none, unless the file was tampered with. */
  check(): Promise<readonly Discrepancy[]>;
}

/** Credits that are set aside. Made by `reserve` alone, and good for the store that made it. */
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
export const replacedKeyWorksMs = 24 * 60 * 60 * 1000;

/** Credits cannot be counted now. The client reads that it may try again; why is for the log. */
export class LedgerUnavailable extends Problem {
  constructor(cause: unknown) {
    super('unavailable', 'Credits cannot be counted at the moment, so nothing was looked up and nothing charged; try again later.', {
      cause,
      retryAfter: 5,
    });
    this.name = 'LedgerUnavailable';
  }
}

/** The ledger cannot be opened: a reason not to start. The message is a sentence that says what to do. */
export class LedgerUnusable extends Error {
  override readonly name = 'LedgerUnusable';
}

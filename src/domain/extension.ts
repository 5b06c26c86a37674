import type { DomainName } from './names/domain-name.ts';
import type { Outcome } from './outcome.ts';
import type { Problem } from './problems.ts';
import type { LookupRequest } from './source.ts';

/** A field that an operation selects, with its coerced arguments. */
export interface SelectedField {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a root field selects that extensions look up. */
export interface ExtensionSelection {
  /** The field, if it is one of `rootFields`; otherwise, it has names. */
  readonly root?: SelectedField;
  /** The names whose fields are selected. */
  readonly names: readonly DomainName[];
  readonly selected: readonly SelectedField[];
}

/**
 * An extension adds lookups to operations, for example site lookups. An operation plans, prices and
 * meters them without knowing what they read.
 */
export interface Extension {
  /** The root fields of the extension, and the types whose fields they select. */
  readonly rootFields: ReadonlyMap<string, string>;
  /** Returns whether a field of `Domain`, or of the type of a root field, is a lookup. */
  isLookup(field: string): boolean;
  /** Opens the lookups of an operation. Throws `too_many_lookups`. */
  open(selections: readonly ExtensionSelection[], operation: ExtensionOperation): ExtensionLookups;
}

/** The lookups of one operation, which resolvers of the extension start. */
export interface ExtensionLookups {
  readonly count: number;
  /** Price in credits. */
  readonly price: number;
  /** Returns the price of a root field that is reserved while the operation runs, in credits. */
  readonly laterPrice?: (field: SelectedField) => number;
}

/** The operation that lookups of a slice are part of. */
export interface ExtensionOperation {
  /** Returns the request of lookups that start now. */
  readonly request: () => Pick<LookupRequest, 'signal' | 'account' | 'queueDeadline'>;
  /** Undefined for a caller without a key. */
  readonly meter: LookupMeter | undefined;
  /** The id of the account that is charged; undefined for a caller without a key. */
  readonly payer: string | undefined;
  /**
   * Called for each lookup that contacted servers and is not charged, with its processor time in
   * milliseconds.
   */
  readonly onFree: (workMs: number) => void;
  /**
   * Counts work that is about to be done for free, in milliseconds of processor time. Throws
   * `rate_limited` if the caller has exhausted its limit.
   */
  readonly spendFree: (workMs: number) => void;
  /** Called with the outcome of each lookup. */
  readonly onOutcome: (outcome: Outcome<unknown>) => void;
}

export interface LookupMeter {
  /** Reserves credits besides those that were planned. Returns the problem that prevents it. */
  reserve(credits: number): Promise<Problem | undefined>;
  /** Records that a server was contacted for a lookup. */
  recordSent(id: string, credits: number): void;
  recordAnswered(id: string, credits: number): void;
  /** Records that a lookup failed, so that it is not charged. */
  recordFailed(id: string): void;
  /**
   * Writes what is paid, and records its price, which `write` returns. Rejects with `request_timeout`
   * if the client has disconnected before.
   */
  recordWrite(id: string, write: () => Promise<number>): Promise<void>;
}

/** A use of an idempotency key by a caller, with the body that was sent. */
export interface IdempotencyKeyUse {
  /** Keys are scoped to the caller. */
  readonly caller: string;
  readonly key: string;
  /** Equal for equal bodies. */
  readonly fingerprint: string;
}

/** The result of binding a key. */
export interface IdempotencyClaim {
  /** The key is bound to a different body. */
  readonly conflict: boolean;
  /** Credits charged with this key so far. */
  readonly charged: number;
}

/** The state of a key before a call with it is accepted. */
export interface IdempotencyStatus extends IdempotencyClaim {
  /**
   * When the key was bound, in milliseconds since the epoch; undefined for an unbound key, which
   * never conflicts.
   */
  readonly since: number | undefined;
}

/**
 * Records what was charged per idempotency key. Calls with one key may run concurrently in several
 * processes and are charged once. `test/storage/contracts/idempotency-keys.test.ts` runs against
 * every implementation.
 */
export interface IdempotencyKeys {
  /** Returns the state of a key without binding it: a rejected call does not bind its key. */
  idempotencyStatus(use: IdempotencyKeyUse): Promise<IdempotencyStatus>;
  /** Binds the key to the body for 24 h from its first use. */
  bindIdempotencyKey(use: IdempotencyKeyUse): Promise<IdempotencyClaim>;
  /**
   * Adds the price of a call with this key. Returns the part that has not been charged yet, which
   * is now due.
   */
  addIdempotentCharge(use: IdempotencyKeyUse, amount: number): Promise<number>;
}

/**
 * What earlier calls with the same idempotency key were charged. No other call with this key runs
 * in this process until it is released.
 */
export interface IdempotencyRecord {
  /** The highest price of a call with this key so far. */
  readonly charged: number;
  /**
   * Time of the first call, in milliseconds since the epoch; undefined if this is the first call.
   */
  readonly since: number | undefined;
  /** Binds the key, once no check can reject the call any more. Throws `idempotency_conflict`. */
  bind(): Promise<void>;
  /** Adds the price of this call and returns how much of it is not charged yet. */
  addCharge(amount: number): Promise<number>;
  /** Lets the next call with this key run. Call it after this call is settled. */
  release(): void;
}

/** How long a key is bound to its body. */
export const idempotencyKeyLifetimeMs = 24 * 60 * 60 * 1000;

/** A use of an idempotency key: whose key it is, and which body came with it. */
export interface IdempotencyKeyUse {
  /** Keys of different callers are different keys. */
  readonly caller: string;
  readonly key: string;
  /** Equal for equal bodies. */
  readonly fingerprint: string;
}

export interface IdempotencyClaim {
  /** The key stands for another body. */
  readonly conflict: boolean;
  /** Credits that were charged under the key so far. */
  readonly charged: number;
}

/** What stands under a key before a call with it is let in. */
export interface IdempotencyStatus extends IdempotencyClaim {
  /** When the key was bound, in milliseconds since the epoch; undefined when it is not, and then nothing is in conflict with it. */
  readonly since: number | undefined;
}

/**
 * What was charged under which idempotency key. Calls under one key may run at the same time, in different processes; what
 * they are worth is counted once. `test/contracts/idempotency-keys.test.ts` holds every implementation to the same promises.
 */
export interface IdempotencyKeys {
  /** What stands under the key. Binds nothing: a call that is refused has not used its key. */
  idempotencyStatus(use: IdempotencyKeyUse): Promise<IdempotencyStatus>;
  /** Binds the key to the body, for 24 h from its first use. */
  bindIdempotencyKey(use: IdempotencyKeyUse): Promise<IdempotencyClaim>;
  /** Counts what a call under the key is worth, and says how much of that was not counted before: so much is owed. */
  addIdempotentCharge(use: IdempotencyKeyUse, amount: number): Promise<number>;
}

/** How long a key stands for its body. */
export const idempotencyKeyLifetimeMs = 24 * 60 * 60 * 1000;

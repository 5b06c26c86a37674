import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { IdempotencyRecord } from '../../accounts/idempotency.ts';
import type { IdempotencyKeys, IdempotencyKeyUse } from '../../accounts/idempotency.ts';
import { Problem, missingParameter, invalidParameter } from '../../domain/problems.ts';
import type { BulkRequest } from './bulk-request.ts';

const idempotencyHeaderName = 'Idempotency-Key';

/**
 * Returns the idempotency key of a request, or undefined. Throws `missing_parameter` or
 * `invalid_parameter`.
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (key === '') throw missingParameter(idempotencyHeaderName);
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = `${idempotencyHeaderName} must be 1 to 255 printable ASCII characters without spaces, and sent only once.`;
  throw invalidParameter(idempotencyHeaderName, detail);
}

/**
 * Returns the stored form of a key and its request. The key is hashed, as clients may send a
 * secret.
 */
export function keyUseOf(key: string, bulk: FingerprintedBody, caller: string): IdempotencyKeyUse {
  return { caller, key: hash('sha256', key), fingerprint: fingerprintOf(bulk) };
}

/**
 * Returns a hash that is equal for equivalent bodies: whitespace, the order of members and unknown
 * members do not matter.
 */
export function fingerprintOf({ inputs, maxAge, confirm }: FingerprintedBody): string {
  const entries = inputs.map(({ entry }) => entry);
  const other = confirm === 'AVAILABLE' ? [confirm] : [];
  return hash('sha256', JSON.stringify([maxAge ?? null, entries, ...other]));
}

type FingerprintedBody = Pick<BulkRequest, 'inputs' | 'maxAge' | 'confirm'>;

/**
 * Reads what earlier calls with a key were charged, without binding the key. Throws
 * `idempotency_conflict`.
 */
export type OpenIdempotencyRecord = (keyUse: IdempotencyKeyUse) => Promise<IdempotencyRecord>;

/**
 * Returns a function that opens records one at a time per key: concurrent repeats then use the
 * answers of the first call, and reserve no credits for them.
 */
export function idempotencyRecordOpener(keys: IdempotencyKeys): OpenIdempotencyRecord {
  const locks = new KeyedLock();
  return async (keyUse) => {
    const id = `${keyUse.key} ${keyUse.caller}`;
    // A request with a different body is rejected without waiting for the call in progress.
    if (locks.isLocked(id)) throwIfConflict((await keys.idempotencyStatus(keyUse)).conflict);

    const release = await locks.lock(id);
    try {
      const { conflict, charged, since } = await keys.idempotencyStatus(keyUse);
      throwIfConflict(conflict);
      const bind = async () => throwIfConflict((await keys.bindIdempotencyKey(keyUse)).conflict);

      return {
        charged,
        since,
        bind,
        addCharge: (amount) => keys.addIdempotentCharge(keyUse, amount),
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Runs one task at a time per id, in order of arrival. */
class KeyedLock {
  readonly #last = new Map<string, Promise<void>>();

  isLocked(id: string): boolean {
    return this.#last.has(id);
  }

  /** Waits for earlier tasks. Resolves to the function that unlocks the id. */
  async lock(id: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = this.#last.get(id);
    this.#last.set(id, promise);
    await previous;

    return () => {
      if (this.#last.get(id) === promise) this.#last.delete(id);
      resolve();
    };
  }
}

function throwIfConflict(conflict: boolean): void {
  if (!conflict) return;
  const detail = `This ${idempotencyHeaderName} was used with a different body within the last 24 hours. Send a new key with each body.`;
  throw new Problem('idempotency_conflict', detail, { param: idempotencyHeaderName });
}

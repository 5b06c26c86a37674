import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { IdempotencyRecord } from '../../../accounts/credits.ts';
import type { IdempotencyKeys, IdempotencyKeyUse } from '../../../accounts/idempotency.ts';
import { Problem } from '../../../domain/problems.ts';
import type { BulkRequest } from './body.ts';
import { missingParameter } from '../../request/parameters.ts';

const idempotencyHeaderName = 'Idempotency-Key';

/** The key that a call carries; undefined when it has none. Throws `missing_parameter` or `invalid_parameter`. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (key === '') throw missingParameter(idempotencyHeaderName);
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = `${idempotencyHeaderName} must be 1 to 255 printable ASCII characters without spaces, given once.`;
  throw new Problem('invalid_parameter', detail, { param: idempotencyHeaderName });
}

/** A use of a key, as it is kept: by a hash, as the text of a key may be anything, a secret too. */
export function keyUseOf(
  key: string,
  bulk: Pick<BulkRequest, 'inputs' | 'maxAge'>,
  caller: string,
): IdempotencyKeyUse {
  return { caller, key: hash('sha256', key), fingerprint: fingerprintOf(bulk) };
}

/** Equal for bodies that ask for the same: the order of their members, spaces, and what nobody reads in them do not count. */
export function fingerprintOf({ inputs, maxAge }: Pick<BulkRequest, 'inputs' | 'maxAge'>): string {
  return hash('sha256', JSON.stringify([maxAge ?? null, inputs.map(({ entry }) => entry)]));
}

/** Reads what earlier calls under a key were charged; nothing is bound yet. Throws `idempotency_conflict`. */
export type OpenIdempotencyRecord = (keyUse: IdempotencyKeyUse) => Promise<IdempotencyRecord>;

/** Opens receipts one at a time for each key, so that repeats at the same time find the answers of the first and reserve nothing for them. */
export function idempotencyRecordOpener(keys: IdempotencyKeys): OpenIdempotencyRecord {
  const locks = new KeyedLock();
  return async (keyUse) => {
    const id = `${keyUse.key} ${keyUse.caller}`;
    // Another body need not wait for the call that is in progress.
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

/** Lets one task at a time run for each id, in order of arrival. */
class KeyedLock {
  readonly #last = new Map<string, Promise<void>>();

  isLocked(id: string): boolean {
    return this.#last.has(id);
  }

  /** Waits for the tasks before this one. Resolves to the function that unlocks the id. */
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
  const detail = `This ${idempotencyHeaderName} came with another body less than 24 hours ago; give every body a key of its own.`;
  throw new Problem('idempotency_conflict', detail, { param: idempotencyHeaderName });
}

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Receipt } from '../../../accounts/credits.ts';
import type { IdempotencyKeys, KeyUse } from '../../../accounts/idempotency.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Bulk } from './body.ts';
import { missing } from '../../request/parameters.ts';

const idempotencyHeader = 'Idempotency-Key';

/** The key that a call carries; undefined when it has none. Throws `missing_parameter` or `invalid_parameter`. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (key === '') throw missing(idempotencyHeader);
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = `${idempotencyHeader} must be 1 to 255 printable ASCII characters without spaces, given once.`;
  throw new Problem('invalid_parameter', detail, { param: idempotencyHeader });
}

/** A use of a key, as it is kept: by a hash, as the text of a key may be anything, a secret too. */
export function useOf(key: string, bulk: Pick<Bulk, 'inputs' | 'maxAge'>, caller: string): KeyUse {
  return { caller, key: hash('sha256', key), fingerprint: fingerprintOf(bulk) };
}

/** Equal for bodies that ask for the same: the order of their members, spaces, and what nobody reads in them do not count. */
export function fingerprintOf({ inputs, maxAge }: Pick<Bulk, 'inputs' | 'maxAge'>): string {
  return hash('sha256', JSON.stringify([maxAge ?? null, inputs.map(({ entry }) => entry)]));
}

/** Reads what earlier calls under a key were charged; nothing is bound yet. Throws `idempotency_conflict`. */
export type OpenReceipt = (use: KeyUse) => Promise<Receipt>;

/** Opens receipts one at a time for each key, so that repeats at the same time find the answers of the first and reserve nothing for them. */
export function receiptOpener(keys: IdempotencyKeys): OpenReceipt {
  const locks = new KeyedLock();
  return async (use) => {
    const id = `${use.key} ${use.caller}`;
    // Another body need not wait for the call that is in progress.
    if (locks.isLocked(id)) refuseOther((await keys.look(use)).conflict);
    const release = await locks.lock(id);
    try {
      const { conflict, charged, since } = await keys.look(use);
      refuseOther(conflict);
      const claim = async () => refuseOther((await keys.claim(use)).conflict);
      return { charged, since, claim, owe: (amount) => keys.owe(use, amount), release };
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
    const before = this.#last.get(id);
    this.#last.set(id, promise);
    await before;
    return () => {
      if (this.#last.get(id) === promise) this.#last.delete(id);
      resolve();
    };
  }
}

function refuseOther(conflict: boolean): void {
  if (!conflict) return;
  const detail = `This ${idempotencyHeader} came with another body less than 24 hours ago; give every body a key of its own.`;
  throw new Problem('idempotency_conflict', detail, { param: idempotencyHeader });
}

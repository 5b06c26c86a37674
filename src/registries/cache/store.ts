import type { StoredAnswer, NameData, RdapRecord } from '../../domain/answer.ts';
import type { Verdict } from '../../domain/verdict.ts';
import type { KeyValueStore } from '../../shared/key-value-store.ts';
import { emptyRegistration } from '../rdap/registration.ts';

/**
 * If a stored answer is newer than a new one by more than this, it was checked by a node whose
 * clock was ahead.
 */
export const maxOutOfOrderMs = 60_000;

/**
 * Returns whether an answer replaces the stored one: if it is at least as recent, or if the stored
 * one is newer by more than `maxOutOfOrderMs`. Within that limit, clocks may differ, so any other
 * verdict replaces a stored AVAILABLE. `isLate`: the answer could not be written for some time, so a
 * newer one is later, not of another clock.
 */
export function replaces(
  answer: DatedVerdict,
  stored: DatedVerdict | undefined,
  isLate = false,
): boolean {
  if (!stored || stored.checkedAt <= answer.checkedAt) return true;
  if (stored.checkedAt > answer.checkedAt + maxOutOfOrderMs) return !isLate;
  return stored.verdict === 'AVAILABLE' && answer.verdict !== 'AVAILABLE';
}

type DatedVerdict = Pick<StoredAnswer, 'checkedAt' | 'verdict'>;

/** How much of an answer is read. Most lookups need only the verdict, about 1 % of its size. */
export type StoredDetail = 'verdict' | 'registration';

/** Stores answers by name. `test/storage/contracts/answer-store.test.ts` tests every implementation. */
export interface AnswerStore extends KeyValueStore {
  /**
   * Returns the stored answers for the names, in one read; names without one are missing from the
   * map. With `verdict`, an answer may contain more than the verdict. If two reads return the same
   * object, the answer has not changed in between.
   */
  getAnswers(
    names: readonly string[],
    detail: StoredDetail,
  ): Promise<ReadonlyMap<string, StoredAnswer>>;
  /** The names that `getAnswers` has found in the memory of this process, and in the persistent store. */
  readonly hits: { readonly memory: number; readonly store: number };
  /**
   * Stores an answer if it `replaces` the stored one. `getAnswers` returns it immediately. Resolves
   * when the answer is durable; rejects if the write fails. `previous`: the verdict that is stored,
   * null if there is none; without it, the store reads it if it has to know.
   */
  putAnswer(answer: StoredAnswer, previous?: Verdict | null): Promise<void>;
  /**
   * Deletes answers checked before `answersBefore`, and contacts and raw RDAP objects of those
   * checked before `recordsBefore` (epoch ms). Does not block reads and writes.
   */
  deleteExpired(answersBefore: number, recordsBefore: number): Promise<void>;
  /**
   * Deletes each AVAILABLE checked after `after` if any answer is of a time after `future` (epoch
   * ms): the clock was set back while no process knew the age of the answers. A store that ends with
   * its process needs none.
   */
  deleteUndated?(after: number, future: number): Promise<void>;
  /** Waits for pending writes and stops `deleteExpired`. */
  close(): Promise<void>;
}

/** How the data of a lookup is stored. */
export interface StoredForm<T> {
  toStored(data: T): NameData;
  fromStored(stored: StoredAnswer): T;
}

export const nameForm: StoredForm<NameData> = {
  toStored: (data) => data,
  fromStored: ({ verdict, registration, characters }) => ({
    verdict,
    ...(registration && { registration }),
    ...(characters !== undefined && { characters }),
  }),
};

/**
 * Stores a record like a registered name, and its absence like an available one, as all releases
 * do. So it is fresh for as long.
 */
export const recordForm: StoredForm<RdapRecord | null> = {
  toStored: (record) =>
    record
      ? {
          verdict: 'REGISTERED',
          registration: () => emptyRegistration(record.json),
          characters: record.characters,
        }
      : { verdict: 'AVAILABLE' },
  fromStored: ({ verdict, registration, characters = 0 }) =>
    verdict === 'AVAILABLE' ? null : { json: registration?.().raw, characters },
};

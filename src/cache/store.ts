import type { DomainName } from '../domain/domain-name.ts';
import type { Registration } from '../domain/registration.ts';
import type { Evidence } from '../domain/source.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** An answer as it is kept. UNKNOWN is never kept. */
export interface StoredAnswer {
  readonly name: DomainName;
  readonly verdict: Exclude<Verdict, 'UNKNOWN'>;
  readonly endpoint: string;
  /** When the registry said so, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** When the registration ends, in milliseconds since the epoch; absent where nobody said. */
  readonly expiresAt?: number;
  /** Absent for a name that nobody holds, and where the verdict alone was read. */
  readonly registration?: () => Registration;
  /** False where something was left out, or the contacts and the registry's own object are forgotten: `registration` then lacks them. */
  readonly isComplete: boolean;
  /** What the verdict rests on. */
  readonly evidence?: Evidence;
}

/** How much later than a new answer a kept one may have been learned before it counts as learned by a clock that was ahead. */
export const maxOutOfOrderMs = 60_000;

/**
 * Whether an answer takes the place of the kept one: unless that was learned later, and not so much later that no clock would say so. Within
 * that time clocks may differ, and no kept "free" stands against an answer that says otherwise.
 */
export function replaces(answer: CheckedVerdict, stored: CheckedVerdict | undefined): boolean {
  if (
    !stored ||
    stored.checkedAt <= answer.checkedAt ||
    stored.checkedAt > answer.checkedAt + maxOutOfOrderMs
  )
    return true;
  return stored.verdict === 'AVAILABLE' && answer.verdict !== 'AVAILABLE';
}

type CheckedVerdict = Pick<StoredAnswer, 'checkedAt' | 'verdict'>;

/** How many names were found, fresh enough or not: in this process's memory, and where answers are kept for good. */
interface HitCounts {
  memory: number;
  store: number;
}

/** How much of an answer is read: most want no more than the verdict, which is a hundredth of it. */
export type StoredDetail = 'verdict' | 'registration';

/** Remembers answers by name. `test/contracts/answer-store.test.ts` holds every implementation to the same promises. */
export interface AnswerStore extends KeyValueStore {
  /**
   * One read for many names; a name that is not known is missing from the map. With `verdict` more may be there than was asked for. An object
   * that is given twice is the same answer; a store that reads anew gives new ones.
   */
  getAnswers(
    names: readonly DomainName[],
    detail: StoredDetail,
  ): Promise<ReadonlyMap<DomainName, StoredAnswer>>;
  /** Where `getMany` has found names since the start. */
  readonly hits: Readonly<HitCounts>;
  /**
   * Keeps an answer in the place of an older one; one that was learned earlier than the kept one changes nothing, but see `replaces`.
   * `getMany` knows it at once; the promise resolves when it is safe, and rejects when it could not be kept.
   */
  putAnswer(answer: StoredAnswer): Promise<void>;
  /** Forgets answers learned before `answersBefore`, and contacts and own objects learned before `recordsBefore` (epoch ms). Serves others meanwhile. */
  deleteExpired(answersBefore: number, recordsBefore: number): Promise<void>;
  /** Waits for what was put; ends a sweep. */
  close(): Promise<void>;
}

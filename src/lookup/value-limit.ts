import { Problem } from '../domain/problems.ts';

/** What has the length of its record, in characters, if it has one. */
export interface RecordLength {
  readonly characters?: number;
}

/** The values of about 3,000 networks with their entities. They take about a second. */
const maxValues = 150_000;
/** An entry of a list is an object with several fields. */
const valuesPerEntry = 5;
const charactersPerValue = 400;
/**
 * The maximum length of a response, or of one part of it, and of the records that are read for a
 * response in one piece: about 500 records of 64,000 characters. A record from a hostile registry
 * may have a million, and a document may select it 50 times.
 */
export const maxResponseCharacters = 32_000_000;

/**
 * Limits the values that the objects and sites of one operation add to its response. Objects can
 * refer to each other and to themselves, so that a response could otherwise grow with each level of
 * the document. Also limits the records that are held for the response.
 */
export class ValueLimit {
  /** Created on demand, as most operations have neither objects nor sites. */
  #lengths: WeakMap<object, number> | undefined;
  #exceeded: AbortController | undefined;
  readonly #maxRecordCharacters: number;
  #divisor: (() => number) | undefined;
  #remaining = maxValues;
  #values = 0;
  #recordCharacters = 0;

  /** `isStreamed`: the response has several parts, and each part its own limit. */
  constructor({ isStreamed = false } = {}) {
    this.#maxRecordCharacters = isStreamed ? Infinity : maxResponseCharacters;
  }

  /** Aborted as soon as a limit is exceeded, so that nothing else is looked up. */
  get signal(): AbortSignal {
    this.#exceeded ??= new AbortController();
    this.#abortIfExceeded();
    return this.#exceeded.signal;
  }

  get isExceeded(): boolean {
    return this.#remaining < 0 || this.#recordCharacters > this.#maxRecordCharacters;
  }

  /** What was counted so far, above the limits too. */
  get spent(): { readonly values: number; readonly recordCharacters: number } {
    return { values: this.#values, recordCharacters: this.#recordCharacters };
  }

  /**
   * Reduces the limit for a document that selects the same fields several times. `repetitions` is
   * called with the first value.
   */
  divideBy(repetitions: () => number): void {
    this.#divisor = repetitions;
  }

  /**
   * Counts a value, or the values of a list; long ones count several times. Returns false above the
   * limit.
   */
  spend(value: unknown): boolean {
    const entries = Array.isArray(value) ? value.length : 0;
    const length = this.#lengthOf(value);
    const values = 1 + entries * valuesPerEntry + Math.floor(length / charactersPerValue);

    this.#remaining /= this.#divisor?.() ?? 1;
    this.#divisor = undefined;
    this.#remaining -= values;
    this.#values += values;

    return !this.#abortIfExceeded();
  }

  spendRecord(record: RecordLength | null | undefined): void {
    this.#recordCharacters += record?.characters ?? 0;
    this.#abortIfExceeded();
  }

  /** Throws `query_too_large` if a limit was exceeded. */
  check(): void {
    if (this.isExceeded) throw this.#remaining < 0 ? tooManyValues() : responseTooLarge();
  }

  #abortIfExceeded(): boolean {
    if (this.isExceeded) this.#exceeded?.abort();
    return this.isExceeded;
  }

  /** Returns the approximate length of a value as JSON. */
  #lengthOf(value: unknown): number {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 0;
    this.#lengths ??= new WeakMap();
    const length = this.#lengths.get(value) ?? JSON.stringify(value).length;
    this.#lengths.set(value, length);
    return length;
  }
}

function tooManyValues(): Problem {
  return new Problem(
    'query_too_large',
    'The objects and sites of this operation have too many values. Request fewer of them, fewer fields, or fewer levels.',
  );
}

/** Returns the problem of a response, or a part of one, that is too long. */
export function responseTooLarge(): Problem {
  const detail = `The response would have more than ${maxResponseCharacters} characters. Request fewer names or fields, or use a subscription or @defer, which send records one at a time.`;
  return new Problem('query_too_large', detail);
}

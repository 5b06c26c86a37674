import { Problem } from '../domain/problems.ts';

/** The values of about 3,000 networks with their entities. They take about a second. */
const maxValues = 150_000;
/** An entry of a list is an object with several fields. */
const valuesPerEntry = 5;
const charactersPerValue = 400;

/**
 * Limits the values that the objects and sites of one operation add to its response. Objects can
 * refer to each other and to themselves, so that a response could otherwise grow with each level of
 * the document.
 */
export class ValueLimit {
  readonly #lengths = new WeakMap<object, number>();
  #divisor: (() => number) | undefined;
  #remaining = maxValues;

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
    this.#remaining /= this.#divisor?.() ?? 1;
    this.#divisor = undefined;
    this.#remaining -= 1 + entries * valuesPerEntry + Math.floor(length / charactersPerValue);
    return this.#remaining >= 0;
  }

  /** Throws `query_too_large` if the limit was exceeded. */
  check(): void {
    if (this.#remaining < 0) throw tooManyValues();
  }

  /** Returns the approximate length of a value as JSON. */
  #lengthOf(value: unknown): number {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 0;
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

import { addTo } from '../shared/counts.ts';

/** A tenth of a small maximum would be too few for a single browser. */
const minShare = 20;

/**
 * Limits how many units of a resource are in use, in total and by each holder. The maximum of a
 * holder is a tenth of the total, but at least 20 units.
 */
export class FairShares {
  readonly #max: number;
  readonly #maxPerHolder: number;
  readonly #usedByHolder = new Map<string, number>();
  #used = 0;

  constructor(max: number) {
    this.#max = max;
    this.#maxPerHolder = Math.max(max / 10, minShare);
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Takes a unit. Returns a function that releases it (further calls have no effect), or undefined
   * if the holder's share or the maximum is in use.
   */
  take(holder: string): (() => void) | undefined {
    const usedByHolder = this.#usedByHolder.get(holder) ?? 0;
    if (this.#used >= this.#max || usedByHolder >= this.#maxPerHolder) return undefined;

    this.#change(holder, 1);
    let released = false;

    return () => {
      if (!released) this.#change(holder, -1);
      released = true;
    };
  }

  #change(holder: string, by: 1 | -1): void {
    this.#used += by;
    addTo(this.#usedByHolder, holder, by);
  }
}

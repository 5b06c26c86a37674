/** Of little, a tenth would be too few for a single browser. */
const minShare = 20;

/** Counts who holds how much of something limited. No holder gets more than a tenth, so that nine others are served beside it. */
export class FairShares {
  readonly #max: number;
  readonly #maxPerHolder: number;
  readonly #usedByHolder = new Map<string, number>();
  #used = 0;

  constructor(max: number) {
    this.#max = max;
    this.#maxPerHolder = Math.max(max / 10, minShare);
  }

  /** How much is held by all. */
  get used(): number {
    return this.#used;
  }

  /** Takes one; returns how to release it, once, or undefined where the holder, or all together, have as many as they may have. */
  take(holder: string): (() => void) | undefined {
    const usedByHolder = this.#usedByHolder.get(holder) ?? 0;
    if (this.#used >= this.#max || usedByHolder >= this.#maxPerHolder) return undefined;
    this.#used += 1;
    this.#usedByHolder.set(holder, usedByHolder + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(holder);
    };
  }

  #release(holder: string): void {
    this.#used -= 1;
    const usedByHolder = this.#usedByHolder.get(holder) ?? 0;
    if (usedByHolder > 1) this.#usedByHolder.set(holder, usedByHolder - 1);
    else this.#usedByHolder.delete(holder);
  }
}

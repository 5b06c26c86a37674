/** A map of the last so many keys that were set anew: each one more forgets the oldest. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;
  // To ask a map for its oldest key takes the longer the more were deleted before it.
  readonly #inOrder: Key[] = [];
  #next = 0;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    if (!this.has(key)) this.#makeRoom(key);
    return super.set(key, value);
  }

  override clear(): void {
    super.clear();
    this.#inOrder.length = 0;
    this.#next = 0;
  }

  #makeRoom(key: Key): void {
    if (this.#inOrder.length === this.#most) this.delete(this.#inOrder[this.#next] as Key);
    this.#inOrder[this.#next] = key;
    this.#next = (this.#next + 1) % this.#most;
  }
}

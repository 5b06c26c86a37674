/**
 * A binary heap. Adding, moving and deleting an item takes logarithmic time. Each item stores its
 * own index, which is -1 outside the heap, in its member `key`: an item may be in several heaps.
 */
export class Heap<Key extends string, T extends Record<Key, number>> {
  readonly #key: Key;
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(key: Key, isBefore: (a: T, b: T) => boolean) {
    this.#key = key;
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Copies the items, in no particular order. */
  get items(): readonly T[] {
    return Array.from(this.#items);
  }

  /** Adds an item, or moves one whose order has changed. */
  set(item: T): void {
    const index = item[this.#key];
    this.#sink(this.#raise(index < 0 ? this.size : index, item), item);
  }

  delete(item: T): void {
    const index = item[this.#key];
    const last = this.#items.pop();
    this.#store(item, -1);
    if (last !== undefined && last !== item) this.#sink(this.#raise(index, last), last);
  }

  /** Moves the free place `index` up to where the item may be. Returns its index. */
  #raise(index: number, item: T): number {
    const parent = (index - 1) >> 1;
    const above = index > 0 ? this.#items[parent] : undefined;
    if (above === undefined || !this.#isBefore(item, above)) return index;
    this.#place(index, above);
    return this.#raise(parent, item);
  }

  /** Moves the free place `index` down to where the item must be, and puts it there. */
  #sink(index: number, item: T): void {
    const [left, right] = [this.#items[2 * index + 1], this.#items[2 * index + 2]];
    const isRight = left !== undefined && right !== undefined && this.#isBefore(right, left);
    const below = isRight ? right : left;
    if (below === undefined || !this.#isBefore(below, item)) return this.#place(index, item);
    this.#place(index, below);
    this.#sink(2 * index + (isRight ? 2 : 1), item);
  }

  #place(index: number, item: T): void {
    this.#items[index] = item;
    this.#store(item, index);
  }

  #store(item: Record<Key, number>, index: number): void {
    item[this.#key] = index;
  }
}

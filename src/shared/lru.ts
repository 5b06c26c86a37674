/**
 * Returns the options of an `LRUCache` with at most `max` entries that takes memory only for those
 * that it has. With the option `max`, a cache of 10,000 takes 0.6 ms to create, and all its memory
 * at once.
 */
export function atMost(max: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: max, sizeCalculation: () => 1 };
}

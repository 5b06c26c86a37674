/** How many different lookups in a row are rejected before the server is taken to reject all. */
const maxRejections = 10;

/**
 * Counts different lookups in a row that a server rejects with the same 401 or 403. One name may be
 * rejected because of what it is; ten without an answer in between are rejected because of the caller.
 */
export class RejectionStreak {
  readonly #keys = new Set<string>();
  #status = 0;

  /** Records the response to a lookup. Returns whether the server rejects all lookups. */
  add(status: number, key: string): boolean {
    if (status !== this.#status) this.#keys.clear();
    this.#status = status;
    if (status !== 401 && status !== 403) return false;
    if (this.#keys.size < maxRejections) this.#keys.add(key);
    return this.#keys.size === maxRejections;
  }
}

/** Lets one task at a time run for each id, in the order in which they came. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>();

  isTaken(id: string): boolean {
    return this.#last.has(id);
  }

  /** Waits for the tasks before it. Resolves to the function that ends its own turn. */
  async take(id: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last.get(id);
    this.#last.set(id, promise);
    await before;
    return () => {
      if (this.#last.get(id) === promise) this.#last.delete(id);
      resolve();
    };
  }
}

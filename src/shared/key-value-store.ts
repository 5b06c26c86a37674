/** Stores small values that survive a restart, such as the state of canaries. */
export interface KeyValueStore {
  /** Returns all values whose key starts with `prefix`, by key. */
  read(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Stores a value, replacing an existing one. Rejects if the write fails. */
  put(key: string, value: string): Promise<void>;
  /**
   * Stores a value unless the key exists. Resolves to the stored value, which is the same for all
   * concurrent callers. Rejects if the write fails.
   */
  putIfAbsent(key: string, value: string): Promise<string>;
  /** Deletes a key if it still has this value. Rejects if the write fails. */
  deleteIf(key: string, value: string): Promise<void>;
}

/** Small facts that outlive the process, such as until when a registry asked to be left alone. */
export interface KeyValueStore {
  /** All notes whose key begins so, by key. */
  read(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Keeps a note in the place of an older one. Rejects when it could not be kept. */
  put(key: string, value: string): Promise<void>;
  /** Keeps a note unless there is one; resolves to the one that is kept, the same for all who ask at once. Rejects as `write` does. */
  putIfAbsent(key: string, value: string): Promise<string>;
  /** Forgets a note, unless another has taken its place. Rejects when it could not be forgotten. */
  deleteIf(key: string, value: string): Promise<void>;
}

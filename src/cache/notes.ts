/** Small facts about registries that outlive the process, such as until when one asked to be left alone. */
export interface Notes {
  /** All notes whose key begins so, by key. */
  read(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Keeps a note in the place of an older one. Rejects when it could not be kept. */
  write(key: string, note: string): Promise<void>;
}

/** Remembers a result for each text, in at most so many characters of texts; those that were used least recently are forgotten first. */
export class TextMemo<Value extends {}> {
  readonly #maxRecentCharacters: number;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();
  #recentCharacters = 0;

  constructor(maxCharacters: number) {
    this.#maxRecentCharacters = maxCharacters / 2;
  }

  get(text: string): Value | undefined {
    const recent = this.#recent.get(text);
    if (recent !== undefined) return recent;
    const older = this.#older.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, value: Value): void {
    if (this.#recent.has(text)) return;
    if (this.#recentCharacters + text.length > this.#maxRecentCharacters) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentCharacters = 0;
    }
    this.#recentCharacters += text.length;
    this.#recent.set(copyOf(text), value);
  }
}

/** Copies a text: it may be a part of a longer one, which would stay in memory with it. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

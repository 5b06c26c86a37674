/** Remembers a result for each text, in at most so many characters of texts and results; the older half of them is forgotten first. */
export class TextMemo<Value extends { readonly length: number }> {
  readonly #maxRecentCharacters: number;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();
  #recentCharacters = 0;

  constructor(maxCharacters: number) {
    this.#maxRecentCharacters = maxCharacters / 2;
  }

  get(text: string): Value | undefined {
    return this.#recent.get(text) ?? this.#older.get(text);
  }

  set(text: string, value: Value): void {
    if (this.#recent.has(text)) return;
    const characters = text.length + value.length;
    if (this.#recentCharacters + characters > this.#maxRecentCharacters) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentCharacters = 0;
    }
    this.#recentCharacters += characters;
    this.#recent.set(copyOf(text), value);
  }
}

/** Copies a text: it may be a part of a longer one, which would stay in memory with it. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

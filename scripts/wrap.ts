const maxLineLength = 88;

/** Joins words to lines. */
export function wrap(words: readonly string[]): readonly string[] {
  return words.reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    const isFull = last === undefined || last.length + word.length + 1 > maxLineLength;
    return isFull ? [...lines, word] : [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}

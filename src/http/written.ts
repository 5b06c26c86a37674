import { randomUUID } from 'node:crypto';
import { Problem } from '../problems.ts';

/** A part of an answer that is JSON already. */
export class Written {
  readonly #json: string;

  constructor(json: string) {
    this.#json = json;
  }

  get length(): number {
    return this.#json.length;
  }

  toJSON(): string {
    placed.push(this.#json);
    placedCharacters += this.#json.length;
    if (placedCharacters > maxResponseCharacters) throw tooLong();
    return mark;
  }
}

/**
 * A response, or a part of one, is as long as 500 records of 60,000 characters at most: a record of a hostile registry may have a million, and a
 * document may select it 50 times.
 */
export const maxResponseCharacters = 32_000_000;

/** `JSON.stringify` for what may hold parts that are written already. Throws `query_too_large` for more than `maxResponseCharacters`. */
export function jsonOf(value: object): string {
  try {
    const json = JSON.stringify(value);
    if (json.length + placedCharacters > maxResponseCharacters) throw tooLong();
    if (placed.length === 0) return json;
    return json
      .split(quotedMark)
      .map((piece, index) => piece + (placed[index] ?? ''))
      .join('');
  } finally {
    placed.length = 0;
    placedCharacters = 0;
  }
}

function tooLong(): Problem {
  const detail = `The response would have more than ${maxResponseCharacters} characters. Ask for fewer names or fields, or use a subscription or @defer, which send each record by itself.`;
  return new Problem('query_too_large', detail);
}

/** Stands in a text for such a part. No text of anybody else's holds it: it is made up at the start, and never leaves. */
const mark = randomUUID();
const quotedMark = JSON.stringify(mark);
const placed: string[] = [];
let placedCharacters = 0;

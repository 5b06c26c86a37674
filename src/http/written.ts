import { randomUUID } from 'node:crypto';

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
    return mark;
  }
}

/** `JSON.stringify` for what may hold parts that are written already. */
export function jsonOf(value: object): string {
  try {
    const json = JSON.stringify(value);
    if (placed.length === 0) return json;
    return json
      .split(quotedMark)
      .map((piece, index) => piece + (placed[index] ?? ''))
      .join('');
  } finally {
    placed.length = 0;
  }
}

/** Stands in a text for such a part. No text of anybody else's holds it: it is made up at the start, and never leaves. */
const mark = randomUUID();
const quotedMark = JSON.stringify(mark);
const placed: string[] = [];

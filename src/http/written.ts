import { randomUUID } from 'node:crypto';

/** A part of an answer that is JSON already. */
export class Written {
  readonly #json: string;

  constructor(json: string) {
    this.#json = json;
  }

  toJSON(): string {
    placed.push(this.#json);
    return mark;
  }
}

/** `JSON.stringify` for what may hold parts that are written already. */
export function jsonOf(value: object): string {
  placed.length = 0;
  const json = JSON.stringify(value);
  if (placed.length === 0) return json;
  const pieces = json.split(quotedMark);
  return pieces.map((piece, index) => piece + (placed[index] ?? '')).join('');
}

/** Stands in a text for such a part. No text of anybody else's holds it: it is made up at the start, and never leaves. */
const mark = randomUUID();
const quotedMark = JSON.stringify(mark);
const placed: string[] = [];

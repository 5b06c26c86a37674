import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import { usageError } from '../command-error.ts';
import { jsonIn } from '../../shared/shapes.ts';
import { rowShape, type CheckRow } from '../lookups.ts';
import { reasonOf } from '../../shared/reason-of.ts';

/** Keeps the results of a check in a file, one JSON object per line, so that it can be continued. */
export class ResultsFile implements Disposable {
  readonly #file: number;
  readonly #rows: ReadonlyMap<string, CheckRow>;

  /** Reads the results of earlier runs from a file, or creates it. Throws `CommandError`. */
  constructor(path: string) {
    try {
      this.#file = openSync(path, 'a+');
      const text = readFileSync(path, 'utf8');
      const rows = text
        .split('\n')
        .map((line) => jsonIn(line))
        .filter(isVerdict);
      this.#rows = new Map(rows.map((row) => [row.input, row]));

      // The last line of an interrupted run may be incomplete.
      if (text !== '' && !text.endsWith('\n')) writeSync(this.#file, '\n');
    } catch (error) {
      throw usageError(
        `--resume must name a file that can be written. It cannot be used: ${reasonOf(error)}`,
      );
    }
  }

  /** Returns the result of an input, if it has a verdict. */
  find(input: string): CheckRow | undefined {
    return this.#rows.get(input);
  }

  add(row: CheckRow): void {
    writeSync(this.#file, `${JSON.stringify(row)}\n`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

function isVerdict(value: unknown): value is CheckRow {
  return v.is(rowShape, value) && (value.available !== null || value.status === 'invalid');
}

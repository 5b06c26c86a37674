import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import { systemClock } from '../../clock.ts';
import { reasonOf } from '../../shared/reason-of.ts';
import { jsonIn } from '../../shared/shapes.ts';
import {
  CommandError,
  usageError,
  exitCodeOf,
  exitCodes,
  type ExitCode,
} from '../command-error.ts';
import type { CommandOptions } from '../command-table.ts';
import { rowShape, type CheckRow } from '../lookups.ts';
import { csvRows, jsonRows, terminalRows, type RowWriter } from '../output/row-writer.ts';
import { hostOf } from '../../domain/text/typed-text.js';
import { readConfirm, readEntries, readMaxAge, readNames, tldsOf } from '../name-arguments.ts';
import { openLookups } from '../open-lookups.ts';
import { Progress } from '../output/progress.ts';
import type { Output, Surroundings } from '../surroundings.ts';
import { expandTlds } from './tlds.ts';

/** Checks names and prints a row for each. Rejects with `CommandError`. */
export async function check(
  args: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { streams } = surroundings;
  const openWriter = readFormat(options, streams.stdout);
  const limits = { maxAge: readMaxAge(options['max-age']), confirm: readConfirm(options.confirm) };
  const entries = await readEntries(args, options.file, streams);
  await using lookups = await openLookups(options, surroundings);
  const lists = tldsOf(options.tlds, entries);
  const tlds = lists && (await expandTlds(lists, lookups, surroundings));
  const inputs = readNames(entries, tlds, options);
  using results = options.resume === undefined ? undefined : new ResultsFile(options.resume);
  const writer = openWriter(inputs);
  using progress = new Progress(inputs.length, streams.stderr);
  const rows: CheckRow[] = [];

  const show = (row: CheckRow) => {
    rows.push(row);
    progress.add();
    progress.clear();
    if (!options.available || row.available === true) writer.write(row);
    progress.show();
  };

  const open: number[] = [];
  for (const [index, input] of inputs.entries()) {
    const found = results?.find(input);
    if (found) show({ ...found, index, cached: true });
    else open.push(index);
  }

  const names = open.map((index) => hostOf(inputs[index] ?? ''));
  for await (const found of lookups.check({ names, ...limits })) {
    const index = open[found.index] ?? found.index;
    const row = { ...found, index, input: inputs[index] ?? found.input };
    results?.add(row);
    show(row);
  }

  progress.clear();
  writer.end(rows);
  return exitCodeOf(rows);
}

/** Returns the function that opens the writer of the output format. Throws `CommandError`. */
function readFormat(
  { json, csv }: CommandOptions,
  stdout: Output,
): (names: readonly string[]) => RowWriter {
  if (json && csv) throw usageError('Use either --json or --csv, not both.');
  if (csv) return () => csvRows(stdout);
  if (json || !stdout.isTTY) return () => jsonRows(stdout);
  return (names) => terminalRows(stdout, names);
}

/** Keeps the results of a check in a file, one JSON object per line, so that it can be continued. */
class ResultsFile implements Disposable {
  readonly #file: number;
  readonly #rows: ReadonlyMap<string, CheckRow>;

  /** Reads the results of earlier runs from a file, or creates it. Throws `CommandError`. */
  constructor(path: string) {
    try {
      this.#file = openSync(path, 'a+');
      const text = readFileSync(path, 'utf8');
      if (text !== '' && !text.startsWith('{"'))
        throw usageError(`--resume: ${path} has other content than results. Name another file.`);
      const rows = text
        .split('\n')
        .map((line) => jsonIn(line))
        .filter(isVerdict);
      this.#rows = new Map(rows.map((row) => [row.input, row]));

      // The last line of an interrupted run may be incomplete.
      if (text !== '' && !text.endsWith('\n')) writeSync(this.#file, '\n');
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw usageError(
        `--resume must name a file that can be written. It cannot be used: ${reasonOf(error)}`,
      );
    }
  }

  /** Returns the result of an input, if it has a verdict that still counts. */
  find(input: string): CheckRow | undefined {
    const row = this.#rows.get(input);
    return row?.available && !isRecent(row) ? undefined : row;
  }

  /** Throws `CommandError`. */
  add(row: CheckRow): void {
    try {
      writeSync(this.#file, `${JSON.stringify(row)}\n`);
    } catch (error) {
      const message = `--resume: the results can no longer be kept: ${reasonOf(error)}`;
      throw new CommandError(exitCodes.unknown, message);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** Somebody may have registered a name that was available earlier. */
const maxAvailableAgeMs = 60 * 60 * 1000;

function isRecent({ checked_at }: CheckRow): boolean {
  return Math.abs(systemClock.now() - Date.parse(String(checked_at))) <= maxAvailableAgeMs;
}

function isVerdict(value: unknown): value is CheckRow {
  return v.is(rowShape, value) && (value.available !== null || value.status === 'invalid');
}

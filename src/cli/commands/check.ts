import { usageError } from '../command-error.ts';
import type { CommandOptions } from '../command-table.ts';
import { exitCodeOf, type ExitCode } from '../exit-codes.ts';
import type { CheckRow } from '../lookups.ts';
import { csvRows, jsonRows } from '../output/row-writer.ts';
import type { RowWriter } from '../output/row-writer.ts';
import { TerminalRows } from '../output/terminal-rows.ts';
import { hostOf } from '../../domain/typed-text.js';
import { readConfirm, readEntries, readMaxAge, readNames, tldsOf } from '../name-arguments.ts';
import { openLookups } from '../open-lookups.ts';
import { Progress } from '../output/progress.ts';
import { ResultsFile } from '../output/results-file.ts';
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
    if (found) show({ ...found, index });
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
  return (names) => new TerminalRows(stdout, names);
}

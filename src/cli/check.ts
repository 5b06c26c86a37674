import { usageError } from './command-error.ts';
import type { CommandOptions } from './command-line.ts';
import { exitCodeOf, type ExitCode } from './exit-codes.ts';
import type { CheckRow } from './lookups.ts';
import { csvRows, jsonRows } from './row-writer.ts';
import type { RowWriter } from './row-writer.ts';
import { TerminalRows } from './terminal-rows.ts';
import { readConfirm, readMaxAge, readNames } from './name-arguments.ts';
import { openLookups } from './open-lookups.ts';
import type { Surroundings } from './surroundings.ts';

/** Checks names and prints a row for each. Rejects with `CommandError`. */
export async function check(
  args: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const openWriter = readFormat(options);
  const request = {
    names: readNames(args, options.tlds),
    maxAge: readMaxAge(options['max-age']),
    confirm: readConfirm(options.confirm),
  };
  await using lookups = await openLookups(options, surroundings);
  using writer = openWriter(request.names);
  const rows: CheckRow[] = [];
  for await (const row of lookups.check(request)) {
    writer.write(row);
    rows.push(row);
  }
  writer.end(rows);
  return exitCodeOf(rows);
}

/** Returns the function that opens the writer of the output format. Throws `CommandError`. */
function readFormat({ json, csv }: CommandOptions): (names: readonly string[]) => RowWriter {
  if (json && csv) throw usageError('Use either --json or --csv, not both.');
  if (csv) return csvRows;
  return json || !process.stdout.isTTY
    ? jsonRows
    : (names) => new TerminalRows(process.stdout, names);
}

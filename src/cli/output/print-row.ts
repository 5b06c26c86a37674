import { printable, printableJson, printableLines } from '../../shared/printable.ts';
import type { CommandOptions } from '../command-table.ts';
import type { ChangeRow } from './records.ts';
import { printLine, type Output } from '../surroundings.ts';

/** Prints a row as a line of text on a terminal, and as JSON elsewhere or with `--json`. */
export function printRow(
  { json }: CommandOptions,
  stdout: Output,
  row: object,
  text: string,
): void {
  printLine(stdout, json || !stdout.isTTY ? printableJson(row) : printable(text));
}

/** Prints lines of CSV. On a terminal, they have no control characters. */
export function printCsv(stdout: Output, lines: string): void {
  stdout.write(stdout.isTTY ? printableLines(lines) : lines);
}

/** Prints a change: what differs, before and after. */
export function printChange(options: CommandOptions, stdout: Output, change: ChangeRow): void {
  const { before, after } = change;
  const differs = Object.keys({ ...before, ...after })
    .filter((key) => textOf(before[key]) !== textOf(after[key]))
    .map((key) => `${key} ${textOf(before[key])} → ${textOf(after[key])}`);
  const type = change.type.replaceAll('_', ' ');
  const seenAt = change.seen_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');

  printRow(options, stdout, change, `${seenAt}  ${change.domain}  ${type}  ${differs.join(', ')}`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}

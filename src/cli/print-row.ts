import { printable } from '../shared/printable.ts';
import type { CommandOptions } from './command-table.ts';
import type { ChangeRow } from './records.ts';

/** Prints a row as a line of text on a terminal, and as JSON elsewhere or with `--json`. */
export function printRow({ json }: CommandOptions, row: object, text: string): void {
  console.log(json || !process.stdout.isTTY ? JSON.stringify(row) : printable(text));
}

/** Prints a change: what differs, before and after. */
export function printChange(options: CommandOptions, change: ChangeRow): void {
  const { before, after } = change;
  const differs = Object.keys({ ...before, ...after })
    .filter((key) => textOf(before[key]) !== textOf(after[key]))
    .map((key) => `${key} ${textOf(before[key])} → ${textOf(after[key])}`);
  const type = change.type.replaceAll('_', ' ');
  const seenAt = change.seen_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  printRow(options, change, `${seenAt}  ${change.domain}  ${type}  ${differs.join(', ')}`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}

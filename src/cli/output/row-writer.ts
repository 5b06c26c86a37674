import { styleText } from 'node:util';
import { toUnicodeName } from '../../domain/names/domain-name.ts';
import { parseEntry } from '../../domain/names/parsed-name.ts';
import { problems } from '../../domain/problems.ts';
import { printable, printableJson } from '../../shared/printable.ts';
import type { CheckRow } from '../lookups.ts';
import { withHint } from '../name-arguments.ts';
import { csvHeader, csvLine } from '../../shared/csv.ts';
import { printCsv } from './print-row.ts';
import type { Output } from '../surroundings.ts';

const maxNameWidth = 40;
const statusWidth = 'pending delete'.length;

/** More rows than this are grouped at the end. */
const maxUngrouped = 10;
/** Names of a group that are listed. */
const maxListed = 50;

/** Writes the rows of a check. */
export interface RowWriter {
  write(row: CheckRow): void;
  /** Writes what follows the rows. */
  end(rows: readonly CheckRow[]): void;
}

/** Returns a writer of one JSON object per line. */
export function jsonRows(stdout: Output): RowWriter {
  return lineRows((row) => void stdout.write(`${printableJson(row)}\n`));
}

export function csvRows(stdout: Output): RowWriter {
  stdout.write(csvHeader());
  return lineRows((row) => printCsv(stdout, csvLine(row)));
}

function lineRows(write: RowWriter['write']): RowWriter {
  return { write, end: () => undefined };
}

/** Shows rows as they arrive, then the names of a long list by verdict, and how many they are. */
export function terminalRows(terminal: Output, names: readonly string[]): RowWriter {
  const longest = names.reduce((width, { length }) => Math.max(width, length), 0);
  const nameWidth = Math.min(longest, maxNameWidth);

  return {
    write: (row) => void terminal.write(`${formatRow(row, nameWidth)}\n`),
    end(rows) {
      if (rows.length <= 1) return;
      const groups = rows.length > maxUngrouped ? groupsOf(rows) : [];
      const lines = [...groups, styleText('dim', summaryOf(rows))];
      terminal.write(`\n${lines.join('\n')}\n`);
    },
  };
}

/** Returns a line per verdict with its names, in alphabetical order. */
function groupsOf(rows: readonly CheckRow[]): readonly string[] {
  const byVerdict = Map.groupBy(rows, ({ available }) => available);
  return verdicts.flatMap(([available, title, color]) => {
    const names = (byVerdict.get(available) ?? []).map((row) => printable(nameOf(row))).toSorted();
    const others = names.length > maxListed ? ` and ${names.length - maxListed} more` : '';
    const listed = names.slice(0, maxListed).join(', ');
    return names.length === 0 ? [] : [`${styleText(color, title)}: ${listed}${others}`];
  });
}

const verdicts = [
  [true, 'Available', 'green'],
  [false, 'Taken', 'red'],
  [null, 'Without a verdict', 'yellow'],
] as const;

function formatRow(row: CheckRow, nameWidth: number): string {
  const color = row.available === null ? 'yellow' : row.available ? 'green' : 'red';
  const status = printable(row.status).replaceAll('_', ' ');
  const note = noteOf(row);

  return [
    printable(nameOf(row)).padEnd(nameWidth),
    styleText(color, note ? status.padEnd(statusWidth) : status),
    ...(note ? [styleText('dim', note)] : []),
  ].join('  ');
}

/** Returns the name for display. An internationalized name is followed by its A-label form. */
function nameOf({ domain, status }: CheckRow): string {
  const unicodeName = status === 'invalid' ? domain : toUnicodeName(domain);
  return unicodeName === domain ? domain : `${unicodeName} (${domain})`;
}

function noteOf(row: CheckRow): string {
  const { reason, detail, input, confidence, cached, stale, cautions = [] } = row;
  if (reason !== undefined) {
    if (detail === undefined) return describeReason(reason);
    const parsed = parseEntry(input);
    const suggestion = 'problem' in parsed ? parsed.problem.suggestion : undefined;
    const text =
      reason === 'invalid_name' ? withHint({ message: detail, suggestion }, input) : detail;
    return printable(`${text} (${reason})`);
  }

  const notes = [
    confidence === 'heuristic' && 'heuristic, from a WHOIS text',
    stale ? 'cached, because the registry failed' : cached && 'cached',
    detail !== undefined && printable(detail),
    ...cautions.map((caution) => printable(caution.detail)),
  ];

  return notes.filter((note) => note !== false).join('; ');
}

/** Returns the title of a problem code. A gateway may be newer and send one that is not in the table. */
function describeReason(code: string): string {
  const titles: Readonly<Record<string, { readonly title: string }>> = problems;
  const title = Object.hasOwn(titles, code) ? titles[code]?.title : undefined;
  return title === undefined ? printable(code) : `${title} (${code})`;
}

function summaryOf(rows: readonly CheckRow[]): string {
  const count = (available: boolean | null) =>
    rows.filter((row) => row.available === available).length;
  const unknown = count(null);

  return [
    `${count(true)} available`,
    `${count(false)} taken`,
    ...(unknown > 0 ? [`${unknown} without a verdict`] : []),
  ].join(', ');
}

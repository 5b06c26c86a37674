import { printable } from '../../shared/printable.ts';

/** Returns rows as columns of text, aligned. */
export function formatTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [headers, ...rows];
  const widths = headers.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const padCells = (line: readonly string[]) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');

  return lines.map((line) => printable(padCells(line).trimEnd())).join('\n');
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { isMet, type Figure, type Spread, type Target } from './figures.ts';

const path = join(import.meta.dirname, 'last-run.json');

/** The last result of each figure, with date and machine. */
export type SavedFigures = Readonly<
  Record<string, Figure & { readonly at: string; readonly machine: string }>
>;

/** Reads the saved results; none if there is no file. */
export function readSavedFigures(): SavedFigures {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** Saves figures, and replaces earlier ones. */
export function saveFigures(figures: readonly Figure[], saved: SavedFigures): void {
  const stamp = {
    at: new Date().toISOString(),
    machine: `${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}`,
  };
  const measured = Object.fromEntries(
    figures.map((figure) => [figure.id, { ...figure, ...stamp }]),
  );
  writeFileSync(path, `${JSON.stringify({ ...saved, ...measured }, rounded, 2)}\n`);
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/**
 * Formats figures as a table with median, range, target and the previous result, followed by notes.
 */
export function tableOf(figures: readonly Figure[], saved: SavedFigures): string {
  const heads = ['', 'what', 'gateway', 'baseline', '', 'ratio', 'min–max', 'target', 'before'];
  const rows = figures.map((figure) => [
    isMet(figure) ? '✓' : '✗',
    figure.what,
    formatNumber(figure.gateway.median),
    figure.baseline ? formatNumber(figure.baseline.median) : '–',
    figure.unit,
    figure.baseline ? formatNumber(figure.ratio.median) : '–',
    formatRange(figure.ratio),
    formatTarget(figure.target),
    formatNumber(saved[figure.id]?.ratio.median),
  ]);
  const notes = figures.flatMap(({ what, note }) =>
    note === undefined ? [] : [`${what}: ${note}`],
  );
  return [...aligned([heads, ...rows]), '', ...notes].join('\n');
}

function aligned(lines: readonly (readonly string[])[]): readonly string[] {
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function formatTarget(target: Target): string {
  if ('atMost' in target) return `≤ ${target.atMost}`;
  return `≥ ${target.atLeast}${target.aim === undefined ? '' : `, aim ${target.aim}`}`;
}

function formatRange({ min, max }: Spread): string {
  return `${formatNumber(min)}–${formatNumber(max)}`;
}

/** Formats a number with three significant digits. */
function formatNumber(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 1000
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { isMet, type Figure, type Spread, type Target } from './figures.ts';

const path = join(import.meta.dirname, 'last-run.json');

/** What is kept of earlier runs: each figure as it was last measured, and where and when. */
export type SavedFigures = Readonly<
  Record<string, Figure & { readonly at: string; readonly machine: string }>
>;

export function readSavedFigures(): SavedFigures {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** Keeps figures in the place of earlier ones. */
export function saveFigures(figures: readonly Figure[], kept: SavedFigures): void {
  const stamp = {
    at: new Date().toISOString(),
    machine: `${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}`,
  };
  const measured = Object.fromEntries(
    figures.map((figure) => [figure.id, { ...figure, ...stamp }]),
  );
  writeFileSync(path, `${JSON.stringify({ ...kept, ...measured }, inBrief, 2)}\n`);
}

function inBrief(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/** The figures as a table: the middle of the rounds and how far they lie apart, the target, and what it was before. Notes follow. */
export function tableOf(figures: readonly Figure[], kept: SavedFigures): string {
  const heads = ['', 'what', 'gateway', 'baseline', '', 'ratio', 'min–max', 'target', 'before'];
  const rows = figures.map((figure) => [
    isMet(figure) ? '✓' : '✗',
    figure.what,
    short(figure.gateway.median),
    figure.baseline ? short(figure.baseline.median) : '–',
    figure.unit,
    figure.baseline ? short(figure.ratio.median) : '–',
    rangeOf(figure.ratio),
    wanted(figure.target),
    short(kept[figure.id]?.ratio.median),
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

function wanted(target: Target): string {
  if ('atMost' in target) return `≤ ${target.atMost}`;
  return `≥ ${target.atLeast}${target.aim === undefined ? '' : `, aim ${target.aim}`}`;
}

function rangeOf({ min, max }: Spread): string {
  return `${short(min)}–${short(max)}`;
}

/** Three digits tell enough. */
function short(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 1000
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

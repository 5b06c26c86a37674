import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { toUnicodeName } from '../domain/domain-name.ts';
import { problems } from '../domain/problems.ts';
import { printable } from '../shared/printable.ts';
import type { CheckRow } from './lookups.ts';
import { withHint } from './name-arguments.ts';
import type { RowWriter } from './row-writer.ts';

const maxNameWidth = 40;
const statusWidth = 'pending delete'.length;

/** Shows rows as they arrive, with a line below them that counts those that have arrived. */
export class TerminalRows implements RowWriter {
  readonly #terminal: WriteStream;
  readonly #total: number;
  readonly #nameWidth: number;
  readonly #ignoreInterruption: () => void;
  #count = 0;

  constructor(terminal: WriteStream, names: readonly string[]) {
    this.#terminal = terminal;
    this.#total = names.length;
    const longest = names.reduce((width, { length }) => Math.max(width, length), 0);
    this.#nameWidth = Math.min(longest, maxNameWidth);
    this.#ignoreInterruption = onInterruption(() => this.#clearProgress());
    this.#showProgress();
  }

  write(row: CheckRow, isShown: boolean): void {
    this.#count += 1;
    this.#clearProgress();
    if (isShown) this.#terminal.write(`${formatRow(row, this.#nameWidth)}\n`);
    this.#showProgress();
  }

  end(rows: readonly CheckRow[]): void {
    this.#clearProgress();
    if (rows.length > 1) this.#terminal.write(`\n${styleText('dim', summaryOf(rows))}\n`);
  }

  [Symbol.dispose](): void {
    this.#clearProgress();
    this.#ignoreInterruption();
  }

  #showProgress(): void {
    if (this.#count === this.#total) return;
    this.#terminal.write(styleText('dim', `${this.#count} of ${this.#total}`));
  }

  #clearProgress(): void {
    cursorTo(this.#terminal, 0);
    clearLine(this.#terminal, 0);
  }
}

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
    const text = reason === 'invalid_name' ? withHint(detail, input) : detail;
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

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `restore` when a signal ends the process, which it then does as by default, so that a shell
 * script ends too. Returns a function that removes the handler.
 */
function onInterruption(restore: () => void): () => void {
  const handle = (signal: NodeJS.Signals) => {
    remove();
    restore();
    process.kill(process.pid, signal);
  };
  const remove = () => signals.forEach((signal) => process.off(signal, handle));
  for (const signal of signals) process.on(signal, handle);
  return remove;
}

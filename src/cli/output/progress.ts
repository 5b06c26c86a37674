import { clearLine, cursorTo } from 'node:readline';
import { styleText } from 'node:util';
import { systemClock } from '../../clock.ts';
import type { Output } from '../surroundings.ts';

/** Before this time, the rows that have arrived may all be from the cache. */
const minElapsedMs = 2000;

/**
 * A line on stderr with how many rows have arrived, and how long the rest will take; none if stderr is
 * no terminal. It is cleared while something else is written, and if the process is interrupted.
 */
export class Progress implements Disposable {
  readonly #terminal: Output;
  readonly #total: number;
  readonly #startedAt = systemClock.elapsed();
  readonly #ignoreInterruption: () => void;
  #count = 0;

  constructor(total: number, stderr: Output) {
    this.#terminal = stderr;
    this.#total = total;
    this.#ignoreInterruption = onInterruption(() => this.clear());
    this.show();
  }

  /** Counts a row. */
  add(): void {
    this.#count += 1;
  }

  show(): void {
    if (!this.#isShown || this.#count === this.#total) return;
    const elapsed = systemClock.elapsed() - this.#startedAt;
    const left = (elapsed / this.#count) * (this.#total - this.#count);
    const time = this.#count > 0 && elapsed > minElapsedMs ? `, ${timeLeft(left)} left` : '';
    const text = `${this.#count} of ${this.#total}${time}`;
    this.#terminal.write(styleText('dim', text, { stream: this.#terminal }));
  }

  clear(): void {
    if (!this.#isShown) return;
    cursorTo(this.#terminal, 0);
    clearLine(this.#terminal, 0);
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#ignoreInterruption();
  }

  get #isShown(): boolean {
    return this.#terminal.isTTY === true && this.#total > 1;
  }
}

/** Returns a duration as people say it. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
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

/** The time, and waiting for it. The one place that asks the machine; tests pass a clock of their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some fixed moment, with fractions; never goes back. For durations. */
  elapsed(): number;
  /** Runs `task` once after `ms` milliseconds, or 24 days, unless the returned function is called first. Keeps no process alive. */
  after(ms: number, task: () => void): () => void;
}

/** What is longer Node would run at once; a clock that was set back makes any wait longer. */
const maxTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, maxTimeoutMs)).unref();
    return () => clearTimeout(timer);
  },
};

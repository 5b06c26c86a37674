import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** The log messages about the outage of a dependency. */
interface OutageMessages {
  readonly started: string;
  readonly continues: string;
  readonly ended: string;
}

/**
 * Logs the outage of a dependency: a line when it starts, one a minute with the number of calls that
 * failed, and one when it ends. Errors with `isReported` are not logged elsewhere. `endsWhenQuiet`:
 * it ends after a minute without failures.
 */
export class OutageLog {
  readonly #messages: OutageMessages;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #endsWhenQuiet: boolean;
  #startedAt: number | undefined;
  #failures = 0;
  #cancel: (() => void) | undefined;

  constructor(messages: OutageMessages, log: Log, clock: Clock, endsWhenQuiet = false) {
    this.#messages = messages;
    this.#log = log;
    this.#clock = clock;
    this.#endsWhenQuiet = endsWhenQuiet;
  }

  /** Counts a failed call. The first one starts the outage. Returns an error that is not logged elsewhere. */
  fail(cause: unknown): Error {
    this.#failures += 1;
    const { started } = this.#messages;
    if (this.#startedAt === undefined) {
      this.#startedAt = this.#clock.elapsed();
      this.#log.error({ reason: reasonOf(cause) }, started);
      this.#log.debug({ err: cause }, started);
      this.#scheduleLine();
    }

    return Object.assign(new Error(started, { cause }), { isReported: true });
  }

  /** Ends the outage if there is one. */
  end(): void {
    if (this.#startedAt === undefined) return;
    this.#log.info(this.#counts(this.#startedAt), this.#messages.ended);
    this.stop();
  }

  /** Forgets the outage without a line. */
  stop(): void {
    this.#cancel?.();
    this.#startedAt = undefined;
    this.#failures = 0;
  }

  #scheduleLine(): void {
    const before = this.#failures;
    this.#cancel = this.#clock.after(intervalMs, () => {
      if (this.#startedAt === undefined) return;
      if (this.#endsWhenQuiet && this.#failures === before) return this.end();
      this.#log.error(this.#counts(this.#startedAt), this.#messages.continues);
      this.#scheduleLine();
    });
  }

  #counts(startedAt: number) {
    const seconds = Math.round((this.#clock.elapsed() - startedAt) / 1000);
    return { seconds, failures: this.#failures };
  }
}

const intervalMs = 60_000;

/** Returns the message of an error and of its causes, in one line without a stack trace. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node reports a refused connection to a host with several addresses without a message.
  const message = error.message || ('code' in error ? String(error.code) : error.name);
  return error.cause === undefined ? message : `${message}: ${reasonOf(error.cause)}`;
}

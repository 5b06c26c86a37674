import type { Clock } from '../../clock.ts';
import type { FailureKind } from '../../domain/answer.ts';
import type { HostStatus } from '../../domain/host-status.ts';
import { Problem } from '../../domain/problems.ts';
import type { RequestOutcome } from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import type { HostQueue } from './host-queue.ts';
import type { HostQueues } from './host-queues.ts';
import type { Permit, RequestQueue } from './request-queue.ts';

/** Records the outcomes of requests to registry hosts. */
interface RequestMetrics {
  /** Records a request that was not sent: its deadline could not be met, or it was blocked. */
  recordRejected(host: string): void;
  recordCompleted(host: string, outcome: OutcomeLabel, ms: number): void;
}

/** `invalid`: an inconclusive response, or a status such as 400 or 403; `error`: no usable HTTP response. */
type OutcomeLabel = 'answered' | 'invalid' | 'error' | Exclude<FailureKind, 'down'>;

/** Wraps host queues to record the outcome and the duration of each request, and log failures. */
export class InstrumentedQueues {
  readonly #queues: HostQueues;
  readonly #clock: Clock;
  readonly #metrics: RequestMetrics;
  readonly #failures: FailureLog;
  /** The queues of registries by host, which all their base URLs share. */
  readonly #registries = new Map<string, HostQueue>();
  readonly #byBaseUrl = new Map<string, RequestQueue>();

  constructor(queues: HostQueues, clock: Clock, metrics: RequestMetrics, log: Log) {
    this.#queues = queues;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#failures = new FailureLog(log, clock);
  }

  /** Logs the failures that are not logged yet. */
  stop(): void {
    this.#failures.stop();
  }

  /** Returns the queue of a registry, labelled with its host. */
  registryQueue(baseUrl: string): RequestQueue {
    const existing = this.#byBaseUrl.get(baseUrl);
    if (existing) return existing;

    const { host } = new URL(baseUrl);
    const queue = this.#queues.registryQueue(baseUrl);
    const instrumented = this.#instrument(queue, host);
    this.#registries.set(host, queue);
    this.#byBaseUrl.set(baseUrl, instrumented);
    return instrumented;
  }

  /** Returns the queue of the servers of a parent zone. All zones share one label. */
  zoneQueue(url: string): RequestQueue {
    return this.#instrument(this.#queues.ephemeralQueue(url), 'dns');
  }

  /** Returns the queue of a registrar's host. There are thousands, so all share one label. */
  registrarQueue(url: string): RequestQueue {
    return this.#instrument(this.#queues.ephemeralQueue(url), 'registrars');
  }

  /** Returns the queue of a redirect target. All hosts that are not registries share one label. */
  redirectQueue(url: string): RequestQueue {
    const { host } = new URL(url);
    return this.#registries.has(host)
      ? this.#instrument(this.#queues.registryQueue(url), host)
      : this.#instrument(this.#queues.ephemeralQueue(url), 'redirected');
  }

  /** Returns the status of every registry host queried so far. */
  *hostStatuses(): Iterable<readonly [host: string, status: HostStatus]> {
    for (const [host, queue] of this.#registries) yield [host, queue.status()];
  }

  #instrument(queue: RequestQueue, host: string): RequestQueue {
    return {
      acquire: (name, request) => {
        const acquired = queue.acquire(name, request);
        return acquired instanceof Promise
          ? acquired.then((permit) => this.#measure(permit, host))
          : this.#measure(acquired, host);
      },
      backgroundIntervalMs: () => queue.backgroundIntervalMs(),
    };
  }

  #measure(permit: Permit | Problem, host: string): Permit | Problem {
    if (permit instanceof Problem) {
      this.#metrics.recordRejected(host);
      return permit;
    }

    const sentAt = this.#clock.elapsed();
    let durationMs: number | undefined;

    return {
      recordResponse: () => {
        durationMs = this.#clock.elapsed() - sentAt;
        return permit.recordResponse();
      },
      end: (outcome) => {
        permit.end(outcome);
        const label = outcomeLabelOf(outcome);
        const ms = durationMs ?? this.#clock.elapsed() - sentAt;
        this.#metrics.recordCompleted(host, label, ms);
        if (label === 'answered') this.#failures.countAnswered(host);
        else this.#failures.count(host, outcome.problem?.code ?? label);
      },
    };
  }
}

function outcomeLabelOf({ failure, problem }: RequestOutcome): OutcomeLabel {
  if (failure === 'down') return 'error';
  const isAnswered = !problem || problem.code === 'not_delegated';
  return failure ?? (isAnswered ? 'answered' : 'invalid');
}

interface Host {
  /** Failures in this minute. */
  failures: number;
  /** Whether the last request was answered. */
  isBack: boolean;
}

/**
 * Logs failed requests to registries: the first failures of up to three hosts a minute at once, then
 * one line a minute with the failures of all hosts, and one with the hosts that answer again.
 */
export class FailureLog {
  readonly #log: Log;
  readonly #clock: Clock;
  /** The hosts whose failures were logged or are counted. */
  readonly #hosts = new Map<string, Host>();
  /** Problem code of the last failure. */
  #code = '';
  #linesLeft = maxFirstLines;
  #cancel: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Counts a failed request. `code` is its problem code. */
  count(host: string, code: string): void {
    this.#cancel ??= this.#clock.after(intervalMs, () => this.#endMinute());
    const known = this.#hosts.get(host);
    this.#hosts.set(host, { failures: (known?.failures ?? 0) + 1, isBack: false });
    this.#code = code;
    if (known || this.#linesLeft === 0) return;

    this.#linesLeft -= 1;
    this.#hosts.set(host, { failures: 0, isBack: false });
    this.#log.info({ host, failures: 1, code }, 'Requests to a registry failed.');
  }

  /** Records a request that was answered. */
  countAnswered(host: string): void {
    const known = this.#hosts.get(host);
    if (known) known.isBack = true;
  }

  /** Logs the failures that are not logged yet. */
  stop(): void {
    this.#cancel?.();
    this.#writeFailures();
    this.#hosts.clear();
  }

  #endMinute(): void {
    this.#writeFailures();
    const back = Array.from(this.#hosts).filter(([, { isBack, failures }]) => isBack && !failures);
    for (const [host] of back) this.#hosts.delete(host);
    if (back.length > 0)
      this.#log.info(listed(back.map(([host]) => host)), 'Registries answer again.');
    for (const known of this.#hosts.values()) known.failures = 0;
    this.#linesLeft = maxFirstLines;
    this.#cancel =
      this.#hosts.size > 0 ? this.#clock.after(intervalMs, () => this.#endMinute()) : undefined;
  }

  #writeFailures(): void {
    const failing = Array.from(this.#hosts)
      .filter(([, { failures }]) => failures > 0)
      .toSorted(([, a], [, b]) => b.failures - a.failures);
    if (failing.length === 0) return;

    const failures = failing.reduce((sum, [, host]) => sum + host.failures, 0);
    const hosts = listed(failing.map(([host]) => host));
    this.#log.info({ ...hosts, failures, code: this.#code }, 'Requests to registries failed.');
  }
}

/** Returns the first hosts, and the number of the others. */
function listed(all: readonly string[]) {
  const hosts = all.slice(0, maxListed);
  return { hosts, ...(all.length > maxListed && { others: all.length - maxListed }) };
}

const intervalMs = 60_000;
const maxFirstLines = 3;
const maxListed = 5;

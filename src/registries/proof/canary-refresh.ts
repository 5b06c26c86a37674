import type { Clock } from '../../clock.ts';
import type { RequestQueue } from '../../outbound/queues/request-queue.ts';
import { setNewest } from '../../shared/lru.ts';
import type { CanaryMonitor } from './canary-monitor.ts';

interface Host {
  /** When names of each monitor were last searched, by `clock.elapsed()`; least recent first. */
  readonly searched: Map<CanaryMonitor, number>;
  /** By `clock.elapsed()`. */
  nextCheckAt: number;
}

/** How long after a search of a TLD another one is expected. */
const inUseMs = 60_000;
const roundMs = 1000;

/**
 * Looks up the canaries of TLDs in the background while searches go on, so that no search waits for
 * them. Uses a tenth of the rate of a host, and only while no caller uses the host.
 */
export class CanaryRefresh implements Disposable {
  readonly #clock: Clock;
  readonly #queueOf: (url: string) => RequestQueue;
  /** By origin: one host may have a base URL for each TLD. */
  readonly #hosts = new Map<string, Host>();
  #cancelRound: (() => void) | undefined;
  #isDisposed = false;

  constructor(clock: Clock, queueOf: (url: string) => RequestQueue) {
    this.#clock = clock;
    this.#queueOf = queueOf;
  }

  /** Records a search of a name whose "not found" at this server depends on the canaries. */
  recordSearch(origin: string, monitor: CanaryMonitor): void {
    const host = this.#hosts.get(origin) ?? { searched: new Map(), nextCheckAt: 0 };
    this.#hosts.set(origin, host);
    setNewest(host.searched, monitor, this.#clock.elapsed());
    this.#scheduleRound();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#cancelRound?.();
  }

  #scheduleRound(): void {
    if (this.#isDisposed || this.#cancelRound || this.#hosts.size === 0) return;
    this.#cancelRound = this.#clock.after(roundMs, () => {
      this.#cancelRound = undefined;
      for (const [origin, host] of this.#hosts) this.#refresh(origin, host);
      this.#scheduleRound();
    });
  }

  /** Checks at most one monitor of a host. */
  #refresh(origin: string, host: Host): void {
    const now = this.#clock.elapsed();
    for (const [monitor, searchedAt] of host.searched)
      if (now - searchedAt >= inUseMs) host.searched.delete(monitor);
    if (host.searched.size === 0) return void this.#hosts.delete(origin);
    if (now < host.nextCheckAt) return;

    const due = Array.from(host.searched.keys()).find((monitor) => monitor.needsRefresh);
    const intervalMs = due && this.#queueOf(origin).backgroundIntervalMs();
    if (intervalMs === undefined) return;

    host.nextCheckAt = now + intervalMs;
    due?.refresh();
  }
}

import { Pool, type Dispatcher } from 'undici';
import { poolOptions, type DispatcherOptions } from './dispatcher.ts';

const maxIdleHosts = 64;
/** Applies even if a server's `Keep-Alive` header allows more. */
const keepAliveMs = 5000;

interface Host {
  readonly pool: Pool;
  inFlight: number;
}

/**
 * Holds the sockets to hosts that are not in the directory: registrars and redirect targets. Their
 * number is unbounded and most are contacted once, so the sockets of an idle host are closed after
 * five seconds, or earlier, least recently used first, if more than 64 hosts are idle.
 */
export class EphemeralPools implements Pick<Dispatcher, 'dispatch'> {
  readonly #options: Pool.Options;
  readonly #hosts = new Map<string, Host>();
  /** The origins of hosts without a request in flight, least recently used first. */
  readonly #idle = new Set<string>();
  #isDestroyed = false;

  constructor(options: DispatcherOptions) {
    this.#options = {
      ...poolOptions(options),
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
    };
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(request.origin);
    const host = this.#hosts.get(origin) ?? this.#open(origin);
    this.#idle.delete(origin);
    host.inFlight += 1;
    return host.pool.dispatch(request, {
      ...handler,
      onResponseEnd: (controller, trailers) => {
        handler.onResponseEnd?.(controller, trailers);
        this.#onEnd(origin, host);
      },
      onResponseError: (controller, error) => {
        handler.onResponseError?.(controller, error);
        this.#onEnd(origin, host);
      },
    });
  }

  /** Aborts requests in flight and closes all sockets. Later requests fail. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    const hosts = [...this.#hosts.values()];
    this.#hosts.clear();
    await Promise.all(hosts.map(({ pool }) => pool.destroy()));
  }

  #open(origin: string): Host {
    if (this.#isDestroyed) throw new Error('The sockets are closed.');
    const host = { pool: new Pool(origin, this.#options), inFlight: 0 };
    this.#hosts.set(origin, host);
    host.pool.on('disconnect', () => {
      if (host.inFlight === 0 && host.pool.stats.connected === 0) this.#close(origin, host);
    });
    return host;
  }

  #onEnd(origin: string, host: Host): void {
    host.inFlight -= 1;
    if (host.inFlight > 0) return;
    if (host.pool.stats.connected === 0) return this.#close(origin, host);
    this.#idle.add(origin);
    const [longestIdle] = this.#idle;
    const evicted =
      longestIdle === undefined || this.#idle.size <= maxIdleHosts
        ? undefined
        : this.#hosts.get(longestIdle);
    if (longestIdle !== undefined && evicted) this.#close(longestIdle, evicted);
  }

  #close(origin: string, host: Host): void {
    if (this.#hosts.get(origin) !== host) return;
    this.#hosts.delete(origin);
    this.#idle.delete(origin);
    void host.pool.close();
  }
}

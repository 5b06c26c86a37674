import { lookup } from 'node:dns/promises';
import type { Clock } from '../clock.ts';
import type { Source } from '../domain/source.ts';

const graceMs = 500;

/** A part that needs the network. */
interface NetworkUser {
  /** When it first failed to reach any server, if it still cannot; epoch ms. */
  readonly unreachableSince: number | undefined;
}

/**
 * Determines whether the gateway can reach the network from what its parts observe, without
 * requests of its own: the network is unreachable if a part could not reach any server and no
 * registry has answered since.
 */
export class NetworkStatus {
  readonly #clock: Clock;
  readonly #users: readonly NetworkUser[];
  #answeredAt = -Infinity;

  constructor(clock: Clock, users: readonly NetworkUser[]) {
    this.#clock = clock;
    this.#users = users;
  }

  get isReachable(): boolean {
    return this.#users.every(
      ({ unreachableSince }) =>
        unreachableSince === undefined || this.#answeredAt >= unreachableSince,
    );
  }

  /**
   * Resolves to whether no name server knows any of these hosts, and no registry has answered for
   * almost a second after that. Never rejects.
   */
  async isOffline(hosts: readonly string[]): Promise<boolean> {
    const found = await Promise.allSettled(hosts.map((host) => lookup(host)));
    const isUnknown = (result: (typeof found)[number]) =>
      result.status === 'rejected' && ['ENOTFOUND', 'EAI_AGAIN'].includes(result.reason.code);
    if (hosts.length === 0 || !found.every(isUnknown)) return false;
    await new Promise<void>((resolve) => void this.#clock.after(graceMs, resolve));
    return this.#answeredAt === -Infinity;
  }

  /** Returns a source that records each verdict of `source` as an answer from the network. */
  observed(source: Source): Source {
    return {
      id: source.id,
      lookup: async (query, request) => {
        const answer = await source.lookup(query, request);
        if (answer.data) this.#answeredAt = this.#clock.now();
        return answer;
      },
    };
  }
}

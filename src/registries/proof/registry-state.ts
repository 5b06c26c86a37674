import type { FoundSuffixes } from '../directory/suffix-sources.ts';
import type { ServerTrust } from '../../domain/catalogue.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import { CanaryMonitor, type CanaryResult } from './canary-monitor.ts';
import { canaryNames, hasWellKnownNames } from './canary-names.ts';
import type { MonitorOptions } from './monitor.ts';
import { getOrInsert } from '../../shared/memoize.ts';

interface RegistryStateOptions extends Omit<MonitorOptions, 'key' | 'onFailing'> {
  /** Looks a canary up at a server. Never rejects. */
  readonly lookUpCanary: (baseUrl: string, canary: DomainName) => Promise<CanaryResult>;
}

const suffixPrefix = 'suffix:';
const canaryPrefix = 'canaries:';

/**
 * Holds and persists what has been learned about registries: the state of their canaries, and the
 * suffixes for which they have found names. State that cannot be read or stored is learned again.
 */
export class RegistryState {
  readonly #options: RegistryStateOptions;
  /** By base URL and entry. */
  readonly #monitors = new Map<string, Map<string, CanaryMonitor>>();
  /** Entries have the form `suffix baseUrl`: the server has found names under the suffix. */
  readonly #suffixes = new Set<string>();

  private constructor(options: RegistryStateOptions) {
    this.#options = options;
  }

  static async load(options: RegistryStateOptions): Promise<RegistryState> {
    const state = new RegistryState(options);
    const [suffixes, canaries] = await Promise.all([
      state.#read(suffixPrefix),
      state.#read(canaryPrefix),
    ]);
    for (const suffix of suffixes.keys()) state.#suffixes.add(suffix);

    // All monitors are created at startup: a name found by one server of a TLD must be found by the
    // others.
    for (const [key, initial] of canaries) {
      const [entry = '', baseUrl = ''] = key.split(' ');
      state.#addMonitor(baseUrl, entry, initial);
    }

    return state;
  }

  /** The multi-label suffixes under which servers have found names. */
  get suffixes(): FoundSuffixes {
    // Per server: a suffix found at one server does not make another server's 404s count.
    return {
      has: (suffix, baseUrl) => this.#suffixes.has(`${suffix} ${baseUrl}`),
      add: (suffix, baseUrl) => {
        this.#suffixes.add(`${suffix} ${baseUrl}`);
        void this.#storeSuffix(`${suffix} ${baseUrl}`);
      },
    };
  }

  /** Returns the canary monitor of a server for a directory entry. */
  canaryMonitor(baseUrl: string, entry: string): CanaryMonitor {
    return this.#monitors.get(baseUrl)?.get(entry) ?? this.#addMonitor(baseUrl, entry);
  }

  /** Returns how far the 404s of each server are trusted, for each directory entry. */
  *trust(): Iterable<ServerTrust> {
    for (const [endpoint, byEntry] of this.#monitors)
      for (const [suffix, { trust }] of byEntry) yield { endpoint, suffix, trust };
  }

  #addMonitor(baseUrl: string, entry: string, stored: object | null = null): CanaryMonitor {
    const { lookUpCanary, ...options } = this.#options;
    const serverMonitors = getOrInsert(this.#monitors, baseUrl, () => new Map());

    const otherEntries = () =>
      Array.from(serverMonitors.values()).filter((monitor) => monitor !== own);

    const otherServers = () =>
      Array.from(this.#monitors.values(), (byEntry) => byEntry.get(entry) ?? [])
        .flat()
        .filter((other) => other !== own);

    const own: CanaryMonitor = new CanaryMonitor(
      {
        ...options,
        key: `${canaryPrefix}${entry} ${baseUrl}`,
        candidates: () => [
          ...otherServers().flatMap(({ canaries }) => canaries.slice(0, 2)),
          ...canaryNames(entry),
        ],
        lookUp: (canary) => lookUpCanary(baseUrl, canary),
        mustFind: () =>
          hasWellKnownNames(entry) ||
          [...otherEntries(), ...otherServers()].some(({ hasProof }) => hasProof),
        onFailing: () => {
          options.log.warn(
            { server: baseUrl, entry },
            'The registry no longer finds its canaries. Its 404s are ignored until it does.',
          );
          for (const other of otherEntries()) other.makeDue();
        },
      },
      stored,
    );
    serverMonitors.set(entry, own);

    return own;
  }

  /**
   * Returns all values whose keys start with `prefix`, by the rest of the key. Empty if the read
   * fails.
   */
  async #read(prefix: string): Promise<Map<string, object>> {
    try {
      const stored = await this.#options.store.read(prefix);
      return new Map(
        Array.from(stored, ([key, value]) => [
          key.slice(prefix.length),
          JSON.parse(value) as object,
        ]),
      );
    } catch (error) {
      this.#options.log.error({ err: error }, 'Failed to read registry state. Check the store.');
      return new Map();
    }
  }

  async #storeSuffix(suffix: string): Promise<void> {
    try {
      await this.#options.store.put(`${suffixPrefix}${suffix}`, 'true');
    } catch (error) {
      this.#options.log.error({ err: error }, 'Failed to store registry state. Check the store.');
    }
  }
}

import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/lru.ts';
import { withTimeLimit, type Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import { Problem } from '../../domain/problems.ts';
import { failedAnswer, withProvenance, type Answer } from '../../domain/answer.ts';
import type { AttemptRequest, NameQuery, Source } from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import { isPublicAddress } from '../../outbound/public-address.ts';
import type { Chance } from '../chance.ts';
import { Reachability } from './reachability.ts';
import { ServerHealth } from './server-health.ts';
import { networkExchange, type DnsServer, type DnsExchange } from './transport.ts';
import type { Zone } from './zone-query.ts';
import {
  systemZoneResolver,
  type ZoneResolver,
  ZoneServers,
  type ZoneSearch,
} from './zone-servers.ts';
import { maxLookupMs, ZoneCutFound, ZoneSource, type ZoneSourceOptions } from './zone-source.ts';

export interface DnsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Returns the servers that the operator names for the zone of a suffix; undefined to find them
   * with the system resolver.
   */
  readonly serversOf: (suffix: string) => readonly DnsServer[] | undefined;
  /** Allows private addresses of servers that the operator names. */
  readonly allowPrivate: boolean;
  /** Adds a host queue to the source of a zone. */
  readonly throttled: (source: Source) => Source;
  /** How many delegations of a zone count on this node between two controls of the zone. */
  readonly maxUnverified: number;
  /** Returns names of a zone that are probably delegated. */
  readonly samplesOf: (zone: string) => readonly DomainName[];
  /** Defaults to the resolver of the system. */
  readonly resolver?: ZoneResolver;
  /** Uses the network by default. */
  readonly exchange?: DnsExchange;
  /** Chooses at random by default. */
  readonly chance?: Chance;
}

interface OpenZone {
  readonly source: ZoneSource;
  readonly throttled: Source;
}

const maxZones = 10_000;

/**
 * Looks up at the servers of the parent zone whether a name is delegated, which proves that it is
 * registered. Never proves that a name is available.
 */
export class DnsSource implements Source {
  readonly id = 'dns';
  readonly #options: DnsOptions;
  readonly #zoneOptions: ZoneSourceOptions;
  readonly #reachability: Reachability;
  readonly #zoneServers: ZoneServers;
  readonly #zones = new LRUCache<string, OpenZone>(atMost(maxZones));

  constructor(options: DnsOptions) {
    const { clock, log, maxUnverified, samplesOf } = options;
    this.#options = options;
    this.#reachability = new Reachability(clock, log);
    this.#zoneServers = new ZoneServers(options.resolver ?? systemZoneResolver(), clock, (tld) =>
      this.#reachability.recordFailedDiscovery(tld),
    );
    this.#zoneOptions = {
      clock,
      exchange: options.exchange ?? networkExchange(clock),
      health: new ServerHealth(clock, options.chance),
      chance: options.chance,
      reachability: this.#reachability,
      maxUnverified,
      samplesOf,
    };
  }

  /** False while no server replies, over UDP or TCP. */
  get isReachable(): boolean {
    return this.#reachability.isReachable;
  }

  /** When it stopped working, if it still does not; epoch ms. */
  get unreachableSince(): number | undefined {
    return this.#reachability.unreachableSince;
  }

  async lookup(query: NameQuery, request: AttemptRequest): Promise<Answer> {
    const { suffix } = query.name;
    if (!this.#reachability.admit(ancestorsOf(suffix)))
      return failedAnswer(
        new Problem('registry_error', 'The DNS is unreachable. Try again later.'),
      );

    const answer = await this.#lookUpIn(this.#find(suffix), query, request);
    const cause = answer.problem?.cause;
    if (!(cause instanceof ZoneCutFound)) return answer;

    const next = this.#zoneServers.follow(cause.zoneCut);
    const final = await this.#lookUpIn(next, query, request);
    const attempts = [...answer.provenance.attempts, ...final.provenance.attempts];

    return withProvenance(final, { attempts });
  }

  async #lookUpIn(
    search: Promise<ZoneSearch>,
    query: NameQuery,
    request: AttemptRequest,
  ): Promise<Answer> {
    const found = await withTimeLimit(search, this.#timeLimit(request));
    if (!found) {
      const detail = 'The name servers of the zone were not found in time. Try again later.';
      return failedAnswer(new Problem('registry_timeout', detail));
    }

    if ('failure' in found)
      return failedAnswer(
        new Problem('registry_error', `The DNS could not be queried: ${found.failure}.`),
      );

    const answer = await this.#open(found.zone).throttled.lookup(query, request);
    const attempts = answer.provenance.attempts.map(
      (attempt) => ({ ...attempt, source: 'dns' }) as const,
    );

    return withProvenance(answer, { endpoint: `dns://${found.zone.name}/`, attempts });
  }

  #timeLimit({ timeLimitMs = maxLookupMs, responseDeadline = Infinity, signal }: AttemptRequest) {
    const { clock } = this.#options;
    return { clock, ms: Math.min(timeLimitMs, responseDeadline - clock.now()), signal };
  }

  async #find(suffix: string): Promise<ZoneSearch> {
    const named = this.#options.serversOf(suffix);
    if (!named) return this.#zoneServers.find(suffix);

    const { allowPrivate } = this.#options;
    const servers = named.filter(({ address }) => allowPrivate || isPublicAddress(address));

    return servers.length > 0
      ? { zone: { name: suffix, servers, soaOwners: ancestorsOf(suffix) } }
      : { failure: `the servers configured for ${suffix} have no public address` };
  }

  #open(zone: Zone): OpenZone {
    // A zone whose servers the operator names may refer to the same zone at other servers.
    const key = zone.soaOwners.join(' ');
    const existing = this.#zones.get(key);
    if (existing) {
      existing.source.update(zone);
      return existing;
    }

    const source = new ZoneSource(zone, this.#zoneOptions);
    const opened = { source, throttled: this.#options.throttled(source) };
    this.#zones.set(key, opened);

    return opened;
  }
}

/**
 * Returns a suffix and the suffixes above it. Servers that the operator names for a suffix may serve
 * it as part of one of these zones.
 */
function ancestorsOf(suffix: string): readonly string[] {
  const labels = suffix.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

import type { Answer, StoredAnswer } from '../domain/answer.ts';
import { parseDomainName, splitName, type DomainName } from '../domain/names/domain-name.ts';
import type { Policy } from '../domain/policy.ts';
import type { LookupRequest } from '../domain/source.ts';
import type { LookupOutcome } from '../lookup/lookup-outcome.ts';
import { createLog, type Log } from '../log.ts';
import { createHttpClient } from '../outbound/client.ts';
import { SendPriority } from '../outbound/queues/send-priority.ts';
import type { RecordedFacts, Judgment, Payload } from '../receipts/payload.ts';
import { Player } from '../receipts/player.ts';
import type { Edge } from '../receipts/recorder.ts';
import { judge, outcomeOf } from '../receipts/judge.ts';
import { seededChance } from '../registries/chance.ts';
import { SingleFlight } from '../registries/cache/single-flight.ts';
import { nameForm } from '../registries/cache/store.ts';
import { ControlledServers } from '../registries/controlled-servers.ts';
import type { SuffixSources } from '../registries/directory/suffix-sources.ts';
import { DnsSource } from '../registries/dns/dns-source.ts';
import { NetworkStatus } from '../registries/network-status.ts';
import { sampleNames } from '../registries/proof/canary-names.ts';
import { CanaryRefresh } from '../registries/proof/canary-refresh.ts';
import { canaryStateForm } from '../registries/proof/canary-state.ts';
import { toStored } from '../registries/proof/monitor-state.ts';
import type { QueryOptions } from '../registries/query-options.ts';
import { createParserErrorLogger } from '../registries/rdap/rdap-exchange.ts';
import { loadRegistryState } from '../registries/load-registry-state.ts';
import { Registries } from '../registries/registries.ts';
import { throttledSource } from '../registries/throttled.ts';
import type { WhoisService } from '../registries/whois/whois-format.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import { openTracing } from '../tracing/open.ts';
import { userAgent } from './clients.ts';

/** A lookup that depends on nothing but facts, a seed and what enters through an edge. */
export interface RecordedLookup {
  readonly domain: DomainName;
  readonly facts: RecordedFacts;
  readonly seed: string;
  readonly edge: Edge;
  readonly log: Log;
}

/**
 * Looks a name up with the sources of the gateway. They know nothing but the facts, so every control
 * that counts is made now. Never rejects, unless the facts are invalid.
 */
export async function lookUpRecorded(
  lookup: RecordedLookup,
  request: Pick<LookupRequest, 'signal' | 'account' | 'queueDeadline'>,
): Promise<Answer> {
  const { domain, facts } = lookup;
  const { registries, sources } = await openSources(lookup);
  const { stored } = facts;
  const query = {
    name: splitName(domain),
    detail: 'verdict' as const,
    maxAge: 0,
    ...(stored && { cached: storedAnswer(domain, stored) }),
  };
  const registry = registries.registryFor(sources);

  return registry.lookup(query, { ...request, priority: 'single' });
}

async function openSources({ domain, facts, seed, edge, log }: RecordedLookup) {
  const { clock, queueOf } = edge;
  const store = await seededStore(domain, facts);

  const query: QueryOptions = {
    ...edge,
    client: createHttpClient({ ...edge, userAgent }),
    log,
    timeoutMs: facts.timeout_ms,
    // What is not allowed was rejected at the edge, and servers that the operator names when it started.
    allowPrivate: true,
    maxUnverified: facts.max_unverified,
    tracing: await openTracing(clock),
    sendPriority: new SendPriority(clock),
    onParserError: createParserErrorLogger(log),
    chance: seededChance(seed),
  };

  const servers = facts.dns?.servers;
  const samples = facts.dns?.samples?.map((name) => parseDomainName(name));
  const dns = new DnsSource({
    ...query,
    serversOf: () => servers?.map(({ host, port }) => ({ address: host, port })),
    throttled: (zone) => throttledSource(zone, query),
    samplesOf: (zone) => samples ?? sampleNames(zone),
  });

  const registries = new Registries(
    {
      query,
      known: { current: knownOf(facts) },
      policyOf: () => facts.policy as Policy,
      controlled: new ControlledServers(store, query),
      dns,
      network: new NetworkStatus(clock, []),
      canaryRefresh: new CanaryRefresh(clock, queueOf),
      builtIn: new Map(),
      cache: {
        store,
        form: nameForm,
        singleFlight: new SingleFlight(clock),
        storesRecords: false,
        retentionSeconds: Infinity,
        clock,
        log,
      },
    },
    await loadRegistryState(store, query),
  );

  return { registries, sources: sourcesOf(facts) };
}

/** Returns a store with what the facts say about RDAP servers. */
async function seededStore(
  domain: DomainName,
  { entry, learned }: RecordedFacts,
): Promise<MemoryAnswers> {
  const store = new MemoryAnswers();
  for (const server of learned) {
    const { base_url: baseUrl, canaries, has_found_suffix: hasFound, must_find: mustFind } = server;
    const put = (suffix: string, found: readonly DomainName[]) => {
      const state = toStored({ ...canaryStateForm.initial, canaries: found }, canaryStateForm);
      return store.put(`canaries:${suffix} ${baseUrl}`, JSON.stringify(state));
    };

    if (canaries.length > 0)
      await put(
        entry,
        canaries.map((name) => parseDomainName(name)),
      );
    // A server that has found names of another suffix.
    if (mustFind) await put('-', [domain]);
    if (hasFound) await store.put(`suffix:${splitName(domain).suffix} ${baseUrl}`, 'true');
  }

  return store;
}

/** Returns a directory in which nothing but the entry of the name is known. */
function knownOf({ entry, dns }: RecordedFacts) {
  const servers = dns ? dns.servers && { dns: dns.servers } : { dns: null };
  const settings = {
    suffixes: new Set([entry]),
    hasPolicies: false,
    of: () => ({ rdap: null, das: null, ...servers }),
  };
  const [bootstrap, overrides, tlds] = [new Map(), new Map(), new Set([entry])];

  return { bootstrap, overrides, settings, usesWhois: false, tlds };
}

function sourcesOf({ rdap, das, whois, dns }: RecordedFacts): SuffixSources {
  const { tld, address, samples: _samples, ...service } = whois ?? { tld: '' };
  return {
    ...(rdap && {
      rdap: {
        baseUrls: rdap.base_urls as [string, ...string[]],
        trust404: rdap.trusts_not_found,
        isListed: rdap.listed,
      },
    }),
    ...(das && { das: { ...(das as object), tld: das.tld, ...samplesOf(das) } }),
    ...(whois && {
      whois: {
        tld,
        service: service as unknown as WhoisService,
        ...(address && { address }),
        ...samplesOf(whois),
      },
    }),
    dns: dns !== undefined,
  };
}

function samplesOf({ samples }: { readonly samples?: readonly string[] | undefined }) {
  return samples && { samples: samples.map((name) => parseDomainName(name)) };
}

function storedAnswer(
  domain: DomainName,
  stored: NonNullable<RecordedFacts['stored']>,
): StoredAnswer {
  const { verdict, endpoint, checked_at: checkedAt, expires_at: expiresAt } = stored;
  return {
    name: domain,
    verdict: verdict.toUpperCase() as StoredAnswer['verdict'],
    endpoint,
    checkedAt,
    isComplete: false,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const silent = createLog('silent');

/** Derives the judgment of a receipt from its recorded answers. Rejects with `ReplayError`. */
export async function derive(payload: Payload): Promise<Judgment> {
  return judge(await replay(payload));
}

/** Repeats the lookup of a receipt with its recorded answers. Rejects with `ReplayError`. */
export async function replay(payload: Payload): Promise<LookupOutcome> {
  const { domain: text, facts, seed } = payload;
  const domain = parseDomainName(text);
  const player = new Player(payload);
  const { edge } = player;
  const { signal } = new AbortController();
  const queueDeadline = Date.parse(payload.started_at) + facts.queue_timeout_ms;
  const lookup = { domain, facts, seed, edge, log: silent };
  const answer = await player.run(
    lookUpRecorded(lookup, { signal, account: 'receipt', queueDeadline }),
  );

  return outcomeOf(
    answer,
    splitName(domain),
    facts.policy as Policy,
    Date.parse(payload.created_at),
  );
}

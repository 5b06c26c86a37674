import type { CacheContext, StoredVerdict } from '../registries/cache/read-through.ts';
import type { Clock } from '../clock.ts';
import type { Entries } from '../registries/directory/directory.ts';
import { parseDomainName, type DomainName } from '../domain/names/domain-name.ts';
import { sourceKindOf } from '../domain/answer.ts';
import type { ObjectRef } from '../domain/object-ref.ts';
import type { NameQuery, Query, Registry, Source } from '../domain/source.ts';
import { sandboxDasReply, sandboxWhoisReply, startTextServer } from '../sandbox/text-server.ts';
import { startSandboxDns } from '../sandbox/dns-server.ts';
import { isSandboxObject } from '../sandbox/objects.ts';
import { startSandbox } from '../sandbox/server.ts';
import {
  contradictedSuffix,
  dasSuffix,
  dnsSuffix,
  sandboxSuffixes,
  whoisControlName,
  whoisSuffix,
} from '../sandbox/names.ts';
import { maxUnverifiedPerNode } from '../registries/proof/canary-state.ts';
import { ControlledSource } from '../registries/proof/controlled.ts';
import { combinedSource } from '../registries/combined.ts';
import { dasServiceOf } from '../registries/whois/das-services.ts';
import { dasSource } from '../registries/whois/das-source.ts';
import { DnsSource } from '../registries/dns/dns-source.ts';
import { fairShareSource } from '../registries/throttled.ts';
import { objectSource } from '../registries/rdap/object-source.ts';
import { rdapSource, trustsEvery404 } from '../registries/rdap/rdap-source.ts';
import { sourceInfos, type RegistrySource } from '../registries/registry-sources.ts';
import { retryingSource } from '../registries/retrying.ts';
import { whoisServiceOf } from '../registries/whois/whois-format.ts';
import { whoisSource } from '../registries/whois/whois-source.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import { maxSandboxConnections, type Clients } from './clients.ts';
import type { Common } from './common.ts';
import type { ObjectCache } from '../registries/object-registries.ts';
import { cacheWrapper } from '../registries/cache/cache-wrapper.ts';
import { hasDetail } from '../registries/registries.ts';
import type { QueryOptions } from '../registries/query-options.ts';
import type { SourceFacts } from '../registries/source-facts.ts';

const sandboxRetentionSeconds = 10;
const suffixesWithoutRdap: readonly string[] = [dnsSuffix, dasSuffix, whoisSuffix];
/** About 1,000 answers. */
const maxCachedCharacters = 3_000_000;

const noSandbox = { bySuffix: new Map() as Entries, objects: undefined, factsOf: () => undefined };

/** Starts the servers of the sandbox, unless `SANDBOX=off`. */
export async function buildSandbox(
  common: Common,
  clients: Clients,
  query: QueryOptions,
  cache: Omit<CacheContext, 'isUsable'>,
  objectCache: ObjectCache,
) {
  if (!common.config.SANDBOX) return noSandbox;

  const { domains: rdap, objects } = await startRdap(common, clients, query);
  const { source: das, address: dasAddress } = await startDas(common, query);
  const { source: whois, address: whoisAddress, service } = await startWhois(common, query);
  const { source: dns, servers } = await startDns(common);
  const sandboxCache = {
    store: new MemoryAnswers(maxCachedCharacters),
    retentionSeconds: sandboxRetentionSeconds,
  };
  const withCache = cacheWrapper({ ...cache, ...sandboxCache, isUsable }, common.tracing);

  const registry = (registries: readonly RegistrySource[], delegations?: Source): Registry => ({
    ...withCache(
      combinedSource({
        registries,
        dnsOf: () => delegations,
        timeoutMs: query.timeoutMs,
        clock: common.clock,
      }),
    ),
    sources: sourceInfos(registries, delegations !== undefined),
  });

  const rdapOnly = registry([rdap]);
  const bySuffix = new Map([
    ...sandboxSuffixes.map((suffix) => [suffix, rdapOnly] as const),
    [dnsSuffix, registry([], dns)],
    [dasSuffix, registry([das], dns)],
    [whoisSuffix, registry([whois], dns)],
    [contradictedSuffix, registry([rdap], dns)],
  ]);
  const withObjectCache = cacheWrapper({ ...objectCache, ...sandboxCache }, common.tracing);
  const server = withObjectCache(objects);
  const has = (ref: ObjectRef) => isSandboxObject(ref, server.id);
  const dasSources = { tld: dasSuffix, like: dasForm, address: dasAddress };
  const whoisSources = { tld: whoisSuffix, service, address: whoisAddress, samples: dnsSamples };

  const factsOf = (suffix: string): SourceFacts | undefined =>
    bySuffix.has(suffix)
      ? {
          entry: suffix,
          ...(!suffixesWithoutRdap.includes(suffix) && {
            rdap: { baseUrls: [rdap.source.id], trust404: true, isListed: true },
          }),
          ...(suffix === dasSuffix && { das: { ...dasSources, samples: [takenUnder(suffix)] } }),
          ...(suffix === whoisSuffix && { whois: whoisSources }),
          ...(!sandboxSuffixes.includes(suffix) && {
            dns: { servers, samples: suffix === whoisSuffix ? dnsSamples : [] },
          }),
          // Of a suffix whose names are all missing, none is a canary.
          learned: [
            {
              baseUrl: rdap.source.id,
              canaries: sandboxSuffixes.includes(suffix) ? [takenUnder(suffix)] : [],
              hasFoundSuffix: true,
            },
          ],
        }
      : undefined;

  return { bySuffix, objects: { server, has }, factsOf };
}

const dasForm = 'lt';
const dnsSamples = [parseDomainName(whoisControlName)];

function takenUnder(suffix: string): DomainName {
  return parseDomainName(`taken.${suffix}`);
}

/** Returns whether a stored answer has what the sources of its suffix could give. */
function isUsable({ endpoint }: StoredVerdict, { name, detail, confirm }: NameQuery): boolean {
  const { suffix } = name;
  const isFromDns = sourceKindOf(endpoint) === 'dns';
  const isConfirmed = !isFromDns || confirm === 'AVAILABLE' || suffix === dnsSuffix;
  const isAll = suffixesWithoutRdap.includes(suffix) && !(isFromDns && suffix === whoisSuffix);
  return isConfirmed && (isAll || hasDetail(endpoint, detail));
}

async function startRdap({ clock, disposables }: Common, clients: Clients, query: QueryOptions) {
  const { baseUrl } = disposables.adopt(await startSandbox(clock), (sandbox) => sandbox.close());
  const options = { ...query, client: clients.sandbox(baseUrl) };
  const source = <Q extends Query, T>(server: Source<Q, T>) =>
    retryingSource([withFairShares(server, clock)], query.timeoutMs, clock);
  const domains: RegistrySource = {
    kind: 'rdap',
    source: source(rdapSource({ baseUrl, ...trustsEvery404 }, options)),
    requiresDns: false,
    trustsNotFound: true,
  };

  return { domains, objects: source(objectSource(baseUrl, true, options)) };
}

async function startDas(common: Common, { timeoutMs }: QueryOptions) {
  const { clock, tracing } = common;
  const address = await startText(common, sandboxDasReply);
  const service = dasServiceOf(dasForm);
  if (!service) throw new Error('the format of the sandbox is unknown');

  const [form] = service.forms;
  const server = dasSource(service, address, form, { clock, timeoutMs, allowPrivate: true });
  const shared = withFairShares(tracing.source(server, 'das'), clock);
  const source: RegistrySource = {
    kind: 'das',
    source: shared,
    requiresDns: false,
    trustsNotFound: true,
  };

  return { source, address };
}

async function startWhois(common: Common, { timeoutMs }: QueryOptions) {
  const { clock, log, tracing } = common;
  const address = await startText(common, sandboxWhoisReply);
  const service = whoisServiceOf('ru');
  if (!service) throw new Error('the format of the sandbox is unknown');

  const server = whoisSource(service, address, { clock, timeoutMs, allowPrivate: true });
  const controlled = new ControlledSource(
    () => withFairShares(tracing.source(server, 'whois'), clock),
    {
      suffix: whoisSuffix,
      samples: dnsSamples,
      forms: ['whois'],
      timeoutMs,
      maxUnverified: maxUnverifiedPerNode(1),
      store: new MemoryAnswers(maxCachedCharacters),
      clock,
      log,
    },
  );
  const source: RegistrySource = {
    kind: 'whois',
    source: controlled,
    requiresDns: true,
    trustsNotFound: true,
  };

  return { source, address, service };
}

async function startText({ disposables }: Common, replyTo: Parameters<typeof startTextServer>[0]) {
  const server = await startTextServer(replyTo);
  const { port } = disposables.adopt(server, (open) => open.close());
  return { host: '127.0.0.1', port };
}

async function startDns({ clock, log, tracing, disposables }: Common) {
  const start = async () => disposables.adopt(await startSandboxDns(), (server) => server.close());
  const started = await Promise.all([start(), start()]);
  const servers = started.map(({ port }) => ({ host: '127.0.0.1', port }));
  const source: Source = new DnsSource({
    clock,
    log,
    serversOf: () => servers.map(({ host, port }) => ({ address: host, port })),
    allowPrivate: true,
    throttled: (zone) => withFairShares(tracing.source(zone, 'dns'), clock),
    maxUnverified: maxUnverifiedPerNode(1),
    samplesOf: (zone) => (zone === whoisSuffix ? dnsSamples : []),
  });

  return { source, servers };
}

/**
 * Returns a source with a limited number of lookups in flight. There is no host queue: the sandbox
 * has no rate limit, and a `Retry-After` applies to one name only.
 */
function withFairShares<Q extends Query, T>(source: Source<Q, T>, clock: Clock): Source<Q, T> {
  return fairShareSource(source, maxSandboxConnections, clock);
}

import type { CacheContext, StoredVerdict } from '../registries/cache/read-through.ts';
import type { Clock } from '../clock.ts';
import type { Entries } from '../registries/directory/directory.ts';
import { parseDomainName } from '../domain/domain-name.ts';
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
import { CombinedSource } from '../registries/combined.ts';
import { dasServiceOf } from '../registries/whois/das-services.ts';
import { dasSource } from '../registries/whois/das-source.ts';
import { DnsSource } from '../registries/dns/dns-source.ts';
import { FairShareSource } from '../registries/throttled.ts';
import { ObjectSource } from '../registries/rdap/object-source.ts';
import { RdapSource } from '../registries/rdap/rdap-source.ts';
import type { RegistrySource } from '../registries/registry-sources.ts';
import { RetryingSource } from '../registries/retrying.ts';
import { whoisServiceOf } from '../registries/whois/whois-format.ts';
import { whoisSource } from '../registries/whois/whois-source.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import { maxSandboxConnections, type Clients } from './clients.ts';
import type { Common } from './common.ts';
import type { ObjectCache, SandboxObjects } from '../registries/object-registries.ts';
import { cacheWrapper, hasDetail, sourceInfos, trustsEvery404 } from '../registries/registries.ts';
import type { QueryOptions } from '../registries/query-options.ts';

const sandboxRetentionSeconds = 10;
const suffixesWithoutRdap: readonly string[] = [dnsSuffix, dasSuffix, whoisSuffix];
/** About 1,000 answers. */
const maxCachedCharacters = 3_000_000;

/** The registries of the sandbox. */
export interface BuiltInRegistries {
  readonly bySuffix: Entries;
  /** Has the objects other than domains. */
  readonly objects?: SandboxObjects;
}

/** Starts the servers of the sandbox, unless `SANDBOX=off`. */
export async function buildSandbox(
  common: Common,
  clients: Clients,
  query: QueryOptions,
  cache: Omit<CacheContext, 'isUsable'>,
  objectCache: ObjectCache,
): Promise<BuiltInRegistries> {
  if (!common.config.SANDBOX) return { bySuffix: new Map() };
  const { domains: rdap, objects } = await startRdap(common, clients, query);
  const das = await startDas(common, query);
  const whois = await startWhois(common, query);
  const dns = await startDns(common);
  const sandboxCache = {
    store: new MemoryAnswers(maxCachedCharacters),
    retentionSeconds: sandboxRetentionSeconds,
  };
  const withCache = cacheWrapper({ ...cache, ...sandboxCache, isUsable }, common.tracing);
  const registry = (registries: readonly RegistrySource[], delegations?: Source): Registry => ({
    ...withCache(
      new CombinedSource({
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
  return { bySuffix, objects: { server, has } };
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
    new RetryingSource([withFairShares(server, clock)], query.timeoutMs, clock);
  const domains: RegistrySource = {
    kind: 'rdap',
    source: source(new RdapSource({ baseUrl, ...trustsEvery404 }, options)),
    requiresDns: false,
    trustsNotFound: true,
  };
  return { domains, objects: source(new ObjectSource(baseUrl, true, options)) };
}

async function startDas(common: Common, { timeoutMs }: QueryOptions): Promise<RegistrySource> {
  const { clock, tracing } = common;
  const address = await startText(common, sandboxDasReply);
  const service = dasServiceOf('lt');
  if (!service) throw new Error('the format of the sandbox is unknown');
  const [form] = service.forms;
  const server = dasSource(service, address, form, { clock, timeoutMs, allowPrivate: true });
  const source = withFairShares(tracing.source(server, 'das'), clock);
  return { kind: 'das', source, requiresDns: false, trustsNotFound: true };
}

async function startWhois(common: Common, { timeoutMs }: QueryOptions): Promise<RegistrySource> {
  const { clock, log, tracing } = common;
  const address = await startText(common, sandboxWhoisReply);
  const service = whoisServiceOf('ru');
  if (!service) throw new Error('the format of the sandbox is unknown');
  const server = whoisSource(service, address, { clock, timeoutMs, allowPrivate: true });
  const source = new ControlledSource(
    () => withFairShares(tracing.source(server, 'whois'), clock),
    {
      suffix: whoisSuffix,
      samples: [parseDomainName(whoisControlName)],
      forms: ['whois'],
      timeoutMs,
      maxUnverified: maxUnverifiedPerNode(1),
      store: new MemoryAnswers(maxCachedCharacters),
      clock,
      log,
    },
  );
  return { kind: 'whois', source, requiresDns: true, trustsNotFound: true };
}

async function startText({ disposables }: Common, replyTo: Parameters<typeof startTextServer>[0]) {
  const server = await startTextServer(replyTo);
  const { port } = disposables.adopt(server, (open) => open.close());
  return { host: '127.0.0.1', port };
}

async function startDns({ clock, log, tracing, disposables }: Common): Promise<Source> {
  const start = async () => disposables.adopt(await startSandboxDns(), (server) => server.close());
  const servers = await Promise.all([start(), start()]);
  return new DnsSource({
    clock,
    log,
    serversOf: () => servers.map(({ port }) => ({ address: '127.0.0.1', port })),
    allowPrivate: true,
    throttled: (zone) => withFairShares(tracing.source(zone, 'dns'), clock),
    maxUnverified: maxUnverifiedPerNode(1),
    samplesOf: (zone) => (zone === whoisSuffix ? [parseDomainName(whoisControlName)] : []),
  });
}

/**
 * Returns a source with a limited number of lookups in flight. There is no host queue: the sandbox
 * has no rate limit, and a `Retry-After` applies to one name only.
 */
function withFairShares<Q extends Query, T>(source: Source<Q, T>, clock: Clock): Source<Q, T> {
  return new FairShareSource(source, maxSandboxConnections, clock);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet } from 'dns-packet';
import { lookUpRecorded } from '../../src/app/recorded-lookup.ts';
import { splitName, type DomainName } from '../../src/domain/names/domain-name.ts';
import type { Policy } from '../../src/domain/policy.ts';
import { createLog } from '../../src/log.ts';
import { responseHead, TimeoutError } from '../../src/outbound/exchange.ts';
import type { RecordedFacts } from '../../src/receipts/payload.ts';
import { openQueue } from '../../src/receipts/player.ts';
import { Recorder, type Edge } from '../../src/receipts/recorder.ts';
import { judge, outcomeOf } from '../../src/receipts/judge.ts';
import { decodeMessage } from '../../src/registries/dns/message.ts';
import { whoisServiceOf } from '../../src/registries/whois/whois-format.ts';
import { sandboxDasReply, sandboxWhoisReply } from '../../src/sandbox/text-server.ts';
import { domainObject } from '../support/bodies/domain-object.ts';
import { eventClock } from '../support/time/event-clock.ts';
import type { Random } from '../support/time/random.ts';

/** What an RDAP server sends about a name: status, headers and body, or an error. */
type HttpReply = readonly [status: number, headers: Record<string, string>, body: string] | Error;
const rdapJson = { 'content-type': 'application/rdap+json', 'content-length': '1' };

const object = (name: string, ...statuses: string[]): HttpReply => [
  200,
  rdapJson,
  JSON.stringify(domainObject(name, { statuses, members: { entities: [person] } })),
];
const free = (name: string, members: object = {}): HttpReply => [
  200,
  rdapJson,
  JSON.stringify({ objectClassName: 'domain', ldhName: name, status: ['free'], ...members }),
];
const variantOf = (name: string): HttpReply => {
  const variants = [{ relation: ['registered'], variantNames: [{ ldhName: name }] }];
  return [
    200,
    rdapJson,
    JSON.stringify(domainObject('another.example', { members: { variants } })),
  ];
};
const person = { objectClassName: 'entity', roles: ['registrant'], handle: 'Jane Doe' };
const error = JSON.stringify({ errorCode: 404, title: 'Not Found', description: ['Not found.'] });
const notFound: HttpReply = [404, rdapJson, error];

/** Replies of RDAP servers by kind. */
const httpReplies: readonly [HttpKind, ...HttpKind[]] = [
  (name) => object(name, 'active'),
  (name) => object(name, 'active', 'client hold'),
  (name) => object(name, 'redemption period'),
  (name) => object(name, 'pending delete'),
  (name) => object(name, 'reserved'),
  () => object('another.example', 'active'),
  (name) => variantOf(name),
  (name) => free(name),
  (name) => free(name, { remarks: [{ description: ['This name is reserved.'] }] }),
  (name) => free(name, { notices: [{ description: ['The name is sold at auction.'] }] }),
  (name) => free(name, { entities: [person] }),
  () => notFound,
  () => notFound,
  () => notFound,
  () => [404, rdapJson, ''],
  () => [404, { ...rdapJson, age: '600' }, error],
  () => [200, rdapJson, error],
  () => [404, { 'content-type': 'text/html' }, '<h1>Not found: Jane Doe</h1>'],
  () => [200, rdapJson, '{"objectClassName":"domain","vcard":"Jane Doe'],
  () => [500, {}, ''],
  () => [400, {}, 'quota exceeded'],
  () => [429, { 'retry-after': '1' }, ''],
  (_name, url) => [302, { location: url.replace(/\/\/([^/]+)\//, '//other.$1/') }, ''],
  (_name, url) => [302, { location: url }, ''],
  () => [302, { location: 'http://refused.example/' }, ''],
  () => new TimeoutError(),
  () => Object.assign(new Error(), { name: 'ResponseExceededMaxSizeError' }),
  () => new Error('closed'),
];
type HttpKind = (name: string, url: string) => HttpReply;

const textEnds = ['complete', 'complete', 'complete', 'timeout', 'disconnected'] as const;
const labels = ['taken', 'reserved', 'redemption', 'pending', 'free', 'busy', 'unclear'] as const;
const dnsReplies = ['delegated', 'nxdomain', 'nxdomain', 'nodata', 'refused', 'timeout'] as const;

/** A name with its sources, all of whose answers are chosen at random. */
export function worldOf(random: Random) {
  const label = `${random.pick(labels)}${random.below(1000)}`;
  const suffix = random.pick(['example', 'co.uk', 'google', 'lt']);
  const domain = `${label}.${suffix}` as DomainName;
  const clock = eventClock();
  return {
    domain,
    clock,
    async record() {
      const facts = factsOf(random, suffix, clock.now());
      const recorder = new Recorder(domain, edgeOf(random, domain, clock));
      const { edge } = recorder;
      const seed = String(random.below(2 ** 31));
      const startedAt = edge.clock.now();
      const answer = await lookUpRecorded(
        { domain, facts, seed, edge, log: createLog('silent') },
        { signal: new AbortController().signal, account: 'a', queueDeadline: startedAt + 5000 },
      );
      return {
        facts,
        seed,
        started_at: new Date(startedAt).toISOString(),
        exchanges: [...recorder.exchanges()],
        seen: judge(outcomeOf(answer, splitName(domain), facts.policy as Policy, edge.clock.now())),
      };
    },
  };
}

function factsOf(random: Random, suffix: string, now: number): RecordedFacts {
  const baseUrl = 'https://rdap.example/';
  const sources = random.pick(['rdap', 'rdap', 'das', 'whois', 'rdap das', 'rdap whois', '']);
  const { host, port, format } = whoisServiceOf('ru') ?? { host: '', port: 43, format: {} };
  const { record: _record, ...lines } = format as { record?: unknown };
  const canaries = random.chance(0.7) ? [`nic.${suffix}`] : [];
  const hasFoundSuffix = random.chance(0.5);
  const learned = {
    base_url: baseUrl,
    canaries,
    has_found_suffix: hasFoundSuffix,
    ...(canaries.length === 0 && hasFoundSuffix && { must_find: true as const }),
  };
  const expiry = random.chance(0.5) ? { expires_at: now + random.below(1e10) } : {};
  const stored = { verdict: 'registered', endpoint: baseUrl, checked_at: now - 1e6, ...expiry };
  const facts = {
    entry: suffix,
    ...(sources.includes('rdap') && {
      rdap: { base_urls: [baseUrl], trusts_not_found: true, listed: random.chance(0.7) },
    }),
    ...(sources.includes('das') && {
      das: { tld: suffix, like: 'lt', samples: [`taken.${suffix}`] },
    }),
    ...(sources.includes('whois') && {
      whois: { tld: suffix, samples: [`taken.${suffix}`], host, port, format: lines },
    }),
    ...((sources === '' || random.chance(0.7)) && {
      dns: random.chance(0.5)
        ? { servers: ['192.0.2.1', '192.0.2.2'].map((each) => ({ host: each, port: 53 })) }
        : {},
    }),
    learned: [learned],
    ...(random.chance(0.2) && { stored }),
    policy: random.pick([{ kind: 'OPEN' }, { kind: 'OPEN' }, { kind: 'BRAND' }]),
    timeout_ms: 5000,
    queue_timeout_ms: 5000,
    max_unverified: 20,
  };
  return JSON.parse(JSON.stringify(facts)) as RecordedFacts;
}

function edgeOf(random: Random, domain: string, clock: ReturnType<typeof eventClock>): Edge {
  const [losesCanaries, losesControls] = [random.chance(0.2), random.chance(0.2)];
  const own = random.pick(httpReplies);
  const delegation = random.pick(dnsReplies);
  const slow = async () => {
    await nextTurn();
    await new Promise<void>((resolve) => clock.after(1 + random.below(200), resolve));
  };
  return {
    clock,
    route: ({ host }) => (host === 'refused.example' ? undefined : { dispatch: () => true }),
    async receive({ url }) {
      await slow();
      const name = url.pathname.split('/').at(-1) ?? '';
      const control = losesCanaries ? notFound : object(name, 'active');
      const isRedirected = url.host.startsWith('other.');
      const reply = name === domain && !isRedirected ? own(name, url.href) : control;
      if (reply instanceof Error) throw reply;
      const [status, headers, body] = reply;
      return { ...responseHead(status, headers), body: Buffer.from(body) };
    },
    async exchangeText({ protocol, text, name }) {
      await slow();
      const replyTo = protocol.kind === 'das' ? sandboxDasReply : sandboxWhoisReply;
      const query = losesControls && name !== domain ? text.replaceAll('taken', 'free') : text;
      const end = name === domain ? random.pick(textEnds) : 'complete';
      return { end, bytes: Buffer.from(replyTo(query.trim()).replaceAll('free.', 'taken.')) };
    },
    async exchange(_transport, _server, query) {
      await slow();
      const { name = '' } = decode(query.message).questions?.[0] ?? {};
      const isOwn = name.toLowerCase() === domain;
      const isSample = /^(?:google|amazon|facebook|taken)\./i.test(name);
      const kind = isOwn ? delegation : isSample ? 'delegated' : 'nxdomain';
      if (kind === 'timeout') return { failure: 'timeout' };
      const bytes = dnsReply(query.message, name, kind);
      const message = decodeMessage(bytes);
      return message ? { message, bytes } : { failure: 'closed' };
    },
    resolver: {
      resolveNs: async () => (await slow(), ['a.ns.example', 'b.ns.example']),
      resolve4: async (host) => (
        await slow(),
        [{ address: host.startsWith('a') ? '192.31.80.30' : '192.33.14.30', ttl: 300 }]
      ),
      resolve6: async () => {
        throw Object.assign(new Error(), { code: 'ENODATA' });
      },
    },
    queueOf: () => openQueue,
    redirectQueueOf: () => openQueue,
  };
}

function dnsReply(query: Buffer, name: string, kind: string): Buffer {
  const { id, questions = [] } = decode(query);
  const zone = name.slice(name.indexOf('.') + 1).toLowerCase();
  const soa = { mname: 'a.', rname: 'b.', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
  const parts: Record<string, Partial<Packet>> = {
    delegated: { authorities: [{ type: 'NS', name, data: 'ns1.example.net', ttl: 1 }] },
    nxdomain: {
      flags: AUTHORITATIVE_ANSWER | 3,
      authorities: [{ type: 'SOA', name: zone, data: soa, ttl: 1 }],
    },
    nodata: {
      flags: AUTHORITATIVE_ANSWER,
      authorities: [{ type: 'SOA', name: zone, data: soa, ttl: 1 }],
    },
    refused: { flags: 5 },
  };
  return encode({ type: 'response', ...(id !== undefined && { id }), questions, ...parts[kind] });
}

import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeDas, type FakeDasServer } from '../support/servers/fake-das-server.ts';
import type { DnsAnswerOf, FakeDnsAnswer } from '../support/servers/fake-dns-server.ts';
import { startFakeZone, type FakeZone } from '../support/servers/fake-zone.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { notFound, registered, status, type Reply } from '../support/bodies/replies.ts';

/** The zones delegate these labels. */
const delegated = ['taken', 'google'];
const zoneAnswer: DnsAnswerOf = (name) =>
  delegated.includes(name.split('.')[0] ?? '') ? 'delegated' : 'nxdomain';
let dnsAnswer: DnsAnswerOf;
/** The answers of one of the two servers of each zone, if they differ. */
let staleAnswer: DnsAnswerOf | undefined;
/** The service of .ch: 1 if a name can be registered, 0 if not, for whatever reason. */
const dasReply = (query: string) =>
  /^(?:google|nic|held|taken)\./.test(query) ? '0: No\r\n' : '1: Yes\r\n';
let clock: JumpingClock;
let registry: FakeRegistry;
let das: FakeDasServer;
let dns: FakeZone;
let gateway: Gateway;

async function startWith(
  env: Readonly<Record<string, string>> = {},
  dnsServers: readonly string[] | null = dns.servers,
): Promise<Gateway> {
  const file = await forThisTest(writeBootstrap, {
    suffixes: {
      '': { dns: dnsServers },
      unlisted: { rdap: [registry.baseUrl] },
      bare: {},
      ch: { rdap: [registry.url('ch/')], das: `${das.host}:${das.port}` },
    },
  });
  return forThisTest(startGateway, {
    clock,
    registries: { listed: registry.baseUrl },
    env: { SOURCES_FILE: file.path, ...env },
  });
}

beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  clock = jumpingClock();
  dnsAnswer = zoneAnswer;
  staleAnswer = undefined;
  dns = await forThisTest(
    startFakeZone,
    (...query) => dnsAnswer(...query),
    (...query) => (staleAnswer ?? dnsAnswer)(...query),
  );
  das = await forThisTest(startFakeDas, dasReply);
  gateway = await startWith();
});

const rowOf = async (domain: string, from = gateway) =>
  (await from.get(`/v1/status?domain=${domain}`)).results[0];
/** A delegation is sufficient. */
const fastRowOf = (domain: string, from = gateway) => rowOf(`${domain}&confirm=available`, from);
const recordOf = async (domain: string, from = gateway) =>
  (
    await from.graphql(
      `{ domain(name: "${domain}") { status available reason source problem { code } rdap { handle }
         evidence { sources { source answer } } } }`,
    )
  ).data.domain;

/** Starts a gateway that queries the availability service without a rate limit. */
async function startWithFastDas(dnsServers: readonly string[] | null): Promise<Gateway> {
  const limits = await forThisTest(writeBootstrap, { [`${das.host}:${das.port}`]: { rate: 0 } });
  return startWith({ RDAP_LIMITS: limits.path }, dnsServers);
}

describe('a search that confirms only available names', () => {
  it('returns delegated names as registered', async () => {
    expect(await fastRowOf('taken.listed')).toMatchObject({
      available: false,
      status: 'registered',
      source: 'dns',
      confidence: 'authoritative',
      rdap_endpoint: null,
    });
  });

  it('returns a name as available only after the registry said so', async () => {
    expect(await fastRowOf('free.listed')).toMatchObject({ available: true, source: 'rdap' });
    expect(registry.requestCount('free.listed')).toBe(1);
  });

  it('queries the registry if the DNS does not answer', async () => {
    dnsAnswer = () => 'silent';
    registry.on('both.listed', registered('both.listed'));
    expect(await fastRowOf('both.listed')).toMatchObject({ status: 'registered', source: 'rdap' });
  });

  it('does not wait for the registry once the DNS has answered late', async () => {
    const requested = Promise.withResolvers<void>();
    registry.on('taken.listed', () => {
      requested.resolve();
      return new Promise(() => {});
    });
    dnsAnswer = (name, ...rest) =>
      name === 'taken.listed'
        ? (query) =>
            void requested.promise.then(() =>
              query.send({ authorities: [{ type: 'NS', name, data: 'ns1.example' }] }),
            )
        : zoneAnswer(name, ...rest);
    expect(await fastRowOf('taken.listed')).toMatchObject({ status: 'registered', source: 'dns' });
  });

  it('returns a late delegation, although the registry does not find the name', async () => {
    const answered = Promise.withResolvers<void>();
    registry.on('taken.listed', () => {
      answered.resolve();
      return notFound();
    });
    dnsAnswer = (name, ...rest) =>
      name === 'taken.listed'
        ? (query) =>
            void answered.promise.then(() =>
              query.send({ authorities: [{ type: 'NS', name, data: 'ns1.example' }] }),
            )
        : zoneAnswer(name, ...rest);
    expect(await fastRowOf('taken.listed')).toMatchObject({ status: 'registered', source: 'dns' });
  });

  it.each(['redemption period', 'reserved'])(
    'has the same verdict with and without a record if the DNS answers after a registry with %s',
    async (state) => {
      registry.on(/^taken-/, ({ name }) => registered(name, { statuses: [state] }));
      // The repeated query is sent after the one to the registry.
      dnsAnswer = (name, ...rest) => {
        if (!name.startsWith('taken-')) return zoneAnswer(name, ...rest);
        return dns.queryCount(name) === 1 ? 'silent' : 'delegated';
      };
      const verdict = { status: 'registered', source: 'dns' };
      expect(await fastRowOf('taken-verdict.listed')).toMatchObject(verdict);
      const { data } = await gateway.graphql(
        '{ domains(domains: ["taken-record.listed"], confirm: AVAILABLE) { status rdap { handle } } }',
      );
      expect(data.domains[0]).toMatchObject({ status: 'REGISTERED', rdap: {} });
    },
  );

  it('lets a delegation decide that the DNS returns only after the registry found no name', async () => {
    const attempts = 4;
    dnsAnswer = (...query) =>
      query[0] === 'taken.unlisted' && dns.queryCount('taken.unlisted') <= attempts
        ? 'silent'
        : zoneAnswer(...query);
    expect(await fastRowOf('taken.unlisted')).toMatchObject({
      status: 'registered',
      source: 'dns',
    });
  });

  it('removes a name from the queue of the registry once the DNS has answered late', async () => {
    const slow = await startWith({ RDAP_CONCURRENCY: '1' });
    const held = Promise.withResolvers<Reply>();
    registry.on('held.listed', () => held.promise);
    const first = fastRowOf('held.listed', slow);
    await registry.whenRequested('held.listed');
    dnsAnswer = (...query) => (query[0] === 'taken.listed' ? 'silent' : zoneAnswer(...query));
    const second = fastRowOf('taken.listed', slow);
    const queued = /registry_requests_queued\{host="127[^}]*"\} 1/;
    await expect.poll(async () => (await slow.fetch('/metrics')).text()).toMatch(queued);
    dnsAnswer = zoneAnswer;
    expect(await second).toMatchObject({ status: 'registered', source: 'dns' });
    held.resolve(notFound());
    await first;
    await fastRowOf('next.listed', slow); // sent after anything that is still in the queue
    expect(registry.requestCount('taken.listed')).toBe(0);
  });

  it('queries only the registry with DNS_FIRST=off', async () => {
    const plain = await startWith({ DNS_FIRST: 'off' });
    registry.on('both.listed', registered('both.listed'));
    expect(await fastRowOf('both.listed', plain)).toMatchObject({ source: 'rdap' });
    expect(dns.total).toBe(0);
  });
});

describe('an available name', () => {
  it('is unknown if its zone delegates it', async () => {
    expect(await recordOf('taken.listed')).toMatchObject({
      status: 'UNKNOWN',
      available: null,
      reason: 'contradicted',
      evidence: {
        sources: [
          { source: 'rdap', answer: 'available' },
          { source: 'dns', answer: 'delegated' },
        ],
      },
    });
  });

  it.each(['listed', 'unlisted'])(
    'is never reported if one of two servers of its zone delegates it (.%s)',
    async (tld) => {
      staleAnswer = (name) => (name.startsWith('google.') ? 'delegated' : 'nxdomain');
      dnsAnswer = (name) => (/^(?:google|held)/.test(name) ? 'delegated' : 'nxdomain');
      // The order of the servers is random.
      for (let i = 0; i < 12; i += 1)
        expect(await fastRowOf(`held${i}.${tld}`)).toMatchObject({
          available: false,
          source: 'dns',
        });
      expect(await rowOf(`held.${tld}`)).toMatchObject({ available: null });
    },
  );

  it.each<[string, FakeDnsAnswer, FakeDnsAnswer, FakeDnsAnswer]>([
    ['an alias of it, and no data of names that are absent', 'nodata', 'cname', 'cname'],
    ['no data of it, and one of its two servers fails', 'nxdomain', 'nodata', 'servfail'],
  ])('is unknown if its zone has %s', async (_what, ofOthers, first, second) => {
    const answerOf =
      (answer: FakeDnsAnswer): DnsAnswerOf =>
      (name, ...query) =>
        name === 'free.listed'
          ? answer
          : zoneAnswer(name, ...query) === 'delegated'
            ? 'delegated'
            : ofOthers;
    dnsAnswer = answerOf(first);
    staleAnswer = answerOf(second);
    expect(await recordOf('free.listed')).toMatchObject({
      available: null,
      reason: 'contradicted',
    });
  });

  it('is checked in its zone even if its registry answered after the time limit of queues', async () => {
    expect(await recordOf('free.listed')).toMatchObject({ available: true });
    registry.on('taken.listed', () => {
      clock.advance(6000);
      return notFound();
    });
    expect(await recordOf('taken.listed')).toMatchObject({
      available: null,
      reason: 'contradicted',
    });
  });

  it('is available if the DNS of a listed registry does not answer, and the evidence says so', async () => {
    dnsAnswer = () => 'servfail';
    expect(await recordOf('free.listed')).toMatchObject({
      available: true,
      evidence: {
        sources: [
          { source: 'rdap', answer: 'available' },
          { source: 'dns', answer: 'registry_error' },
        ],
      },
    });
  });

  it('is unknown if its zone delegated it before and the DNS does not confirm the deletion', async () => {
    expect(await fastRowOf('taken.listed')).toMatchObject({ status: 'registered', source: 'dns' });
    dnsAnswer = () => 'servfail';
    clock.advance(25 * 60 * 60_000);
    expect(await fastRowOf('taken.listed&max_age=0')).toMatchObject({
      available: null,
      reason: 'untrusted_answer',
    });
    clock.advance(60 * 60_000);
    dnsAnswer = (name) => (name.startsWith('google.') ? 'delegated' : 'nxdomain');
    expect(await fastRowOf('taken.listed&max_age=0')).toMatchObject({ available: true });
  });

  it('is unknown at a server that IANA does not list unless the DNS confirms it', async () => {
    expect(await rowOf('free.unlisted')).toMatchObject({ available: true, source: 'rdap' });
    dnsAnswer = () => 'servfail';
    expect(await rowOf('other.unlisted')).toMatchObject({
      available: null,
      reason: 'untrusted_answer',
    });
  });

  it('is confirmed by the DNS after the registry if it did not answer before', async () => {
    const attempts = 4;
    dnsAnswer = (...query) =>
      query[0] === 'free.unlisted' && dns.queryCount('free.unlisted') <= attempts
        ? 'silent'
        : zoneAnswer(...query);
    expect(await fastRowOf('free.unlisted')).toMatchObject({ available: true });
  });

  it('is never reported by a server that IANA does not list and that finds no canary', async () => {
    registry.on(/./, notFound());
    expect(await rowOf('held.unlisted')).toMatchObject({
      available: null,
      reason: 'untrusted_answer',
    });
  });
});

describe('a registry that fails', () => {
  beforeEach(() => registry.fallback(status(500)));

  it('is replaced by the DNS for delegated names, which have no record', async () => {
    expect(await recordOf('taken.listed')).toMatchObject({
      status: 'REGISTERED',
      available: false,
      reason: null,
      source: 'dns',
      problem: { code: 'no_rdap' },
      rdap: null,
      evidence: {
        sources: [
          { source: 'rdap', answer: 'registry_error' },
          { source: 'dns', answer: 'delegated' },
        ],
      },
    });
  });

  it('leaves other names unknown', async () => {
    expect(await recordOf('free.listed')).toMatchObject({
      status: 'UNKNOWN',
      reason: 'registry_error',
      source: 'rdap',
    });
  });
});

describe('a TLD with the DNS alone', () => {
  it('has registered names', async () => {
    expect(await recordOf('taken.bare')).toMatchObject({
      status: 'REGISTERED',
      source: 'dns',
      rdap: null,
      problem: { code: 'no_rdap' },
    });
  });

  it('never has available names', async () => {
    expect(await recordOf('free.bare')).toMatchObject({
      status: 'UNKNOWN',
      available: null,
      reason: 'not_delegated',
    });
  });

  it('has failures if the DNS does not answer', async () => {
    dnsAnswer = () => 'servfail';
    expect(await rowOf('taken.bare')).toMatchObject({ reason: 'registry_error' });
  });
});

describe('a registry with an availability service', () => {
  it('has available names if the service and the DNS agree', async () => {
    expect(await rowOf('free.ch')).toMatchObject({ available: true, source: 'das' });
    expect(registry.requestCount('free.ch')).toBe(0);
  });

  it('has no available names if the DNS contradicts the service', async () => {
    const plain = await startWith({ DNS_FIRST: 'off' });
    das.use(() => '1: Yes\r\n');
    expect(await rowOf('taken.ch', plain)).toMatchObject({ available: null });
  });

  describe('that loses its data right after its controls', () => {
    beforeEach(() => registry.fallback(status(500)));
    const held = Array.from({ length: 40 }, (_, index) => `held${index}.ch`);
    const namesAvailableAt = async (from: Gateway) => {
      const response = await from.post('/v1/status/bulk', { domains: held, max_age: 0 });
      return (await response.json()).meta.available;
    };

    it.each<[string, 'servfail' | 'silent' | null]>([
      ['fails', 'servfail'],
      ['is disabled', null],
    ])('has no available names while the DNS %s', async (_what, answer) => {
      const open = await startWithFastDas(answer && dns.servers);
      dnsAnswer = () => answer ?? 'nxdomain';
      expect(await rowOf('free.ch', open)).toMatchObject({ available: true, source: 'das' });
      das.use(() => '1: Yes\r\n');
      expect(await namesAvailableAt(open)).toBe(0);
    });

    it('has no available names after the DNS contradicted one', async () => {
      const open = await startWithFastDas(dns.servers);
      expect(await rowOf('free.ch', open)).toMatchObject({ available: true, source: 'das' });
      das.use(() => '1: Yes\r\n');
      expect(await recordOf('taken.ch', open)).toMatchObject({ reason: 'contradicted' });
      expect(await namesAvailableAt(open)).toBe(0);
    });

    it('has at most twenty available names if none is delegated', async () => {
      const open = await startWithFastDas(dns.servers);
      expect(await rowOf('free.ch', open)).toMatchObject({ available: true, source: 'das' });
      das.use(() => '1: Yes\r\n');
      expect(await namesAvailableAt(open)).toBe(20);
    });
  });

  it('queries RDAP for a name that cannot be registered', async () => {
    registry.on('held.ch', registered('held.ch'));
    expect(await rowOf('held.ch')).toMatchObject({ status: 'registered', source: 'rdap' });
  });

  it('has a reserved name if RDAP does not find one that cannot be registered', async () => {
    expect(await rowOf('held.ch')).toMatchObject({ status: 'reserved', source: 'das' });
  });

  it('queries RDAP if the service fails, although the time in the queue is over', async () => {
    const quick = await startWith({
      DNS_FIRST: 'off',
      QUEUE_TIMEOUT_MS: '500',
      RDAP_TIMEOUT_MS: '2000',
    });
    registry.on('taken.ch', registered('taken.ch'));
    das.use((_query, socket) => {
      clock.advance(600);
      socket.destroy();
      return undefined;
    });
    expect(await rowOf('taken.ch', quick)).toMatchObject({ status: 'registered', source: 'rdap' });
  });

  it('returns the record of RDAP if one is requested', async () => {
    registry.on('taken.ch', registered('taken.ch'));
    expect(await recordOf('taken.ch')).toMatchObject({ source: 'rdap', problem: null });
  });

  it('prefers the service for names that RDAP does not find', async () => {
    expect(await recordOf('held.ch')).toMatchObject({
      status: 'RESERVED',
      source: 'das',
      rdap: null,
      problem: { code: 'no_rdap' },
    });
  });
});

it('concurrent requests for a verdict and a record both get what they need', async () => {
  registry.on('taken.listed', registered('taken.listed'));
  const [row, record] = await Promise.all([rowOf('taken.listed'), recordOf('taken.listed')]);
  expect([row.status, record.source, record.problem]).toEqual(['registered', 'rdap', null]);
});

describe('the cache', () => {
  beforeEach(() => registry.on(/^taken\./, ({ name }) => registered(name)));

  it('does not answer a request for a record with a delegation', async () => {
    expect(await fastRowOf('taken.listed')).toMatchObject({ source: 'dns' });
    expect(await recordOf('taken.listed')).toMatchObject({ source: 'rdap', problem: null });
    expect(await rowOf('taken.listed')).toMatchObject({ source: 'rdap', cached: true });
  });

  it('keeps a record although a newer delegation was found', async () => {
    await recordOf('taken.listed');
    await gateway.get('/v1/status?domain=taken.listed&max_age=0&confirm=available');
    expect(await recordOf('taken.listed')).toMatchObject({ source: 'rdap', problem: null });
    expect(registry.requestCount('taken.listed')).toBe(1);
  });

  it('lets a name become available that only the DNS knew', async () => {
    await fastRowOf('taken.listed');
    clock.advance(25 * 60 * 60_000);
    registry.on('taken.listed', notFound());
    dnsAnswer = (...query) => (query[0] === 'google.listed' ? 'delegated' : 'nxdomain');
    expect(await rowOf('taken.listed')).toMatchObject({ available: true });
  });

  it('does not replace a contradiction by an older delegation', async () => {
    await fastRowOf('taken.listed');
    clock.advance(25 * 60 * 60_000);
    registry.on('taken.listed', notFound());
    expect(await recordOf('taken.listed')).toMatchObject({ reason: 'contradicted' });
  });

  it('returns a stale record rather than a delegation if the registry fails', async () => {
    await recordOf('taken.listed');
    clock.advance(25 * 60 * 60_000);
    registry.on(/^taken\./, status(500));
    const record = await gateway.graphql(
      '{ domain(name: "taken.listed") { source stale rdap { ldhName } } }',
    );
    expect(record.data.domain).toEqual({
      source: 'rdap',
      stale: true,
      rdap: { ldhName: 'taken.listed' },
    });
  });

  it('does not present a stale delegation as the lack of a record', async () => {
    await fastRowOf('taken.listed');
    registry.on(/^taken\./, status(500));
    dnsAnswer = () => 'servfail';
    const response = await gateway.fetch('/v1/rdap?domain=taken.listed');
    expect(response.headers.get('cache-control')).toBe('private, max-age=0');
    expect(await response.json()).toMatchObject({
      stale: true,
      problem: { code: 'no_rdap', detail: expect.stringContaining('Try again later.') },
    });
  });

  it.each<[string, readonly string[]]>([
    ['registered', ['active']],
    ['reserved', ['reserved']],
  ])(
    'still contradicts a registry that loses a %s name after its zone delegated it for a while',
    async (_what, statuses) => {
      registry.on(/^held\./, registered('held.listed', { statuses }));
      await recordOf('held.listed');
      clock.advance(25 * 60 * 60_000);
      dnsAnswer = (name) =>
        name.startsWith('held.') ? 'delegated' : zoneAnswer(name, 'NS', 'udp');
      expect(await fastRowOf('held.listed&max_age=0')).toMatchObject({ source: 'dns' });
      dnsAnswer = zoneAnswer;
      registry.on(/^held\./, notFound());
      expect(await rowOf('held.listed&max_age=0')).toMatchObject({
        available: null,
        reason: 'untrusted_answer',
      });
    },
  );
});

it('a suffix without a source is not supported, whatever the sources of the TLD above it', async () => {
  const file = await forThisTest(writeBootstrap, {
    suffixes: { '': { dns: null }, 'org.uk': { rdap: null } },
  });
  const restricted = await forThisTest(startGateway, {
    registries: { uk: registry.baseUrl },
    env: { SOURCES_FILE: file.path },
  });
  expect(await rowOf('free.uk', restricted)).toMatchObject({ available: true });
  expect(await rowOf('free.org.uk', restricted)).toMatchObject({
    available: null,
    status: 'unsupported_tld',
  });
  expect(registry.requestCount('free.org.uk')).toBe(0);
});

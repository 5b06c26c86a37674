import { beforeEach, describe, expect, it } from 'vitest';
import {
  startFakeDas,
  type DasScript,
  type FakeDasServer,
} from '../support/servers/fake-das-server.ts';
import { forThisTest } from '../support/for-this-test.ts';
import type { DnsAnswerOf } from '../support/servers/fake-dns-server.ts';
import { startFakeZone, type FakeZone } from '../support/servers/fake-zone.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { registered, status } from '../support/bodies/replies.ts';

/** A server in the format of .it. Labels that begin with `taken`, and its controls, are registered. */
const honest: DasScript = (name) =>
  /^(?:taken|google|nic)/.test(name)
    ? `Domain: ${name}\nStatus: ok\nCreated: 2001-02-03 04:05:06\n`
    : `Domain: ${name}\nStatus: AVAILABLE\n`;

let dnsAnswer: DnsAnswerOf;
let clock: JumpingClock;
let whois: FakeDasServer;
let dns: FakeZone;
let registry: FakeRegistry;
let gateway: Gateway;

interface Setup {
  readonly suffixes?: Readonly<Record<string, object>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly registries?: Readonly<Record<string, string>>;
}

async function startWith({ suffixes = {}, env, registries }: Setup = {}): Promise<Gateway> {
  const server = `${whois.host}:${whois.port}`;
  const sources = await forThisTest(writeBootstrap, {
    suffixes: {
      '': { dns: dns.servers },
      it: { whois: server },
      tr: { whois: server },
      ...suffixes,
    },
  });
  const limits = await forThisTest(writeBootstrap, { [server]: { rate: 0 } });
  return forThisTest(startGateway, {
    clock,
    registries: registries ?? {},
    env: { SOURCES_FILE: sources.path, RDAP_LIMITS: limits.path, ...env },
  });
}

beforeEach(async () => {
  clock = jumpingClock();
  dnsAnswer = (name) => (name.startsWith('google.') ? 'delegated' : 'nxdomain');
  dns = await forThisTest(startFakeZone, (...query) => dnsAnswer(...query));
  registry = await forThisTest(startFakeRegistry);
  whois = await forThisTest(startFakeDas, honest);
});

const rowOf = async (domain: string, from = gateway): Promise<Json> =>
  (await from.get(`/v1/status?domain=${domain}`)).results[0];
const recordOf = async (domain: string, from = gateway): Promise<Json> =>
  (
    await from.graphql(
      `{ domain(name: "${domain}") { status available reason source confidence problem { code detail } rdap { handle }
         evidence { sources { source answer pattern controlsPassedAt } } } }`,
    )
  ).data.domain;

describe('a name of a TLD with a WHOIS server', () => {
  beforeEach(async () => void (gateway = await startWith()));

  it('is available, heuristically, if both controls pass and the DNS confirms it', async () => {
    expect(await rowOf('free.it')).toMatchObject({
      available: true,
      source: 'whois',
      confidence: 'heuristic',
      rdap_endpoint: null,
    });
    expect(whois.queries).toEqual([
      'free.it\r\n',
      expect.stringMatching(/^[a-z]{24}\.it\r\n$/),
      'google.it\r\n',
    ]);
    expect(await rowOf('other.it')).toMatchObject({ available: true });
    expect(whois.queries).toHaveLength(4);
  });

  it('is registered without controls if the reply contains it', async () => {
    const row = await rowOf('taken.it');
    expect(row).toMatchObject({ available: false, source: 'whois', confidence: 'authoritative' });
    expect(whois.queries).toEqual(['taken.it\r\n']);
  });

  it('has the matched form and the time of the controls as evidence', async () => {
    const { evidence } = await recordOf('free.it');
    const controlsPassedAt = expect.stringMatching(/^\d{4}-/);
    expect(evidence.sources).toEqual([
      { source: 'whois', answer: 'available', pattern: 'available-1', controlsPassedAt },
      { source: 'dns', answer: 'absent', pattern: null, controlsPassedAt: null },
    ]);
    expect((await recordOf('taken.it')).evidence.sources).toEqual([
      { source: 'whois', answer: 'registered', pattern: 'registered-1', controlsPassedAt: null },
    ]);
  });

  it('has no record', async () => {
    expect(await gateway.get('/v1/rdap?domain=taken.it')).toMatchObject({
      status: 'registered',
      source: 'whois',
      rdap: null,
    });
    expect(await recordOf('taken.it')).toMatchObject({
      rdap: null,
      reason: null,
      problem: { code: 'no_rdap' },
    });
  });

  it('is unknown if the text of the server has changed', async () => {
    whois.use((name) => `Domain: ${name}\nStatus: FREE\n`);
    expect(await rowOf('free.it')).toMatchObject({ available: null, reason: 'whois_unclear' });
  });

  it('is unknown if the reply contains more than the one about a control name', async () => {
    expect(await rowOf('free.it')).toMatchObject({ available: true });
    whois.use((name, socket) =>
      name.startsWith('held')
        ? `Please slow down.\n${String(honest(name, socket))}`
        : honest(name, socket),
    );
    expect(await rowOf('held.it')).toMatchObject({ available: null, reason: 'whois_unclear' });
    expect(await rowOf('other.it')).toMatchObject({ available: true });
  });

  it('is unknown if the server calls every name available', async () => {
    whois.use((name) => `Domain: ${name}\nStatus: AVAILABLE\n`);
    expect(await rowOf('taken.it')).toMatchObject({ available: null, reason: 'untrusted_answer' });
    const metrics = await (await gateway.fetch('/metrics')).text();
    expect(metrics).toMatch(/^rdap_gateway_controls_failing 1$/m);
  });

  it('is unknown again as soon as the controls fail, also if it was stored as available', async () => {
    expect(await rowOf('early.it')).toMatchObject({ available: true });
    clock.advance(4 * 60_000);
    expect(await rowOf('late.it')).toMatchObject({ available: true });
    clock.advance(2 * 60_000);
    expect(await rowOf('late.it&max_age=3600')).toMatchObject({ available: true, cached: true });
    whois.use((name) => `Domain: ${name}\nStatus: AVAILABLE\n`);
    expect(await rowOf('other.it')).toMatchObject({ available: null });
    expect(await rowOf('late.it&max_age=3600')).toMatchObject({ available: null, cached: false });
    whois.use(honest);
    clock.advance(31_000);
    expect(await rowOf('other.it')).toMatchObject({ available: true });
  });

  it('is unknown if the DNS does not confirm that it is available', async () => {
    dnsAnswer = () => 'servfail';
    expect(await rowOf('free.it')).toMatchObject({ available: null, reason: 'untrusted_answer' });
    expect(await rowOf('taken.it')).toMatchObject({ status: 'registered', source: 'whois' });
  });

  it('is unknown if its zone delegates it', async () => {
    dnsAnswer = (name) => (/^(?:google|free)\./.test(name) ? 'delegated' : 'nxdomain');
    expect(await recordOf('free.it')).toMatchObject({ available: null, reason: 'contradicted' });
  });

  it('is not looked up again for 15 minutes after the server refused a query', async () => {
    whois.use(() => 'Excessive querying, grace period of 2 seconds\n');
    expect(await rowOf('free.it')).toMatchObject({ available: null, reason: 'registry_busy' });
    clock.advance(14 * 60_000);
    expect(await rowOf('other.it')).toMatchObject({ reason: 'registry_busy' });
    expect(whois.queries).toHaveLength(1);
    whois.use(honest);
    clock.advance(2 * 60_000);
    expect(await rowOf('other.it')).toMatchObject({ available: true });
  });

  it('is looked up under all suffixes, and available only under those with controls', async () => {
    whois.use((name) =>
      name.startsWith('google.')
        ? `** Domain Name: ${name}\nCreated on..............: 2001-Aug-23.\n`
        : `No match found for "${name}"\n`,
    );
    expect(await rowOf('free.com.tr')).toMatchObject({ available: true, source: 'whois' });
    const queries = whois.queries.length;
    expect(await rowOf('free.gov.tr')).toMatchObject({
      available: null,
      reason: 'untrusted_answer',
    });
    expect(await rowOf('google.gov.tr')).toMatchObject({ available: false, source: 'whois' });
    expect(whois.queries).toHaveLength(queries + 2);
  });
});

it('a gateway with WHOIS=off uses the other sources', async () => {
  gateway = await startWith({ env: { WHOIS: 'off' } });
  expect(await rowOf('free.it')).toMatchObject({ available: null, reason: 'not_delegated' });
  expect(whois.connections).toBe(0);
  expect((await gateway.get('/v1/coverage')).sources.whois).toEqual([]);
});

it('an operator can disable WHOIS for a suffix', async () => {
  gateway = await startWith({ suffixes: { it: { whois: null }, 'com.tr': { whois: null } } });
  expect(await rowOf('free.it')).toMatchObject({ available: null, reason: 'not_delegated' });
  expect(await rowOf('free.com.tr')).toMatchObject({ available: null, reason: 'not_delegated' });
  expect(whois.connections).toBe(0);
});

it('an operator can add a server with its format', async () => {
  const format = {
    query: 'domain {name}',
    suffixes: ['es', 'com.es'],
    samples: ['google.es', 'google.com.es'],
    available: ['% {name} is free'],
    registered: ['name: {name}', 'since {text}', '{id} {id}'],
    refusals: ['slow down'],
  };
  gateway = await startWith({
    suffixes: { es: { whois: { server: `${whois.host}:${whois.port}`, ...format } } },
  });
  whois.use((query) => {
    const name = query.replace('domain ', '');
    if (name.startsWith('busy')) return 'Slow down\r\n';
    return /^(?:google|taken)/.test(name)
      ? `name:   ${name}\r\nsince 2001\r\n{id} {id}\r\n`
      : `% ${name} is free\r\n`;
  });
  expect(await rowOf('free.es')).toMatchObject({ available: true, source: 'whois' });
  expect(await rowOf('free.com.es')).toMatchObject({ available: true });
  expect(await rowOf('taken.com.es')).toMatchObject({ status: 'registered', source: 'whois' });
  expect(await rowOf('busy.es')).toMatchObject({ reason: 'registry_busy' });
});

/** An honest server that has a name until a year. */
function heldUntil(year: string): DasScript {
  const lines = `Status: ok\nCreated: 2001-02-03 04:05:06\nExpire Date: ${year}-02-03\n`;
  return (...query) => (query[0] === 'held.it' ? `Domain: held.it\n${lines}` : honest(...query));
}
const heldRow = () => rowOf('held.it&max_age=0');

describe('an "available" of WHOIS for a name that is registered for years', () => {
  it('counts only once it has persisted for a day', async () => {
    gateway = await startWith();
    whois.use(heldUntil('2099'));
    expect(await heldRow()).toMatchObject({ status: 'registered' });
    whois.use(honest);
    const row = { available: null, detail: expect.stringContaining('registered until 2099-02-0') };
    for (let hours = 0; hours < 24; hours += 4) {
      expect(await heldRow()).toMatchObject(row);
      clock.advance(4 * 3_600_000);
    }
    expect(await heldRow()).toMatchObject({ available: true });
  });

  it('counts at once if the registration has expired', async () => {
    gateway = await startWith();
    whois.use(heldUntil('2020'));
    await heldRow();
    whois.use(honest);
    expect(await heldRow()).toMatchObject({ available: true });
  });

  it('does not count if RDAP, which fails, has returned the registration', async () => {
    gateway = await startWith({ registries: { it: registry.baseUrl } });
    registry.on('held.it', registered('held.it'));
    expect(await heldRow()).toMatchObject({ status: 'registered', source: 'rdap' });
    registry.on('held.it', status(500));
    expect(await heldRow()).toMatchObject({ available: null, reason: 'registry_error' });
  });
});

describe('a registry with RDAP and WHOIS', () => {
  beforeEach(async () => {
    gateway = await startWith({ registries: { it: registry.baseUrl } });
  });

  it('is queried by RDAP alone while that answers', async () => {
    registry.on('both.it', registered('both.it'));
    expect(await recordOf('both.it')).toMatchObject({ source: 'rdap', problem: null });
    expect(await rowOf('free.it')).toMatchObject({ available: true, source: 'rdap' });
    expect(whois.connections).toBe(0);
  });

  it('is queried by WHOIS if RDAP fails', async () => {
    registry.on('taken.it', status(500));
    expect(await rowOf('taken.it')).toMatchObject({ status: 'registered', source: 'whois' });
  });
});

it('the catalogue lists WHOIS servers and what they can prove', async () => {
  gateway = await startWith();
  const { data } = await gateway.graphql(
    '{ tlds(search: "it") { nodes { label provesAvailable sources { source endpoint } } } }',
  );
  expect(data.tlds.nodes).toContainEqual({
    label: 'it',
    provesAvailable: true,
    sources: [
      { source: 'whois', endpoint: `whois://${whois.host}:${whois.port}/` },
      { source: 'dns', endpoint: null },
    ],
  });
  const coverage = await gateway.get('/v1/coverage');
  expect(coverage.sources.whois).toEqual(expect.arrayContaining(['it', 'ru', 'xn--p1ai']));
  expect(coverage.without_availability).not.toContain('it');
  expect(coverage.sources.whois).not.toEqual(expect.arrayContaining(['es', 'hk', 'ro', 'se']));
});

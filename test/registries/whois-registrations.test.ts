// cspell:disable (texts of servers)
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { openAnswers } from '../../src/storage/open.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeDas, type FakeDasServer } from '../support/servers/fake-das-server.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startFakeZone, type FakeZone } from '../support/servers/fake-zone.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import { costIn, startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';

/** What the replies say about persons. */
const personal = ['Anna Bianchi', 'Via Segreta', 'anna.bianchi@example.com', '+39.0655501234'];
const [person, street, email, phone] = personal;

const itReply = (name: string) => `Domain:             ${name}
Status:             clientHold
Signed:             yes
Created:            2001-02-03 04:05:06
Last Update:        2024-03-04 05:06:07
Expire Date:        2098-02-03

Registrant
  Organization:     ${person}
  Address:          ${street}
  Phone:            ${phone}
  E-Mail:           ${email}
  Created:          2009-09-09 09:09:09

Registrar
  Organization:     Registrar Esempio S.r.l.
  Web:              https://registrar.example/

Nameservers
  ns1.example.com
  ns2.example.com
`;

const jpReply = (name: string) => `a. [Domain Name]                ${name.toUpperCase()}
g. [Organization]               Example Kabushiki Kaisha
m. [Administrative Contact]     AB001JP
[State]                         Connected (2098/03/31)
[Registered Date]               1999/03/31
`;

/** The holder's lines are not read, whatever they claim. */
const fiReply = (name: string) =>
  name.startsWith('taken')
    ? `
domain.............: ${name}
status.............: Registered
created............: 1.2.2001 10:00:00
expires............: 4.7.2098 10:15:55

Holder

name...............: ${person}
address............: expires............: 1.1.2030 00:00:00
`
    : 'Domain not found\n';

let clock: JumpingClock;
let whois: FakeDasServer;
let dns: FakeZone;
let registry: FakeRegistry;
let folder: Scratch;
let sourcesFile: Readonly<Record<string, string>>;

beforeEach(async () => {
  clock = jumpingClock();
  folder = await forThisTest(scratch);
  registry = await forThisTest(startFakeRegistry);
  dns = await forThisTest(startFakeZone, (name) =>
    /^(?:taken|google)/.test(name) ? 'delegated' : 'nxdomain',
  );
  whois = await forThisTest(startFakeDas, (query) => {
    const name = query.replace('/e', '');
    if (name.endsWith('.jp')) return jpReply(name);
    if (name.endsWith('.fi')) return fiReply(name);
    if (name.endsWith('.pk')) return `Domain: ${name}\nStatus: Domain is Registered\n`;
    if (name.startsWith('redemption'))
      return itReply(name).replace('clientHold', 'pendingDelete / redemptionPeriod');
    return /^(?:taken|google)/.test(name) ? itReply(name) : `Domain: ${name}\nStatus: AVAILABLE\n`;
  });
  const server = `${whois.host}:${whois.port}`;
  const ofServer = { dns: dns.servers, rdap: null, whois: server };
  const file = await forThisTest(writeBootstrap, {
    suffixes: {
      it: ofServer,
      jp: ofServer,
      pk: ofServer,
      fi: { dns: dns.servers, whois: server },
      tr: { dns: dns.servers, whois: server },
    },
  });
  const limits = await forThisTest(writeBootstrap, { [server]: { rate: 0 } });
  sourcesFile = { SOURCES_FILE: file.path, RDAP_LIMITS: limits.path };
});

async function start(registries: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  return forThisTest(startGateway, {
    clock,
    registries,
    env: { ...sourcesFile, STORE_URL: folder.storeUrl },
  });
}

const fields = `id source confidence handle ldhName nameservers statuses createdAt updatedAt expiresAt
  registrar { name ianaId url } registrant { name organization } contacts { name } entities { __typename }
  dnssec { signed } raw`;

async function lookUp(gateway: Gateway, name: string, selection: string): Promise<Json> {
  const { data, errors } = await gateway.graphql(
    `{ domain(name: "${name}") { status phase source cached problem { code } ${selection} } }`,
  );
  expect(errors).toBeUndefined();
  return data.domain;
}

const ofWhois = {
  id: 'whois:taken.it',
  source: 'WHOIS',
  confidence: 'HEURISTIC',
  handle: null,
  ldhName: 'taken.it',
  nameservers: ['ns1.example.com', 'ns2.example.com'],
  statuses: ['client hold'],
  createdAt: '2001-02-03T03:05:06.000Z',
  updatedAt: '2024-03-04T04:06:07.000Z',
  expiresAt: '2098-02-03T00:00:00.000Z',
  registrar: { name: 'Registrar Esempio S.r.l.', ianaId: null, url: 'https://registrar.example/' },
  registrant: null,
  contacts: [],
  entities: [],
  dnssec: { signed: true },
  raw: null,
};

describe('the registration of a name without RDAP', () => {
  it('is what the WHOIS server of the registry prints', async () => {
    const gateway = await start();
    expect(await lookUp(gateway, 'taken.it', `registration { ${fields} }`)).toEqual({
      status: 'REGISTERED',
      phase: 'ON_HOLD',
      source: 'whois',
      cached: false,
      problem: null,
      registration: ofWhois,
    });
  });

  it('is no record of RDAP, which has the problem `no_rdap`', async () => {
    const gateway = await start();
    for (const both of ['', 'registration { id }'])
      expect(
        await lookUp(gateway, 'taken.it', `rdap { id } registrarProblem { code } ${both}`),
      ).toMatchObject({
        rdap: null,
        problem: { code: 'no_rdap' },
        registrarProblem: { code: 'no_rdap' },
        ...(both && { registration: { id: 'whois:taken.it' } }),
      });
  });

  it('can be selected by its id', async () => {
    const gateway = await start();
    const query = `query ($id: ID!) { node(id: $id) { id ... on Registration { ${fields} } } }`;
    const nodeOf = async (id: string) => (await gateway.graphql(query, { id })).data.node;
    expect(await nodeOf('whois:taken.it')).toEqual(ofWhois);
    expect(await nodeOf('rdap:taken.it')).toBeNull();
    expect(await nodeOf('whois:free.it')).toBeNull();
  });

  it('is null without a problem if the name is not registered', async () => {
    expect(await lookUp(await start(), 'free.it', 'registration { id }')).toMatchObject({
      status: 'AVAILABLE',
      problem: null,
      registration: null,
    });
  });

  it('is read of a deleted name, too', async () => {
    expect(
      await lookUp(await start(), 'redemption.it', 'registration { statuses expiresAt }'),
    ).toMatchObject({
      status: 'REDEMPTION',
      registration: {
        statuses: ['pending delete', 'redemption period'],
        expiresAt: ofWhois.expiresAt,
      },
    });
  });

  it('is null with the problem `no_rdap` if the server prints only the verdict', async () => {
    expect(await lookUp(await start(), 'taken.pk', 'registration { id }')).toMatchObject({
      status: 'REGISTERED',
      problem: { code: 'no_rdap' },
      registration: null,
    });
  });

  it('has a registrant only where registrants are organizations by rule', async () => {
    const gateway = await start();
    const registrantOf = async (name: string) =>
      (await lookUp(gateway, name, 'registration { registrant { roles name organization } }'))
        .registration.registrant;
    expect(await registrantOf('taken.co.jp')).toEqual({
      roles: ['registrant'],
      name: null,
      organization: 'Example Kabushiki Kaisha',
    });
    expect(await registrantOf('taken.jp')).toBeNull();
  });

  it('is in the body of /v1/rdap, without a problem', async () => {
    const response = await (await start()).fetch('/v1/rdap?domain=taken.it');
    await expectMatchesOpenApi(response.clone(), 'get /v1/rdap');
    const body = await response.json();
    expect(body).toMatchObject({
      status: 'registered',
      source: 'whois',
      rdap_endpoint: null,
      nameservers: ofWhois.nameservers,
      registration: {
        source: 'whois',
        confidence: 'heuristic',
        created_at: ofWhois.createdAt,
        registrar: { name: 'Registrar Esempio S.r.l.' },
        contacts: [],
      },
      rdap: null,
    });
    expect(body).not.toHaveProperty('problem');
  });
});

describe('a registration from WHOIS in the cache', () => {
  it('is returned without another query, also after a restart', async () => {
    await using first = await start();
    // A lookup of the verdict stores the registration, too.
    await first.get('/v1/status?domain=taken.it');
    expect(await lookUp(first, 'taken.it', `registration { ${fields} }`)).toMatchObject({
      cached: true,
      registration: ofWhois,
    });
    await first[Symbol.asyncDispose]();
    expect(await lookUp(await start(), 'taken.it', `registration { ${fields} }`)).toMatchObject({
      cached: true,
      registration: ofWhois,
    });
    expect(whois.queries).toEqual(['taken.it\r\n']);
  });

  it('is stored without anything else of the reply', async () => {
    await using gateway = await start();
    await lookUp(gateway, 'taken.it', 'registration { id }');
    await gateway[Symbol.asyncDispose]();
    const files = await readdir(folder.path);
    const stored = await Promise.all(files.map((file) => readFile(join(folder.path, file))));
    const text = Buffer.concat(stored).toString('latin1');
    expect(text).toContain('Registrar Esempio S.r.l.');
    for (const secret of personal) expect(text).not.toContain(secret);
  });

  it('is not used instead of the registry if a delegation is stored', async () => {
    const gateway = await start();
    const byDns = '{ domains(domains: ["taken.it"], confirm: AVAILABLE) { source SELECTED } }';
    const select = async (selected: string) =>
      (await gateway.graphql(byDns.replace('SELECTED', selected))).data.domains[0];
    expect(await select('status')).toMatchObject({ source: 'dns' });
    expect(whois.queries).toEqual([]);
    expect(await select('registration { id }')).toEqual({
      source: 'dns',
      registration: { id: 'whois:taken.it' },
    });
    expect(whois.queries).toEqual(['taken.it\r\n']);
  });

  it('is looked up if an earlier release has stored the verdict alone', async () => {
    const answers = openAnswers(folder.storeUrl, createLog('silent'));
    for (const name of ['taken.it', 'taken.pk'])
      await answers.putAnswer({
        name,
        verdict: 'REGISTERED',
        endpoint: `whois://${whois.host}:${whois.port}/`,
        checkedAt: clock.now(),
        isComplete: true,
      });
    await answers.close();
    const gateway = await start();
    const cachedNow = async (name: string, selected: string) =>
      (await lookUp(gateway, name, selected)).cached;
    expect((await gateway.get('/v1/status?domain=taken.it')).results[0].cached).toBe(true);
    expect(await cachedNow('taken.it', 'registration { id }')).toBe(false);
    expect(await cachedNow('taken.it', 'registration { id }')).toBe(true);
    expect(await cachedNow('taken.it', 'rdap { id }')).toBe(true);
    expect(await cachedNow('taken.pk', 'registration { id }')).toBe(true);
  });
});

describe('the registration of a name with RDAP and WHOIS', () => {
  it('is that of RDAP', async () => {
    registry.on('taken.tr', registered('taken.tr'));
    const gateway = await start({ tr: registry.baseUrl });
    expect(await lookUp(gateway, 'taken.tr', 'registration { id source confidence }')).toEqual({
      status: 'REGISTERED',
      phase: 'ACTIVE',
      source: 'rdap',
      cached: false,
      problem: null,
      registration: { id: 'rdap:taken.tr', source: 'RDAP', confidence: 'AUTHORITATIVE' },
    });
    expect(whois.connections).toBe(0);
  });

  it('is that of WHOIS while RDAP fails, and not kept for later', async () => {
    whois.use((name) => `** Domain Name: ${name}\nCreated on..............: 2001-Aug-23.\n`);
    const failing = status(500);
    registry.on('taken.tr', failing);
    const gateway = await start({ tr: registry.baseUrl });
    const sourceNow = async () =>
      (await lookUp(gateway, 'taken.tr', 'registration { source }')).registration.source;
    expect(await sourceNow()).toBe('WHOIS');
    registry.on('taken.tr', registered('taken.tr'));
    clock.advance(10 * 60_000);
    expect(await sourceNow()).toBe('RDAP');
  });

  it('is the stored one of RDAP rather than that of WHOIS, while RDAP fails', async () => {
    whois.use((name) => `** Domain Name: ${name}\nCreated on..............: 2001-Aug-23.\n`);
    registry.on('taken.tr', registered('taken.tr'));
    const gateway = await start({ tr: registry.baseUrl });
    await lookUp(gateway, 'taken.tr', 'registration { source }');
    registry.on('taken.tr', status(500));
    clock.advance(2 * 24 * 60 * 60_000);
    expect(await lookUp(gateway, 'taken.tr', 'stale registration { source }')).toMatchObject({
      stale: true,
      registration: { source: 'RDAP' },
    });
    expect(whois.queries).toEqual(['taken.tr\r\n']);
  });

  it('is null if RDAP says that the name is not registered', async () => {
    registry.on('free.tr', notFound());
    registry.fallback(({ name }) => registered(name));
    const gateway = await start({ tr: registry.baseUrl });
    expect(await lookUp(gateway, 'free.tr', 'registration { id }')).toMatchObject({
      problem: null,
      registration: null,
    });
  });
});

it('a registration from WHOIS costs as much as one from RDAP', async () => {
  const metered = await forThisTest(startMeteredGateway, { clock, env: sourcesFile });
  const customer = await metered.newCustomer({ credits: 100 });
  const chargedFor = async (domain: string, selected: string) => {
    const query = `{ domain(name: "${domain}") { status ${selected} } }`;
    return costIn(await customer.graphql(query)).charged;
  };
  expect(await chargedFor('taken.it', '')).toBe(1);
  expect(await chargedFor('taken.it', 'registration { id }')).toBe(2);
  expect(await chargedFor('taken.it', 'rdap { id }')).toBe(1);
  expect(await chargedFor('taken.pk', 'registration { id }')).toBe(1);
  expect(costIn(await customer.fetch('/v1/rdap?domain=taken.it')).charged).toBe(2);
});

describe('the expiry of a name whose RDAP server omits it', () => {
  const timeline = 'registration { source expiresAt } timeline { event from source certainty }';
  const expires = {
    event: 'EXPIRES',
    from: '2098-07-04T07:15:55.000Z',
    source: 'whois',
    certainty: 'REGISTRY',
  };
  it('is that of WHOIS in the timeline alone, from the cache, too', async () => {
    registry.on('taken.fi', registered('taken.fi', { members: { events: [] } }));
    for (const cached of [false, true]) {
      await using gateway = await start({ fi: registry.baseUrl });
      const domain = await lookUp(gateway, 'taken.fi', timeline);
      expect(domain).toMatchObject({
        status: 'REGISTERED',
        source: 'rdap',
        cached,
        registration: { source: 'RDAP', expiresAt: null },
        timeline: expect.arrayContaining([expires]),
      });
      expect(JSON.stringify(domain)).not.toMatch('Anna');
    }
    expect(whois.queries).toEqual(['taken.fi\r\n']);
  });

  it('is not asked for if RDAP has it, for a verdict, or under another TLD', async () => {
    registry.on('taken1.fi', registered('taken1.fi', { expiresAt: '2097-01-01T00:00:00Z' }));
    registry.on('taken2.fi', registered('taken2.fi', { members: { events: [] } }));
    registry.on('taken3.tr', registered('taken3.tr', { members: { events: [] } }));
    const gateway = await start({ fi: registry.baseUrl, tr: registry.baseUrl });
    const { timeline: entries } = await lookUp(gateway, 'taken1.fi', timeline);
    expect(entries).toContainEqual({
      ...expires,
      from: '2097-01-01T00:00:00.000Z',
      source: 'rdap',
    });
    await gateway.graphql('{ domain(name: "taken2.fi") { available } }');
    await lookUp(gateway, 'taken3.tr', timeline);
    expect(whois.queries).toEqual([]);
  });

  it('is absent without a reply about the name, and decides nothing', async () => {
    registry.on('lost.fi', registered('lost.fi', { members: { events: [] } }));
    registry.on('free.fi', notFound());
    const gateway = await start({ fi: registry.baseUrl });
    const lost = await lookUp(gateway, 'lost.fi', timeline);
    expect(lost).toMatchObject({ status: 'REGISTERED', problem: null });
    expect(lost.timeline.map(({ event }: Json) => event)).not.toContain('EXPIRES');
    expect((await lookUp(gateway, 'free.fi', timeline)).status).toBe('AVAILABLE');
    expect(whois.queries).toEqual(['lost.fi\r\n']);
  });
});

import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeDas } from '../support/servers/fake-das-server.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startFakeZone } from '../support/servers/fake-zone.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock } from '../support/time/jumping-clock.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';

/** Base URLs of the servers. */

const clock = jumpingClock();
const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:google|nic|taken)\./, ({ name }) => registered(name));
registry.on(/^busy\./, () => status(503));
const young = await forThisFile(startFakeRegistry);
young.on(/^/, () => notFound());
const whois = await forThisFile(startFakeDas, (name) =>
  /^(?:google|nic|taken)\./.test(name)
    ? `Domain: ${name}\nStatus: ok\nCreated: 2001-02-03 04:05:06\n`
    : `Domain: ${name}\nStatus: AVAILABLE\n`,
);
const dns = await forThisFile(startFakeZone, (name) =>
  /^(?:google|held|busy)\./.test(name) ? 'delegated' : 'nxdomain',
);
const whoisServer = `${whois.host}:${whois.port}`;
const sources = await forThisFile(writeBootstrap, {
  suffixes: { '': { dns: dns.servers }, it: { whois: whoisServer }, bare: {} },
});
const limits = await forThisFile(writeBootstrap, { [whoisServer]: { rate: 0 } });
const servers = { rdap: registry.baseUrl, whois: `whois://${whoisServer}/` };
const gateway = await forThisFile(startGateway, {
  clock,
  registries: { listed: registry.baseUrl, young: young.baseUrl, google: registry.baseUrl },
  env: { SOURCES_FILE: sources.path, RDAP_LIMITS: limits.path },
});

const rowOf = async (query: string): Promise<Json> => {
  const response = await gateway.fetch(`/v1/status?domain=${query}&evidence=true`);
  await expectMatchesOpenApi(response.clone(), 'get /v1/status');
  return ((await response.json()) as Json).results[0];
};
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

describe('the evidence of a row', () => {
  it.each([
    ['taken.listed', 'proved', 'registry_record', 'registry'],
    ['free.listed', 'proved', 'registry_not_found', 'registry'],
    ['held.listed', 'unknown', 'contradicted', 'none'],
    ['busy.listed', 'proved', 'delegation', 'zone'],
    ['free.young', 'likely', 'registry_not_found_unproven', 'registry'],
    ['taken.it', 'proved', 'whois_registration', 'registry'],
    ['free.it', 'likely', 'whois_text', 'registry'],
    ['free.bare', 'unknown', 'not_delegated', 'none'],
    ['taken.das-only.test', 'proved', 'registry_status', 'registry'],
    ['reserved.test', 'proved', 'registry_reservation', 'registry'],
    ['free.google', 'proved', 'tld_policy', 'policy'],
  ])('of %s is %s by %s', async (name, word, rule, authority) => {
    const { evidence } = await rowOf(name);
    expect(evidence.conclusion).toMatchObject({ word, rule, authority });
    for (const text of ['sentence', 'authority_sentence', 'would_change'])
      expect(evidence.conclusion[text]).toMatch(/\.$/);
  });

  it('has each source with its times, its statement and its controls', async () => {
    const { evidence } = await rowOf('free.it');
    const common = { asked_at: time, answered_at: time, duration_ms: expect.any(Number) };
    expect(evidence.sources).toMatchObject([
      {
        ...common,
        source: 'whois',
        server: servers['whois'],
        pattern: 'available-1',
        statement: 'No such name',
        controls: [
          { kind: 'random_name', passed_at: time },
          { kind: 'registered_name', passed_at: time },
        ],
      },
      {
        ...common,
        source: 'dns',
        server: 'dns://it/',
        statement: 'The zone does not have the name',
        controls: [{ kind: 'random_name', passed_at: time }],
      },
    ]);
    for (const { asked_at, answered_at, duration_ms } of evidence.sources)
      expect(Date.parse(answered_at) - Date.parse(asked_at)).toBe(duration_ms);
  });

  it('says which status a server returned, and why a source gave no answer', async () => {
    const free = (await rowOf('free.listed')).evidence.sources[0];
    expect(free).toMatchObject({ http_status: 404, statement: 'HTTP 404: No such name' });
    expect(free).toMatchObject({ server: servers['rdap'], controls: [{ kind: 'canary' }] });
    const [busy] = (await rowOf('busy.listed&max_age=0')).evidence.sources;
    expect(busy).toMatchObject({ answer: 'registry_busy', http_status: 503 });
  });

  it.each(['free.listed', 'taken.listed', 'free.it', 'free.young'])(
    'of the stored answer about %s is that of the lookup',
    async (name) => {
      await rowOf(`${name}&max_age=0`);
      const asked = await rowOf(`${name}&max_age=0`);
      clock.advance(60_000);
      const stored = await rowOf(name);
      expect(stored.cached).toBe(true);
      expect(stored.evidence).toEqual({ ...asked.evidence, attempts: [] });
    },
  );

  it('is null without a lookup, and absent unless it is requested', async () => {
    expect((await rowOf('a..b')).evidence).toBeNull();
    const { results } = await gateway.get('/v1/status?domain=free.listed');
    expect(results[0]).not.toHaveProperty('evidence');
  });

  it.each([
    ['/v1/status/bulk', { domains: ['free.listed'], evidence: true }],
    ['/v1/status/bulk', { domains: ['free.listed'], options: { evidence: true } }],
    ['/v1/status/bulk?evidence=true', { domains: ['free.listed'] }],
  ])('is part of bulk calls: %s %j', async (path, body) => {
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const response = await gateway.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify(body),
      });
      const [line = ''] = (await response.text()).split('\n');
      const { results: [row] = [JSON.parse(line)] } = JSON.parse(line) as Json;
      expect(row.evidence.conclusion.word).toBe('proved');
    }
  });

  it('is part of records', async () => {
    const response = await gateway.fetch('/v1/rdap?domain=taken.listed&evidence=true');
    await expectMatchesOpenApi(response.clone(), 'get /v1/rdap');
    const { evidence } = (await response.json()) as Json;
    expect(evidence.conclusion.rule).toBe('registry_record');
  });

  it.each([
    '/v1/status?domain=free.listed&evidence=maybe',
    '/v1/rdap?query=192.0.2.1&evidence=true',
  ])('is refused by %s', async (path) => {
    const response = await gateway.fetch(path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', param: 'evidence' });
  });
});

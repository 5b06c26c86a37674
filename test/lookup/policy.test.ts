import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDomainName, splitName } from '../../src/domain/names/domain-name.ts';
import { launchOf } from '../../src/domain/launch.ts';
import { cautionsOf, policyKinds } from '../../src/domain/policy.ts';
import type { SourceSettings } from '../../src/registries/directory/sources-file.ts';
import { builtInTlds, Policies } from '../../src/registries/directory/tld-list.ts';
import facts from '../../src/registries/directory/tld-facts.json' with { type: 'json' };
import policies from '../../src/registries/directory/policies.json' with { type: 'json' };
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { parseCsv } from '../support/requests/csv.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp } from '../support/requests/mcp-client.ts';
import { json, registered } from '../support/bodies/replies.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';

const words = (lines: readonly string[]) => lines.flatMap((line) => line.split(' '));
const brands = words(policies.brand);
const closed = Object.keys(policies.closed);
const others = 'bank box ch com fr shop web ws unlisted xn--e1a4c co.za'.split(' ');
const tlds = [...brands, ...closed, ...others];
const newTld = 'unlisted';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken)\./, ({ name }) => registered(name));
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries(tlds.map((tld) => [tld, registry.baseUrl])),
  env: { RATE_LIMIT: '0', RDAP_RATE: '0' },
});

async function rowOf(domain: string): Promise<Json> {
  const { data } = await gateway.graphql(
    `query ($domain: String!) {
      domain(name: $domain) { status available reason problem { code detail } cautions { code detail } }
    }`,
    { domain },
  );
  return data.domain;
}

describe('an unregistered name that nobody can register', () => {
  it.each([
    ['idea.google', 'brand_tld', 'Only the brand that operates .google'],
    ['idea.za', 'closed_tld', 'Names are not registered directly under .za'],
    ['www.shop', 'reserved_label', 'must reserve "www"'],
    ['q.com', 'reserved_label', 'must reserve "q"'],
    ['bücher.bank', 'script_not_offered', '.bank has no table for "ü"'],
    ['привет.box', 'script_not_offered', '.box has no table for "п"'],
    ['приветλ.com', 'script_not_offered', 'in this label'],
    ['xn--i-7iq.com', 'script_not_offered', '.com has no table for "❤"'],
  ])('%s is RESERVED, with the problem %s', async (domain, code, detail) => {
    expect(await rowOf(domain)).toEqual({
      status: 'RESERVED',
      available: false,
      reason: null,
      problem: { code, detail: expect.stringContaining(detail) },
      cautions: [],
    });
    const body = await gateway.get(`/v1/status?domain=${domain}`);
    expect(body.results[0]).toMatchObject({ available: false, status: 'reserved' });
    expect(body.results[0].detail).toContain(detail);
    expect(body.meta.available_count).toBe(0);
    expect(await gateway.get(`/v1/rdap?domain=${domain}`)).toMatchObject({
      status: 'reserved',
      problem: { code },
    });
    const relayed = await gateway.fetch(`/rdap/domain/${domain}`);
    expect(relayed.status).toBe(404);
    expect(await relayed.text()).toContain('is not registered');
  });

  it('is REGISTERED as soon as the registry has it', async () => {
    expect(await rowOf('taken.google')).toMatchObject({ status: 'REGISTERED', problem: null });
    expect(await rowOf('taken.za')).toMatchObject({ status: 'REGISTERED', problem: null });
  });

  it('is AVAILABLE one level below a closed TLD', async () => {
    expect(await rowOf('idea.co.za')).toMatchObject({ status: 'AVAILABLE', problem: null });
  });
});

describe('cautions', () => {
  it.each([
    ['idea.com', []],
    ['idea.bank', ['restricted_tld']],
    ['france.shop', ['reserved_label']],
    ['7a.shop', ['reserved_label']],
    ['7a.com', ['short_label']],
    ['xn--caf-dma.com', ['idn_unverified']],
    ['ひらがな漢字カナ.com', ['idn_unverified']],
    ['привет.fr', ['restricted_tld', 'idn_unverified']],
    ['i❤.ws', ['idn_unverified']],
    ['ක්‍ෂ.com', ['idn_unverified']],
    ['क्‍ष.com', ['idn_unverified']],
    ['idea.web', ['not_sold', 'launch_phase']],
    [`idea.${newTld}`, []],
    ['taken.bank', []],
  ])('of %s are %j, and never change the verdict', async (domain, codes) => {
    const { status, cautions } = await rowOf(domain);
    expect(status).toBe(domain.startsWith('taken') ? 'REGISTERED' : 'AVAILABLE');
    expect(cautions.map(({ code }: Json) => code)).toEqual(codes);
    const body = await gateway.get(`/v1/status?domain=${domain}`);
    expect(body.results[0].cautions).toEqual(codes.length > 0 ? cautions : undefined);
  });

  it('name the source of a letter that others than the registry exclude', async () => {
    const { cautions } = await rowOf('привет.ch');
    expect(cautions[0].detail).toBe(
      'According to Dynadot, an old page of the registry, Amazon Route 53, the registry of .ch has no table for "п" in this label.',
    );
  });

  it.each<[string, Record<string, Json>]>(
    Object.entries({
      'its title': { title: 'Domain is in the Expiry Access Period' },
      'its description': {
        description: [
          'This domain is currently available for registration in the Expiry Access Period.',
        ],
      },
      'a notice': {
        notices: [
          {
            title: 'Expiry Access Period',
            description: ['idea.shop is in the Expiry Access Period.'],
          },
        ],
      },
    }),
  )('say that a name is in its access period if the 404 says so in %s', async (_where, members) => {
    const domain = `period${Object.keys(members).join('')}.shop`;
    const body = JSON.stringify({ errorCode: 404, ...members }).replaceAll('idea.shop', domain);
    registry.on(domain, json(404, JSON.parse(body)));
    for (const cached of [false, true])
      expect(await gateway.get(`/v1/status?domain=${domain}`)).toMatchObject({
        results: [{ available: true, cached, cautions: [{ code: 'expiry_access_period' }] }],
      });
  });

  it('say who may register a name, and whether the registry verifies it', async () => {
    const { cautions } = await rowOf('idea.bank');
    expect(cautions[0].detail).toBe(
      'Registration under .bank requires membership in the regulated sector. The registry verifies it before the registration.',
    );
  });

  it('are shown to agents and in CSV', async () => {
    await using mcp = await connectMcp(gateway.url);
    const { structuredContent, content } = await mcp.call('check_domains', {
      names: ['idea.bank', 'idea.google'],
    });
    expect(structuredContent?.['results']).toMatchObject([
      { available: true, cautions: [{ code: 'restricted_tld' }] },
      { available: false, status: 'reserved' },
    ]);
    expect(JSON.stringify(content)).toContain('idea.bank (restricted_tld)');
    const csv = await gateway.fetch('/v1/status?domain=idea.bank', {
      headers: { accept: 'text/csv' },
    });
    expect(parseCsv(await csv.text())).toMatchObject([{ cautions: 'restricted_tld' }]);
  });

  it('are printed by `check`', async () => {
    await using folder = await scratch();
    const { stdout } = await runCommandLine(
      ['check', 'idea.bank', '--server', gateway.url],
      commandLineEnvironment(folder.path),
    );
    expect(JSON.parse(stdout).cautions[0].code).toBe('restricted_tld');
  });
});

/** Writes a sources file with a policy of `.google`, and without the DNS. */
async function withPolicy(folder: Scratch, policy: string): Promise<string> {
  const path = join(folder.path, 'sources.json');
  await writeFile(path, JSON.stringify({ suffixes: { '': { dns: null }, google: { policy } } }));
  return path;
}

describe('the policy of a TLD', () => {
  it('is part of the catalogue', async () => {
    const { data } = await gateway.graphql(`{
      google: tlds(search: "google") { nodes { label policy policyDetail } }
      com: tlds(search: "com") { nodes { label policy policyDetail } }
    }`);
    expect(data.google.nodes).toContainEqual({
      label: 'google',
      policy: 'BRAND',
      policyDetail: expect.stringContaining('Only the brand'),
    });
    expect(data.com.nodes).toContainEqual({ label: 'com', policy: 'OPEN', policyDetail: null });
    const body = await gateway.get('/v1/tlds?limit=10000');
    expect(body.tlds).toContainEqual(
      expect.objectContaining({ tld: 'bank', policy: 'restricted' }),
    );
  });

  it('has a date, the scripts of the registry, and its launch', async () => {
    const fields = 'label policy policyDate scripts launch { phase opensAt }';
    const { data } = await gateway.graphql(`{
      bank: tlds(search: "bank") { nodes { ${fields} } }
      web: tlds(search: "web") { nodes { ${fields} } }
    }`);
    expect(data.bank.nodes).toContainEqual({
      label: 'bank',
      policy: 'RESTRICTED',
      policyDate: facts.date,
      scripts: [],
      launch: null,
    });
    expect(data.web.nodes).toContainEqual({
      label: 'web',
      policy: 'NOT_SOLD',
      policyDate: facts.date,
      scripts: [],
      launch: { phase: 'DELEGATED', opensAt: null },
    });
    const body = await gateway.get('/v1/tlds?limit=10000');
    expect(body.tlds).toContainEqual(
      expect.objectContaining({
        tld: 'web',
        policy: 'not_sold',
        policy_date: facts.date,
        scripts: [],
        launch: expect.objectContaining({ phase: 'delegated', opens_at: null }),
      }),
    );
  });

  it('orders @all by usefulness', async () => {
    const { data } = await gateway.graphql(
      '{ tlds(set: "all", first: 100) { nodes { label policy } } }',
    );
    const labels = data.tlds.nodes.map(({ label }: Json) => label);
    expect(labels.slice(0, 4)).toEqual(['co', 'io', 'me', 'com']);
    expect(labels.indexOf('bank')).toBeLessThan(labels.indexOf('web'));
    expect(labels.indexOf('web')).toBeLessThan(labels.indexOf('aaa'));
  });

  it('is that of the operator, if SOURCES_FILE has one', async () => {
    await using folder = await scratch();
    await using own = await startGateway({
      registries: { google: registry.baseUrl },
      env: { SOURCES_FILE: await withPolicy(folder, 'OPEN') },
    });
    const { data } = await own.graphql('{ domain(name: "idea.google") { status } }');
    expect(data.domain.status).toBe('AVAILABLE');
  });

  it('must be one of the kinds', async () => {
    await using folder = await scratch();
    const env = { SOURCES_FILE: await withPolicy(folder, 'brand') };
    await expect(startGateway({ env })).rejects.toThrow(
      `policy of the suffix "google" must be one of ${policyKinds.join(', ')}`,
    );
  });
});

describe('a new TLD', () => {
  const dates = {
    tld: 'fresh',
    source: 'a list',
    sunrise: '2027-01-10',
    earlyAccess: '2027-03-01',
  };

  it.each([
    ['2027-01-09', 'DELEGATED'],
    ['2027-01-10', 'SUNRISE'],
    ['2027-03-01', 'EARLY_ACCESS'],
    ['2027-03-08', undefined],
  ])('is on %s in the phase %s', (day, phase) => {
    const launch = launchOf({ ...dates, generalAvailability: '2027-03-08' }, Date.parse(day));
    expect(launch?.phase).toBe(phase);
    expect(launch?.opensAt).toBe(phase && '2027-03-08');
  });

  it('that no fact is about is new for a year since it was first listed', () => {
    let now = Date.parse('2027-01-01');
    const known = new Policies({ hasPolicies: false } as SourceSettings, () => now);
    known.see(new Set([...builtInTlds, 'fresh']));
    const codes = () =>
      cautionsOf(splitName(parseDomainName('idea.fresh')), known.of('fresh'), now).map(
        ({ code }) => code,
      );
    expect(codes()).toEqual(['launch_phase']);
    now = Date.parse('2027-12-31');
    known.see(new Set([...builtInTlds, 'fresh']));
    expect(codes()).toEqual(['launch_phase']);
    now = Date.parse('2028-01-01');
    expect(codes()).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import facts from '../../src/registries/directory/tld-facts.json' with { type: 'json' };
import { builtInTlds } from '../../src/registries/directory/tld-list.ts';
// @ts-expect-error: the scripts of the page have no declarations
import { verdictOf } from '../../src/client/verdicts.js';
import { parseCsv } from '../support/requests/csv.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp } from '../support/requests/mcp-client.ts';
import { seededRandom } from '../support/time/random.ts';
import { notFound, registered } from '../support/bodies/replies.ts';

/** `POLICY_NAMES=10000` for all TLDs, some with several names. */
const nameCount = Number(process.env['POLICY_NAMES'] ?? 750);
const seed = Number(process.env['FUZZ_SEED'] ?? 6);

const registry = await forThisFile(startFakeRegistry);
registry.on(/^nic\./, ({ name }) => registered(name));
registry.on(/^taken/, ({ name }) => registered(name));
registry.on(/^redemption/, ({ name }) => registered(name, { statuses: ['redemption period'] }));
registry.on(/^reserved/, notFound('The name is reserved.'));
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries([...builtInTlds].map((tld) => [tld, registry.baseUrl])),
  env: { RATE_LIMIT: '0', RDAP_RATE: '0', QUEUE_TIMEOUT_MS: '600000', RDAP_TIMEOUT_MS: '600000' },
});

const starts = ['idea', 'idea', 'idea', 'taken', 'redemption', 'reserved'] as const;
const letters = ['ü', 'ß', 'ж', 'λ', 'ا', '名', 'か', 'ด', 'ක්‍ෂ', '❤', 'üж', 'é名'] as const;
const oddLabels = ['www', 'q', 'nic', '42', 'x-y', 'xn--a', 'ab--c'] as const;

/** Returns names over all TLDs in turn, and labels of each kind. */
function generatedNames(): readonly string[] {
  const random = seededRandom(seed);
  // Those with a rule of their own come first.
  const special = [
    'za',
    'google',
    'bank',
    'box',
    'com',
    'fr',
    'ws',
    'web',
    ...facts.notSold.flat(),
  ];
  const known = special.filter((tld) => builtInTlds.has(tld));
  const tlds = [...new Set([...known, ...builtInTlds])];
  const label = (index: number) => {
    if (index < known.length) return `idea${index}`;
    if (random.chance(0.1)) return random.pick(oddLabels);
    const letter = random.chance(0.5) ? random.pick(letters) : '';
    return `${random.pick(starts)}${index.toString(36)}${letter}`;
  };
  return Array.from(
    { length: nameCount },
    (_, index) => `${label(index)}.${tlds[index % tlds.length]}`,
  );
}

/** What each API says of a name, in one form. */
interface Said {
  readonly available: boolean | null;
  readonly status: string;
  readonly cautions: readonly string[];
}

const said = ({ available, status, cautions = [] }: Json): Said => ({
  available,
  status: status.toLowerCase(),
  cautions: cautions.map(({ code }: Json) => code),
});

/** Looks names up until two answers are equal: on a busy machine, a lookup may be too late. */
async function settledRows(domains: readonly string[]): Promise<readonly Json[]> {
  const query = `query ($domains: [String!]) { domains(domains: $domains) {
    domain tld available status confidence problem { code } cautions { code detail }
  } }`;
  let before = '';
  for (;;) {
    const { data } = await gateway.graphql(query, { domains });
    const now = JSON.stringify(data.domains);
    if (now === before) return data.domains;
    before = now;
  }
}

it(`says the same of generated names in all APIs and on the page (seed ${seed})`, async () => {
  const { tlds } = await gateway.get('/v1/tlds?limit=10000');
  const policyOf = new Map<string, string>(tlds.map(({ tld, policy }: Json) => [tld, policy]));
  await using mcp = await connectMcp(gateway.url);
  const seen = new Map<string, number>();
  const names = [...new Set(generatedNames())];
  // MCP answers this many names in one call.
  for (let at = 0; at < names.length; at += 125) {
    const domains = names.slice(at, at + 125);
    const rows = await settledRows(domains);
    const bulk = await (await gateway.post('/v1/status/bulk', { domains })).json();
    const csv = await gateway.post('/v1/status/bulk', { domains }, { accept: 'text/csv' });
    const inOrder = parseCsv(await csv.text()).toSorted(
      (a, b) => Number(a['index']) - Number(b['index']),
    );
    const lines = inOrder.map((line) => ({
      available: { true: true, false: false }[line['available'] ?? ''] ?? null,
      status: line['status'] ?? '',
      cautions: (line['cautions'] ?? '').split(/[ ,;]+/).filter(Boolean),
    }));
    const { structuredContent } = await mcp.call('check_domains', { names: domains });

    const expected = rows.map(said);
    expect(bulk.results.map(said)).toEqual(expected);
    expect(lines).toEqual(expected);
    expect(structuredContent?.['results'].map(said)).toEqual(expected);
    for (const row of rows) {
      const { status, available, cautions, tld } = row;
      const policy = policyOf.get(tld);
      if (policy === 'brand' || policy === 'closed')
        expect(available, row['domain']).not.toBe(true);
      const tile = verdictOf(row);
      const isGreen = tile.kind === 'available' || tile.kind === 'likely';
      const codes = cautions.map(({ code }: Json) => code);
      expect(isGreen, row['domain']).toBe(available === true && !codes.includes('not_sold'));
      // A tile that is not green says so by itself; each other caution has a note.
      if (isGreen && codes.length > 0) expect(tile.note.split(', ')).toHaveLength(codes.length);
      for (const code of [status, row['problem']?.code, ...codes])
        seen.set(code, (seen.get(code) ?? 0) + 1);
    }
  }
  const kinds = 'AVAILABLE REGISTERED REDEMPTION RESERVED INVALID not_sold brand_tld closed_tld';
  const lettersOf = 'script_not_offered idn_unverified reserved_label restricted_tld launch_phase';
  for (const kind of `${kinds} ${lettersOf}`.split(' ')) expect([...seen.keys()]).toContain(kind);
}, 600_000);

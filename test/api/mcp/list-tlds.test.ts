import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { connectMcp } from '../../support/requests/mcp-client.ts';

const tlds = ['at', 'bank', 'bmw', 'br', 'cw', 'dev', 'fr', 'jp', 'uk', 'xn--p1ai'];

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries(tlds.map((tld) => [tld, registry.baseUrl])),
});
const mcp = await forThisFile(connectMcp, gateway.url);

/** Returns those of the TLDs above that a call lists. */
async function listed(args: Json): Promise<readonly string[]> {
  const { structuredContent } = await mcp.call('list_tlds', args);
  return structuredContent.tlds
    .map(({ tld }: Json) => tld)
    .filter((tld: string) => tlds.includes(tld))
    .toSorted();
}

it.each<[search: string, found: string[]]>([
  ['Brazil', ['br']],
  ['united kingdom', ['uk']],
  ['Curaçao', ['cw']],
  ['curacao', ['cw']],
  ['RUSSIA', ['xn--p1ai']],
  ['рф', ['xn--p1ai']],
  ['french', ['fr']],
  ['developers', ['dev']],
  ['@tech', ['dev']],
  ['country code', ['at', 'br', 'cw', 'fr', 'jp', 'uk', 'xn--p1ai']],
  ['.BANK', ['bank']],
  ['banks', []],
  ['Germ', []],
  ['@', []],
])('finds TLDs by %j', async (search, found) => {
  expect(await listed({ search })).toEqual(found);
  const { data } = await gateway.graphql(
    'query ($search: String) { tlds(search: $search, set: "@all", first: 100) { nodes { label } } }',
    { search },
  );
  const labels: string[] = data.tlds.nodes.map(({ label }: Json) => label);
  expect(labels.filter((label) => tlds.includes(label)).toSorted()).toEqual(found);
});

it('lists the TLD that the text is first, then those that begin with it', async () => {
  const labels = ['codes', 'es', 'estate', 'games'];
  const registries = Object.fromEntries(labels.map((label) => [label, registry.baseUrl]));
  await using other = await startGateway({ registries });
  const { data } = await other.graphql('{ tlds(search: ".ES") { nodes { label } } }');
  const found = data.tlds.nodes.map(({ label }: Json) => label);
  expect(found.filter((label: string) => labels.includes(label))).toEqual(
    'es estate codes games'.split(' '),
  );
});

it('finds a TLD by what its registry requires', async () => {
  const { structuredContent } = await mcp.call('list_tlds', { search: 'bank' });
  const { policy, policy_detail: detail } = structuredContent.tlds[0];
  expect([policy, detail]).toEqual(['restricted', expect.stringContaining('requires')]);
  const [, requirement = ''] = /requires .*?(\w{6,})/.exec(detail) ?? [];
  expect(await listed({ search: requirement })).toContain('bank');
});

it('answers which TLDs are open to anyone', async () => {
  expect(await listed({ open_to_anyone: true })).not.toEqual(
    expect.arrayContaining(['bank', 'bmw']),
  );
  const { content, structuredContent } = await mcp.call('list_tlds', { open_to_anyone: true });
  const policies = structuredContent.tlds.map(({ policy }: Json) => policy);
  for (const policy of policies) expect(['open', 'unknown']).toContain(policy);
  expect(JSON.stringify(content)).toContain('No restriction');
  expect(await listed({ open_to_anyone: false })).toEqual(expect.arrayContaining(['bank', 'bmw']));
});

it('answers which TLDs can prove availability, in text and in structured content', async () => {
  const proven = await mcp.call('list_tlds', { proves_available: true });
  expect(proven.structuredContent.tlds.length).toBeGreaterThan(tlds.length);
  for (const tld of proven.structuredContent.tlds) expect(tld.proves_available).toBe(true);
  const others = await mcp.call('list_tlds', { proves_available: false, limit: 1 });
  expect(others.structuredContent.tlds[0].proves_available).toBe(false);
  expect(JSON.stringify(others.content)).toMatch(/\d+ TLDs: \w+ \(.*cannot prove availability\)/);
});

it('continues a filtered list on the next page', async () => {
  const args = { search: 'country code', proves_available: true };
  const all = await mcp.call('list_tlds', args);
  const first = await mcp.call('list_tlds', { ...args, limit: 2 });
  const after = first.structuredContent.next;
  const second = await mcp.call('list_tlds', { ...args, after });
  expect(first.structuredContent.total).toBe(all.structuredContent.total);
  expect([...first.structuredContent.tlds, ...second.structuredContent.tlds]).toEqual(
    all.structuredContent.tlds,
  );
});

import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { schemaFields } from '../../../src/api/mcp/schema-fields.ts';
import { schema } from '../../../src/app/schema.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { connectMcp } from '../../support/requests/mcp-client.ts';

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0' } });
const mcp = await forThisFile(connectMcp, gateway.url);
const search = async (args: Json): Promise<Json> =>
  (await mcp.call('search_schema', args)).structuredContent ?? {};

it('knows each field of queries, with a valid example', () => {
  const fields = schemaFields(schema);
  const roots = fields.map(({ path }) => path).filter((path) => !path.includes('.'));
  const known = Object.keys(schema.getQueryType()?.getFields() ?? {});
  // Values that only other answers and routers have.
  const left = known.filter((name) => !['node', 'nodes', '_entities'].includes(name));
  expect(roots.toSorted()).toEqual(left.toSorted());
  for (const { path, example } of fields)
    expect([path, ...validate(schema, parse(example))]).toEqual([path]);
});

it.each([
  ['registrar of a domain', 'domain.registration.registrar', 2],
  ['when does a name expire', 'domain.registration.expiresAt', 2],
  ['is a name available', 'domain.available', 1],
  ['mail servers of a site', 'domain.dns.mx', 2],
  ['ssl certificate expiry date of a host', 'domain.tls', 11],
  ['network of an IP address', 'ip', 2],
  ['who owns an AS number', 'autnum', 2],
  ['how many credits are left', 'account.creditsRemaining', 0],
  ['which endings are open to anyone, policy', 'tlds', 0],
])('finds "%s"', async (query, path, price) => {
  const { fields } = await search({ query, limit: 25 });
  const found = fields.filter((field: Json) => field.path.startsWith(path));
  expect(found[0], fields.map((field: Json) => field.path).join('\n')).toBeDefined();
  expect(found[0].price).toBe(price);
});

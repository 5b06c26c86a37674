import { expect, it } from 'vitest';
import { prices } from '../../src/execution/prices.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateway.ts';
import { costIn, startMeteredGateway } from '../support/metered-gateway.ts';
import { network } from '../support/registry-objects.ts';

const registry = await forThisFile(startFakeRegistry);
/** No document and no setting names this server. */
const stranger = await forThisFile(startFakeRegistry);
const metered = await forThisFile(startMeteredGateway, {
  objects: { ipv4: { '8.0.0.0/8': registry.baseUrl } },
});
const customer = await metered.newCustomer();

const rdap = 'application/rdap+json';
const upTo = (href: string, type: string | undefined = rdap, rel = 'up') => ({
  links: [
    { value: 'x', rel: 'self', href: `${registry.baseUrl}ip/8.8.8.0/24`, type: rdap },
    { value: 'x', rel, href, ...(type && { type }) },
  ],
});
const outer = `${registry.baseUrl}ip/8.8.0.0/16`;
registry.on('ip/8.8.0.0/16', network('8.8.0.0', '8.8.255.255'));
stranger.on(/^ip\//, network('8.8.0.0', '8.8.255.255'));

/** Returns the response to a query for the network around 8.8.N.0/24, whose object has `members`. */
async function parentOf(third: number, members: Json): Promise<Response> {
  registry.on(`ip/8.8.${third}.1`, network(`8.8.${third}.0`, `8.8.${third}.255`, members));
  return customer.graphql(
    `{ ip(address: "8.8.${third}.1", maxAge: 0) { parent { found handle problem { code } } } }`,
  );
}
const parentIn = async (response: Response): Promise<Json> =>
  (await response.json()).data.ip.parent;

it('is the network to which the registry links, and costs as much as another one', async () => {
  const response = await parentOf(1, upTo(outer, `${rdap}; charset=utf-8`));
  expect(costIn(response).charged).toBe(prices.object(2));
  expect(await parentIn(response)).toEqual({ found: true, handle: 'NET-8.8.0.0', problem: null });
  expect(await parentIn(await parentOf(2, upTo(outer, rdap, 'rdap-up')))).toMatchObject({
    found: true,
  });
});

it.each([
  ['without a link', {}],
  ['of another media type', upTo(outer, 'text/html')],
  ['to something else than a network', upTo(`${registry.baseUrl}entity/X`)],
  ['to a network elsewhere', upTo(`${registry.baseUrl}ip/8.9.0.0/16`)],
  ['to the network itself', upTo(`${registry.baseUrl}ip/8.8.3.0/24`)],
  ['of another scheme', upTo('file:///ip/8.8.0.0/16')],
])('is null with a link %s', async (_what, members) => {
  expect(await parentIn(await parentOf(3, members))).toBeNull();
});

it('is not looked up at a private address that the operator does not name', async () => {
  const members = upTo(`${stranger.baseUrl}ip/8.8.0.0/16`);
  expect(await parentIn(await parentOf(4, members))).toMatchObject({
    found: null,
    problem: { code: 'registry_error' },
  });
  expect(stranger.requests).toEqual([]);
});

it('is in the sandbox, for free', async () => {
  const response = await customer.graphql(
    '{ ip(address: "192.0.2.1") { parent { handle parent { handle } } } }',
  );
  expect(costIn(response).charged).toBe(0);
  expect(await parentIn(response)).toEqual({ handle: 'NET-192-0-2-0-24-SANDBOX', parent: null });
});

import { expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { costIn, startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { network } from '../support/bodies/registry-objects.ts';
import { html, json, notFound, redirect, status, type Reply } from '../support/bodies/replies.ts';

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

const search = 'ips/rirSearch1/rdap-up/';
const announced = { rdapConformance: ['rdap_level_0', 'rirSearch1'] };

it.each([
  [
    'that a link names',
    20,
    `${search}8.8.20.0%20-%208.8.20.255`,
    upTo(`${registry.baseUrl}${search}8.8.20.0%20-%208.8.20.255`, rdap, 'rdap-up'),
  ],
  ['that is announced', 21, `${search}8.8.21.0/24`, announced],
])('is found by a search %s (RFC 9910)', async (_what, third, path, members) => {
  registry.on((_name, { url }) => url.endsWith(path), network('8.8.0.0', '8.8.255.255'));
  const response = await parentOf(third, members);
  expect(costIn(response).charged).toBe(prices.object(2));
  expect(await parentIn(response)).toEqual({ found: true, handle: 'NET-8.8.0.0', problem: null });
});

it.each([
  ['there is none', 22, notFound(), null],
  ['the result is the network itself', 23, network('8.8.23.0', '8.8.23.255'), 'untrusted_answer'],
  ['the result is a smaller one', 24, network('8.8.24.0', '8.8.24.127'), 'untrusted_answer'],
  ['the result is elsewhere', 25, network('8.9.0.0', '8.9.255.255'), 'untrusted_answer'],
  ['the result is a list', 26, json(200, { ipSearchResults: [] }), 'untrusted_answer'],
  ['the search fails', 27, status(500), 'registry_error'],
])('is null or has a problem if %s', async (_what, third, reply, code) => {
  registry.on((_name, { url }) => url.endsWith(`${search}8.8.${third}.0/24`), reply);
  const parent = await parentIn(await parentOf(third, announced));
  expect(parent?.problem?.code ?? null).toBe(code);
  expect(parent?.found ?? null).toBeNull();
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
  // A metric would have a label for each server that a registry names.
  const metrics = await (await metered.gateway.fetch('/metrics')).text();
  expect(metrics).toContain(new URL(registry.baseUrl).host);
  expect(metrics).not.toContain(new URL(stranger.baseUrl).host);
});

it.each<[string, Reply]>([
  ['redirects to itself', redirect(`${registry.baseUrl}ip/8.8.0.0/17`)],
  ['redirects to a private address', redirect(`${stranger.baseUrl}ip/8.8.0.0/17`)],
  ['is of another class', json(200, { objectClassName: 'autnum', startAutnum: 1, endAutnum: 9 })],
  ['is a smaller network', network('8.8.0.0', '8.8.0.255')],
  ['is no JSON', html(200)],
  ['is huge', json(200, { objectClassName: 'ip network', remarks: 'x'.repeat(3_000_000) })],
])('is unknown if the answer %s', async (_what, reply) => {
  registry.on('ip/8.8.0.0/17', reply);
  const members = upTo(`${registry.baseUrl}ip/8.8.0.0/17`);
  const parent = await parentIn(await parentOf(5, members));
  expect(parent).toMatchObject({ found: null, handle: null });
  expect(parent.problem.code).toMatch(/^(?:registry_error|untrusted_answer)$/);
  expect(stranger.requests).toEqual([]);
});

it('is in the sandbox, for free', async () => {
  const response = await customer.graphql(
    '{ ip(address: "192.0.2.1") { parent { handle parent { handle } } } }',
  );
  expect(costIn(response).charged).toBe(0);
  expect(await parentIn(response)).toEqual({ handle: 'NET-192-0-2-0-24-SANDBOX', parent: null });
});

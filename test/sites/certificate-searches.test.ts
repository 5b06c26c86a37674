import dns from 'node:dns';
import { type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, it } from 'vitest';
import { startHttpServer } from '../support/servers/http-server.ts';
import { startSiteGateway } from '../support/gateways/site-gateway.ts';

/**
 * Starts a search without certificates that holds its responses for names with `slow` and
 * fails for those with `broken`.
 */
async function startSearch() {
  const held: ServerResponse[] = [];
  const firstHeld = Promise.withResolvers<void>();
  let isHolding = true;
  const server = await startHttpServer(({ url = '' }, response) => {
    if (url.includes('broken')) return response.writeHead(502).end();
    if (!isHolding || !url.includes('slow')) return response.end('[]');
    held.push(response);
    return firstHeld.resolve();
  });
  return {
    ...server,
    firstHeld: firstHeld.promise,
    release() {
      isHolding = false;
      for (const response of held) response.end('[]');
    },
  };
}

it('lets an account search while the searches of another are queued', async () => {
  await using search = await startSearch();
  await using running = await startSiteGateway(
    { 'https://shop.example/': {} },
    { env: { CT_SEARCH_URL: search.url } },
  );
  const [first, second] = [await running.metered.newCustomer(), running.customer];
  const names = Array.from({ length: 10 }, (_, index) => `slow${index}.example`);
  const fields = names.map(
    (name, index) => `s${index}: site(host: "${name}") { certificates { problem { code } } }`,
  );
  const queued = first.graphql(`{ ${fields.join(' ')} }`);
  await search.firstHeld;
  const response = await second.graphql(
    '{ site(host: "shop.example") { certificates { totalCount } } }',
  );
  expect((await response.json()).data).toEqual({ site: { certificates: { totalCount: 0 } } });
  search.release();
  await queued;
});

it.each(['certificates', 'subdomains'])('costs nothing if the search of %s fails', async (path) => {
  await using search = await startSearch();
  await using running = await startSiteGateway(
    { 'https://shop.example/': {} },
    { env: { CT_SEARCH_URL: search.url } },
  );
  const response = await running.customer.fetch(`/v1/${path}?domain=broken.example`);
  expect([response.status, response.headers.get('x-credits-charged')]).toEqual([503, '0']);
  expect(await response.json()).toMatchObject({
    code: 'ct_unavailable',
    detail: 'The certificate search responded with status 502.',
  });
});

const systemLookup = dns.lookup;
afterEach(() => {
  dns.lookup = systemLookup;
  syncBuiltinESMExports();
});

/** The service of the test has the name crt.sh: no request leaves the machine. */
const lookup = (_host: string, options: dns.LookupOptions, callback: (...args: never) => void) =>
  systemLookup('127.0.0.1', options, callback as never);

it('does not search at crt.sh while the limit of its requests is used up', async () => {
  dns.lookup = lookup as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  await using search = await startSearch();
  await using running = await startSiteGateway(
    { 'https://shop.example/': {} },
    { env: { CT_SEARCH_URL: `http://crt.sh:${search.port}/`, QUEUE_TIMEOUT_MS: '100' } },
  );
  const other = await running.metered.newCustomer();
  const first = other.fetch('/v1/certificates?domain=slow.example');
  await search.firstHeld;
  const second = await running.customer.fetch('/v1/certificates?domain=shop.example');
  expect([second.status, second.headers.get('x-credits-charged')]).toEqual([504, '0']);
  expect(await second.json()).toMatchObject({
    detail: 'The certificate search was not queried. Too many searches are queued.',
  });
  await search[Symbol.asyncDispose]();
  expect((await first).status).toBe(503);
});

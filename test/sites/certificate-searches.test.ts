import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startSiteGateway } from '../support/site-gateway.ts';

/** Starts a search without certificates that holds its responses for names with `slow`. */
async function startSearch() {
  const held: ServerResponse[] = [];
  const firstHeld = Promise.withResolvers<void>();
  let isHolding = true;
  const server = createServer(({ url = '' }, response) => {
    if (!isHolding || !url.includes('slow')) return response.end('[]');
    held.push(response);
    return firstHeld.resolve();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    firstHeld: firstHeld.promise,
    release() {
      isHolding = false;
      for (const response of held) response.end('[]');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
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

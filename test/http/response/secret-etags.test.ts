import { hash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import {
  callerWith,
  startMeteredGateway,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { postgresMissing, startPostgres } from '../../support/postgres.ts';
import { registered } from '../../support/replies.ts';

let metered: MeteredGateway;
beforeAll(async () => {
  metered = await startMeteredGateway();
  metered.registry.on(/^taken/, ({ name }) => registered(name));
});
afterAll(() => metered[Symbol.asyncDispose]());

const path = (domain: string) => `/v1/status?domain=${domain}`;

/** The hash of the body that says so, as a caller can make it up. */
function guess(domain: string, available: boolean): string {
  const status = available ? 'available' : 'registered';
  const row = {
    domain,
    tld: 'example',
    available,
    status,
    source: 'rdap',
    rdap_endpoint: metered.registry.baseUrl,
    stale: false,
  };
  return `W/"${hash('sha256', JSON.stringify({ name: null, results: [row] }), 'base64url')}"`;
}

const env = { AUTH: 'required', RATE_LIMIT: '0' };
const gatewayAt = (storeUrl: string, more = env) =>
  startGateway({
    registries: { example: metered.registry.baseUrl },
    env: { ...more, STORE_URL: storeUrl },
  });
const tagAt = async (gateway: Gateway, key: string, asked: string) =>
  (await callerWith(key, gateway.fetch).fetch(asked)).headers.get('etag');

describe('an ETag', () => {
  it.each(['taken.example', 'free.example'])(
    'cannot be made up, to read for free what others paid for: %s',
    async (domain) => {
      const [payer, thief] = [await metered.newCustomer(), await metered.newCustomer()];
      await payer.fetch(path(domain));
      const tags = `${guess(domain, true)}, ${guess(domain, false)}`;
      const answer = await thief.fetch(path(domain), { headers: { 'if-none-match': tags } });
      expect([answer.status, (await thief.balance()).used]).toEqual([200, 1]);
    },
  );

  it('of one account is none of another', async () => {
    const [payer, thief] = [await metered.newCustomer(), await metered.newCustomer()];
    const etag = (await payer.fetch(path('taken.example'))).headers.get('etag') ?? '';
    const answer = await thief.fetch(path('taken.example'), { headers: { 'if-none-match': etag } });
    expect([answer.status, answer.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('is the same to the same caller after a restart, and on another node', async () => {
    const customer = await metered.newCustomer();
    const asked = path('taken.example');
    const tags = [await tagAt(metered.gateway, customer.key, asked)];
    const storeUrl = `sqlite:${join(metered.folder, 'gateway.db')}`;
    await using first = await gatewayAt(storeUrl);
    await using second = await gatewayAt(storeUrl);
    for (const gateway of [first, second]) tags.push(await tagAt(gateway, customer.key, asked));
    expect([tags[0], new Set(tags).size]).toEqual([expect.stringMatching(/^W\/"[\w-]{43}"$/), 1]);
  });

  it('is another at a gateway with a store of its own', async () => {
    const tags = [];
    for (let gateways = 0; gateways < 2; gateways++) {
      await using gateway = await gatewayAt('memory:', { ...env, AUTH: 'open' });
      tags.push((await gateway.fetch(path('taken.example'))).headers.get('etag'));
    }
    expect(new Set(tags).size).toBe(2);
  });

  it.skipIf(postgresMissing)('is the same on all nodes that start at once', async () => {
    await using parts = new AsyncDisposableStack();
    const storeUrl = await parts.use(await startPostgres()).database();
    const starting = Array.from({ length: 4 }, () => gatewayAt(storeUrl, { ...env, AUTH: 'open' }));
    const nodes = (await Promise.all(starting)).map((node) => parts.use(node));
    const tags = await Promise.all(
      nodes.map(async (node) => (await node.fetch(path('taken.example'))).headers.get('etag')),
    );
    expect([tags[0], new Set(tags).size]).toEqual([expect.any(String), 1]);
  });
});

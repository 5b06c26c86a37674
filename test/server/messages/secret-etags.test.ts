import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { callerWith, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { registered } from '../../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway);
metered.registry.on(/^taken/, ({ name }) => registered(name));

const path = (domain: string) => `/v1/status?domain=${domain}`;

/** Returns the tag of a body as a caller could compute it without the secret. */
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
const tagAt = async (gateway: Gateway, key: string, target: string) =>
  (await callerWith(key, gateway.fetch).fetch(target)).headers.get('etag');

describe('an ETag', () => {
  it.each(['taken.example', 'free.example'])(
    'cannot be guessed in order to learn a paid result for free: %s',
    async (domain) => {
      const [payer, thief] = [await metered.newCustomer(), await metered.newCustomer()];
      await payer.fetch(path(domain));
      const tags = `${guess(domain, true)}, ${guess(domain, false)}`;
      const response = await thief.fetch(path(domain), { headers: { 'if-none-match': tags } });
      expect([response.status, (await thief.balance()).used]).toEqual([200, 1]);
    },
  );

  it('of one account does not match for another', async () => {
    const [payer, thief] = [await metered.newCustomer(), await metered.newCustomer()];
    const etag = (await payer.fetch(path('taken.example'))).headers.get('etag') ?? '';
    const response = await thief.fetch(path('taken.example'), {
      headers: { 'if-none-match': etag },
    });
    expect([response.status, response.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('stays the same for a caller after a restart, and on another node', async () => {
    const customer = await metered.newCustomer();
    const target = path('taken.example');
    const tags = [await tagAt(metered.gateway, customer.key, target)];
    const storeUrl = `sqlite:${join(metered.folder, 'gateway.db')}`;
    await using first = await gatewayAt(storeUrl);
    await using second = await gatewayAt(storeUrl);
    for (const gateway of [first, second]) tags.push(await tagAt(gateway, customer.key, target));
    expect([tags[0], new Set(tags).size]).toEqual([expect.stringMatching(/^W\/"[\w-]{43}"$/), 1]);
  });

  it('differs between gateways with separate stores', async () => {
    const tags = [];
    for (let gateways = 0; gateways < 2; gateways++) {
      await using gateway = await gatewayAt('memory:', { ...env, AUTH: 'open' });
      tags.push((await gateway.fetch(path('taken.example'))).headers.get('etag'));
    }
    expect(new Set(tags).size).toBe(2);
  });

  it.skipIf(postgresMissing)('is the same on all nodes that start at the same time', async () => {
    await using parts = new AsyncDisposableStack();
    const storeUrl = await sharedPostgres.database();
    const starting = Array.from({ length: 4 }, () => gatewayAt(storeUrl, { ...env, AUTH: 'open' }));
    const nodes = (await Promise.all(starting)).map((node) => parts.use(node));
    const tags = await Promise.all(
      nodes.map(async (node) => (await node.fetch(path('taken.example'))).headers.get('etag')),
    );
    expect([tags[0], new Set(tags).size]).toEqual([expect.any(String), 1]);
  });
});

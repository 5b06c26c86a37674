import { beforeEach, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { json, notFound, registered } from '../../support/bodies/replies.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { scratch } from '../../support/stores/scratch.ts';

const name = 'free.aa';

let registry: FakeRegistry;
let gateway: Gateway;
let isDelegated: boolean;

beforeEach(async () => {
  isDelegated = false;
  registry = await forThisTest(startFakeRegistry);
  const zone = await forThisTest(startFakeZone, (queried) =>
    queried === 'nic.aa' || (queried === name && isDelegated) ? 'delegated' : 'nxdomain',
  );
  const sources = await forThisTest(writeBootstrap, {
    suffixes: { '': { dns: zone.servers, whois: null } },
  });
  const files = await forThisTest(scratch);
  gateway = await forThisTest(startGateway, {
    registries: { aa: registry.baseUrl },
    env: {
      SOURCES_FILE: sources.path,
      STORE_URL: files.storeUrl,
      MAX_LOOKUPS: '5000',
      RDAP_RATE: '0',
      RATE_LIMIT: '0',
    },
  });
});

const rowOf = async (maxAge: number) =>
  (await gateway.get(`/v1/status?domain=${name}&max_age=${maxAge}`)).results[0];
const register = () => registry.on(name, registered(name));

it.each<[string, () => unknown, object]>([
  ['the DNS contradicts it', () => (isDelegated = true), { reason: 'contradicted' }],
  [
    'its registry says something else',
    () => registry.on(name, notFound('This is a premium name.')),
    { reason: 'untrusted_answer' },
  ],
  ['its registry sends an error page', () => registry.on(name, json(404, {})), { available: null }],
])('a stored AVAILABLE is not returned once %s', async (_case, change, row) => {
  expect(await rowOf(3600)).toMatchObject({ available: true, cached: false });
  change();
  expect(await rowOf(3600)).toMatchObject({ available: true, cached: true });
  expect(await rowOf(0)).toMatchObject(row);
  expect(await rowOf(3600)).toMatchObject(row);
});

it('a stored AVAILABLE is not returned after a record in another language', async () => {
  await rowOf(3600);
  register();
  await gateway.fetch(`/rdap/domain/${name}`, { headers: { 'accept-language': 'de' } });
  expect(await rowOf(3600)).toMatchObject({ status: 'registered' });
});

it('a stored AVAILABLE is not returned after a receipt with another verdict', async () => {
  await rowOf(3600);
  register();
  const receipt = await (await gateway.post('/v1/receipts', { domain: name })).json();
  expect(receipt.verdict).toBe('registered');
  expect(await rowOf(3600)).toMatchObject({ status: 'registered' });
});

it('a stored AVAILABLE is returned although its registry fails for somebody else', async () => {
  await rowOf(3600);
  registry.on(name, json(500, {}));
  expect(await rowOf(0)).toMatchObject({ reason: 'registry_error' });
  expect(await rowOf(3600)).toMatchObject({ available: true, cached: true });
});

it('an AVAILABLE is returned from the cache again once a lookup confirms it', async () => {
  await rowOf(3600);
  isDelegated = true;
  await rowOf(0);
  isDelegated = false;
  expect(await rowOf(3600)).toMatchObject({ available: true, cached: false });
  expect(await rowOf(3600)).toMatchObject({ available: true, cached: true });
});

it('a stored AVAILABLE is not returned after thousands of other names were looked up', async () => {
  await rowOf(3600);
  isDelegated = true;
  await rowOf(0);
  registry.on(/^h\d+\.aa$/, ({ name: queried }) => registered(queried));
  for (const first of [0, 5000]) {
    const domains = Array.from({ length: 5000 }, (_, index) => `h${first + index}.aa`);
    const { meta } = await (await gateway.post('/v1/status/bulk', { domains })).json();
    expect(meta).toMatchObject({ registered: 5000 });
  }
  expect(await rowOf(3600)).toMatchObject({ reason: 'contradicted' });
});

import { expect, it } from 'vitest';
import privateRegistries from '../../src/registries/directory/private-registries.json' with { type: 'json' };
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import type { DnsAnswerOf } from '../support/servers/fake-dns-server.ts';
import { startFakeZone } from '../support/servers/fake-zone.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);

/** Starts a gateway with a registry of .name and .com, and the zones of private registries. */
async function start(
  answerOf: DnsAnswerOf = (name) =>
    /^(?:nic|google|taken)\./.test(name) ? 'delegated' : 'nxdomain',
) {
  await using parts = new AsyncDisposableStack();
  const zone = parts.use(await startFakeZone(answerOf));
  const own = { rdap: [registry.url('private/')], dns: zone.servers };
  const suffixes = Object.fromEntries(Object.keys(privateRegistries).map((each) => [each, own]));
  // The sources of a TLD are not those of a private registry below it.
  const file = parts.use(
    await writeBootstrap({ suffixes: { ...suffixes, com: { rdap: [registry.url('com/')] } } }),
  );
  const gateway = parts.use(
    await startGateway({
      registries: { name: registry.baseUrl, org: registry.baseUrl },
      env: { SOURCES_FILE: file.path },
    }),
  );
  const running = parts.move();
  return {
    rowOf: async (domain: string) =>
      (await gateway.get(`/v1/status?domain=${domain}&max_age=0`)).results[0],
    gateway,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const gateway = await forThisFile(start);

it('sells names below a name of .name, and never that name itself', async () => {
  registry.on('jim.jones.name', registered('jim.jones.name'));
  const { rowOf } = gateway;
  expect(await rowOf('smith.name')).toMatchObject({ status: 'reserved', available: false });
  expect(await rowOf('john.smith.name')).toMatchObject({ status: 'available', available: true });
  expect(await rowOf('jim.jones.name')).toMatchObject({ status: 'registered', available: false });
  expect(await rowOf('a.john.smith.name')).toMatchObject({ status: 'invalid', available: null });
  const { results } = await gateway.gateway.get('/v1/status?domain=a.john.smith.name');
  expect(results[0].reason).toBe('invalid_name');
});

it.each([
  ['registered', 'reserved', false],
  ['unknown', 'unknown', null],
] as const)(
  'does not report a name as available below one that is %s',
  async (state, expected, available) => {
    const name = `${state}.name`;
    registry.on(name, state === 'registered' ? registered(name) : status(500));
    expect(await gateway.rowOf(`john.${name}`)).toMatchObject({ status: expected, available });
  },
);

it.each(Object.keys(privateRegistries))(
  'looks up names below %s at its own server, which the DNS must confirm',
  async (suffix) => {
    const { rowOf } = gateway;
    registry.on(`held.${suffix}`, registered(`held.${suffix}`));
    // This server lies about names that are delegated.
    registry.on(`taken.${suffix}`, notFound());
    expect(await rowOf(`held.${suffix}`)).toMatchObject({
      available: false,
      rdap_endpoint: registry.url('private/'),
    });
    expect(await rowOf(`taken.${suffix}`)).toMatchObject({ available: null });
    // Neither the object of another name nor that of the suffix is an answer.
    for (const [label, sent] of [
      ['other', `held.${suffix}`],
      ['above', suffix],
    ] as const) {
      registry.on(`${label}.${suffix}`, registered(sent));
      expect(await rowOf(`${label}.${suffix}`)).toMatchObject({ available: null });
    }
    expect(await rowOf(`free.${suffix}`)).toMatchObject({ available: true });
    expect(await rowOf(`www.free.${suffix}`)).toMatchObject({ status: 'invalid' });
  },
);

it.each<[string, DnsAnswerOf]>([
  ['delegates every name', () => 'delegated'],
  ['refuses', () => 'refused'],
])('reports no name as available if the zone %s', async (_what, answerOf) => {
  await using lying = await start(answerOf);
  for (const suffix of ['uk.com', 'it.com', 'us.org'])
    expect(await lying.rowOf(`free.${suffix}`)).toMatchObject({ available: null });
});

it('needs no setting of the operator for private registries', async () => {
  await using file = await writeBootstrap({
    suffixes: { '': { dns: null }, com: { rdap: [registry.url('com/')] } },
  });
  await using plain = await startGateway({
    registries: { com: registry.baseUrl },
    env: { SOURCES_FILE: file.path },
  });
  const row = (await plain.get('/v1/status?domain=foo.uk.com')).results[0];
  expect(row).toMatchObject({
    status: 'unknown',
    rdap_endpoint: 'https://rdap.centralnic.com/uk.com/',
  });
  expect(registry.requestCount('foo.uk.com')).toBe(0);
});

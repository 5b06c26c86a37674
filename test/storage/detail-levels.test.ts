import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';

const plainFields =
  'id domain unicodeName registrableName name tld available status confidence phase reason source rdapEndpoint checkedAt freshUntil cached stale'.split(
    ' ',
  );
const records = [
  'registration { source handle }',
  'rdap { handle nameservers }',
  'rdap { contacts { name } }',
  'rdap { raw }',
  'registrarRdap { handle }',
  'abuseContacts { source email registration { handle } }',
];
const problemFields = ['problem { code }', 'cautions { code }', 'registrarProblem { code }'];
const fields = [
  ...plainFields,
  'evidence { httpStatus mediaType }',
  'timeline { event from to }',
  'variants { relation }',
  ...problemFields,
  ...records,
];
/** Not stored: what was asked and may be meant, how long the answer took, offers, and what is read about the site. */
const otherFields = [
  'inputs',
  'didYouMean',
  'latencyMs',
  'offers',
  'robots',
  'tls',
  'dns',
  'forSale',
  'disposableMail',
  'page',
  'identity',
  'agentSignals',
  'technologies',
  'categories',
  'certificates',
  'subdomains',
];
const domains = ['held.aa', 'on-hold.aa', 'expired.aa', 'free.aa'];

let registry: FakeRegistry;
let folder: Scratch;
let allFields: Json[];
beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.fallback(({ name }) => registered(name));
  registry.on('on-hold.aa', registered('on-hold.aa', { statuses: ['server hold'] }));
  registry.on('expired.aa', registered('expired.aa', { expiresAt: '2020-01-01T00:00:00Z' }));
  registry.on('free.aa', notFound());
  folder = await scratch();
  await using gateway = await start();
  await lookUp(gateway, ['status']);
  allFields = await lookUp(gateway, fields);
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await registry.close();
});

describe('the detail level read from the store', () => {
  it.each(fields.map((field, index) => [field, index] as const))(
    'is sufficient for %s alone',
    async (field, index) => {
      await using gateway = await start(); // starts with empty caches in memory
      expect(await lookUp(gateway, [field, 'cached'])).toEqual(
        allFields.map((row) => ({ field0: row[`field${index}`], field1: true })),
      );
    },
  );

  it('is tested here for every field of the schema', async () => {
    await using gateway = await start();
    const { data } = await gateway.graphql(
      '{ domain: __type(name: "Domain") { fields { name } } }',
    );
    const tested = [...fields.map((field) => field.split(' ')[0]), ...otherFields];
    expect(new Set(tested)).toEqual(new Set(data.domain.fields.map(({ name }: Json) => name)));
  });
});

function start(): Promise<Gateway> {
  return startGateway({
    registries: { aa: registry.baseUrl },
    env: { STORE_URL: folder.storeUrl },
  });
}

async function lookUp(gateway: Gateway, selected: readonly string[]): Promise<Json[]> {
  const selection = selected.map((field, index) => `field${index}: ${field}`).join(' ');
  const { data, errors } = await gateway.graphql(
    `query ($domains: [String!]) { domains(domains: $domains) { ${selection} } }`,
    { domains },
  );
  expect(errors).toBeUndefined();
  return data.domains;
}

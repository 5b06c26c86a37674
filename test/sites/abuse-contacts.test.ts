import { beforeEach, expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { features } from '../../src/sites/features.ts';
import type { FakeDnsAnswer } from '../support/servers/fake-dns-server.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { costIn, type Customer } from '../support/gateways/metered-gateway.ts';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import { network } from '../support/bodies/registry-objects.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { startSiteGateway } from '../support/gateways/site-gateway.ts';
import { hang } from '../support/bodies/hostile-replies.ts';

const contact = (roles: readonly string[], fn: string, email: string, entities: object[] = []) => ({
  objectClassName: 'entity',
  handle: fn.toUpperCase(),
  roles,
  vcardArray: [
    'vcard',
    [
      ['version', {}, 'text', '4.0'],
      ['fn', {}, 'text', fn],
      ['email', {}, 'text', email],
    ],
  ],
  entities,
});

const crowd = (address: (index: number) => string) =>
  Array.from({ length: 99 }, (_, index) => address(index));

/** Addresses by name. Names start with what is special about them. */
const addresses: Readonly<Record<string, readonly string[]>> = {
  'phish.example': ['8.8.1.1', '8.8.1.2', '2600:1::1'],
  'split.example': ['8.8.7.10', '8.8.7.200'],
  'silent.example': ['8.8.2.1'],
  'refused.example': ['8.9.1.1'],
  'hung.example': ['8.6.0.1'],
  'private.example': ['10.0.0.1'],
  'crowd.example': [
    '8.8.1.9',
    ...crowd((index) => `8.8.${100 + index}.7`),
    ...crowd((index) => `2600:${index + 1}::7`),
  ],
  'few6.example': ['8.8.1.1', '8.8.1.2', '8.8.1.3', ...crowd((index) => `2600:${index + 1}::7`)],
  'free.example': [],
  'down.example': [],
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `many${index}.example`,
      [`8.8.${100 + index}.1`, `8.8.${200 + index}.1`],
    ]),
  ),
};

let customer: Customer;

const answerFor =
  (ips: readonly string[]): FakeDnsAnswer =>
  ({ name, type, send }) =>
    send({
      answers: ips
        .filter((ip) => ip.includes(':') === (type === 'AAAA'))
        .map((data) => ({ type: type as 'A' | 'AAAA', name, ttl: 300, data })),
    });

const objects = await forThisFile(startFakeRegistry);
const hostingDesk = contact(['abuse'], 'Desk', 'desk@hosting.example');
const holder = contact(['registrant'], 'Hosting', 'office@hosting.example', [hostingDesk]);
objects.on(/^ip\/8\.8\.1\./, network('8.8.1.0', '8.8.1.255', { entities: [holder] }));
objects.on(/^ip\/8\.8\.1\d\d\./, network('8.8.96.0', '8.8.127.255', { type: 'ALLOCATED PA' }));
objects.on(/^ip\/8\.8\.2\d\d\./, network('8.8.192.0', '8.8.223.255', { type: 'ALLOCATED PA' }));
objects.on(/^ip\/8\.8\.2\./, network('8.8.2.0', '8.8.2.255'));
objects.on('ip/8.8.7.10', network('8.8.7.0', '8.8.7.255', { type: 'ALLOCATED PA' }));
objects.on('ip/8.8.7.200', network('8.8.7.192', '8.8.7.255'));
objects.on(/^ip\/2600:1:/, network('2600:1::', '2600:1:ffff:ffff:ffff:ffff:ffff:ffff'));
objects.on(/^ip\/8\.9\./, status(403));
const sites = Object.fromEntries(
  [...Object.keys(addresses), 'dark.example'].map((name) => [
    `https://${name}/`,
    { body: '<title>Example</title>' },
  ]),
);
const running = await forThisFile(
  startSiteGateway,
  sites,
  {
    objects: { ipv4: { '8.0.0.0/8': objects.baseUrl }, ipv6: { '2600::/12': objects.baseUrl } },
    env: { MAX_LOOKUPS: '20' },
  },
  (name, type) => {
    if (name === 'dark.example') return 'servfail';
    const known = addresses[name];
    if (!known) return 'nxdomain';
    return answerFor(type === 'A' || type === 'AAAA' ? known : []);
  },
);
const { registry } = running.metered;
registry.on(/\.example$/, ({ name }) => registered(name));
registry.on('free.example', notFound());
registry.on('down.example', status(403));

beforeEach(async () => {
  customer = await running.metered.newCustomer();
});

const dns = features.dns.lookup.price;
const contacts = `abuseContacts { source name email addresses network { cidr } registration { handle } problem { code } }`;

async function run(query: string, variables?: Record<string, unknown>) {
  const response = await customer.graphql(query, variables);
  const { data, errors } = (await response.json()) as Json;
  return { data, errors, cost: costIn(response) };
}

it('leads from a name to the networks of its addresses, with one request for an assigned network', async () => {
  const { data, errors, cost } = await run(
    '{ domain(name: "phish.example") { dns { addresses { ip network { cidr } } } } }',
  );
  const cidr = ['8.8.1.0/24'];
  expect(errors).toBeUndefined();
  expect(data.domain.dns.addresses).toEqual([
    { ip: '8.8.1.1', network: { cidr } },
    { ip: '8.8.1.2', network: { cidr } },
    { ip: '2600:1::1', network: { cidr: ['2600:1::/32'] } },
  ]);
  expect(objects.requests.filter(({ name }) => name.startsWith('ip/8.8.1.')).length).toBe(1);
  expect(cost.charged).toBe(dns + prices.object(2));
});

it.each([
  ['crowd.example', 5, 5],
  ['few6.example', 3, 7],
])('looks up at most ten addresses of a name, of both families: %s', async (name, v4, v6) => {
  const before = objects.requests.length;
  const { data, errors, cost } = await run(
    `{ domain(name: "${name}") { abuseContacts { addresses problem { code } } dns { addresses { ip network { found problem { code } } } } } }`,
  );
  const { abuseContacts, dns: records } = data.domain;
  const others = { problem: { code: 'too_many_addresses' } };
  const found = records.addresses.filter((each: Json) => each.network.problem === null);
  expect(errors).toBeUndefined();
  expect(found.length).toEqual(v4 + v6);
  expect(found.filter(({ ip }: Json) => ip.includes(':')).length).toEqual(v6);
  const total = addresses[name]?.length ?? 0;
  expect(records.addresses.filter((each: Json) => each.network.problem)).toEqual(
    Array(total - 10).fill(expect.objectContaining({ network: { found: null, ...others } })),
  );
  expect(abuseContacts).toContainEqual(expect.objectContaining(others));
  expect(abuseContacts.flatMap((each: Json) => each.addresses).toSorted()).toEqual(
    addresses[name]?.toSorted(),
  );
  expect(cost.charged).toBeLessThanOrEqual(prices.record(1) + dns + prices.object(10));
  expect(objects.requests.length - before).toBeLessThanOrEqual(10);
});

it('looks up an address in an allocation by itself: its network may be smaller', async () => {
  const { data } = await run(
    '{ domain(name: "split.example") { dns { addresses { network { cidr } } } } }',
  );
  expect(data.domain.dns.addresses).toEqual([
    { network: { cidr: ['8.8.7.0/24'] } },
    { network: { cidr: ['8.8.7.192/26'] } },
  ]);
});

it('states to whom abuse is reported, and which object says so', async () => {
  running.metered.registry.on('phish.example', ({ name }) => {
    const desk = contact(['abuse'], 'Registry Desk', 'abuse@registry.example');
    return registered(name, {
      members: {
        entities: [
          contact(['registrar'], 'Seller', 'x@seller.example', [
            contact(['abuse'], 'Seller Desk', 'abuse@seller.example'),
          ]),
          desk,
        ],
      },
    });
  });
  const { data, errors, cost } = await run(
    `{ domain(name: "phish.example", maxAge: 0) { ${contacts} } }`,
  );
  const registration = { handle: 'FAKE-phish.example' };
  const ofName = { addresses: [], network: null, registration, problem: null };
  const ofNetwork = { source: 'NETWORK', registration: null, problem: null };
  expect(errors).toBeUndefined();
  expect(data.domain.abuseContacts).toEqual([
    { ...ofName, source: 'REGISTRAR', name: 'Seller', email: 'abuse@seller.example' },
    { ...ofName, source: 'REGISTRY', name: 'Registry Desk', email: 'abuse@registry.example' },
    {
      ...ofNetwork,
      name: 'Desk',
      email: 'desk@hosting.example',
      addresses: ['8.8.1.1', '8.8.1.2'],
      network: { cidr: ['8.8.1.0/24'] },
    },
    {
      ...ofNetwork,
      name: null,
      email: null,
      addresses: ['2600:1::1'],
      network: { cidr: ['2600:1::/32'] },
    },
  ]);
  expect(cost.charged).toBe(prices.record(1) + dns + prices.object(2));
});

it.each(
  Object.entries({
    'down.example': [{ source: 'REGISTRAR', problem: { code: 'registry_error' } }],
    'dark.example': [
      { source: 'REGISTRAR', problem: null },
      { source: 'NETWORK', problem: { code: 'site_unreachable' } },
    ],
    'refused.example': [
      { source: 'REGISTRAR', problem: null },
      { source: 'NETWORK', problem: { code: 'registry_error' } },
    ],
    'private.example': [
      { source: 'REGISTRAR', problem: null },
      { source: 'NETWORK', problem: { code: 'special_use' } },
    ],
    'free.example': [],
    'not a name.example': [{ source: 'REGISTRAR', problem: { code: 'invalid_name' } }],
  }),
)('says what could not be looked up for %s', async (domain, expected) => {
  const { data } = await run(
    'query ($domains: [String!]) { domains(domains: $domains) { abuseContacts { source problem { code } } } }',
    { domains: [domain] },
  );
  expect(data.domains[0].abuseContacts).toMatchObject(expected);
});

const all = prices.record(1) + dns + prices.object(2);
const emails = 'abuseContacts { email }';

it.each(
  Object.entries({
    'abuse contacts': { query: `{ domain(name: "phish.example") { ${emails} } }`, credits: all },
    'the same field twice': {
      query: `{ domain(name: "phish.example") { ${emails} again: ${emails} } }`,
      credits: all,
    },
    'the same name twice': {
      query: `{ a: domain(name: "phish.example") { ${emails} } b: domain(name: "phish.example") { ${emails} } }`,
      credits: all,
    },
    'the DNS records and networks that it needs, too': {
      query: `{ domain(name: "phish.example") { ${emails} rdap { handle } dns { addresses { network { name } } } } }`,
      credits: all,
    },
    'abuse contacts in a fragment': {
      query: `{ domain(name: "phish.example") { ...F } } fragment F on Domain { ...G } fragment G on Site { ... on Domain { ${emails} } }`,
      credits: all,
    },
    'abuse contacts of a node': {
      query: `{ node(id: "phish.example") { ... on Domain { ${emails} } } }`,
      credits: all,
    },
    'a list of names': {
      query: `{ domains(domains: ["phish.example", "silent.example"]) { ${emails} } }`,
      credits: prices.record(2) + 2 * dns + prices.object(3),
    },
    'a field that is left out': {
      query: `{ domain(name: "phish.example") { available ${emails.replace(' ', ' @include(if: false) ')} } }`,
      credits: prices.single(1),
    },
    'a field that is skipped by a variable': {
      query: `query ($no: Boolean = true) { domain(name: "phish.example") { available ...F @skip(if: $no) } } fragment F on Domain { ${emails} dns { a } }`,
      credits: prices.single(1),
    },
    'addresses without networks': {
      query: '{ domain(name: "phish.example") { dns { addresses { ip } } } }',
      credits: dns,
    },
    'addresses of a name that is not looked up at its registry': {
      query: '{ site(host: "phish.example") { dns { addresses { network { name } } } } }',
      credits: dns + prices.object(2),
    },
  }),
)('%s costs as much as the table says', async (_what, { query, credits }) => {
  const { errors, cost } = await run(query);
  expect(errors).toBeUndefined();
  expect(cost.charged).toEqual(credits);
  expect((await customer.balance()).used).toEqual(credits);
  expect(running.metered.openReservations()).toBe(0);
});

it.each([
  ['a network that could not be looked up', 'refused.example', prices.object(1)],
  ['a name that could not be looked up', 'down.example', prices.record(1)],
])('refunds %s', async (_what, name, refunded) => {
  const { cost } = await run(`{ domain(name: "${name}") { ${contacts} } }`);
  expect(cost.refunded).toBe(refunded);
  expect((await customer.balance()).used).toEqual(cost.charged);
  expect(running.metered.openReservations()).toBe(0);
});

it('without enough credits for the networks, says so in their place, and charges the rest', async () => {
  const poor = await running.metered.newCustomer({ credits: prices.record(1) + dns });
  const response = await poor.graphql(
    `{ domain(name: "silent.example", maxAge: 0) { ${contacts} } }`,
  );
  const { data } = await response.json();
  expect(data.domain.abuseContacts).toMatchObject([
    { source: 'REGISTRAR', email: 'abuse@registrar.test' },
    { source: 'NETWORK', addresses: ['8.8.2.1'], problem: { code: 'insufficient_credits' } },
  ]);
  expect((await poor.balance()).used).toBe(prices.record(1) + dns);
});

it('looks up nothing without enough credits for the names', async () => {
  const poor = await running.metered.newCustomer({ credits: prices.record(1) + dns - 1 });
  const before = objects.requests.length;
  const response = await poor.graphql(
    `{ domain(name: "split.example", maxAge: 0) { ${contacts} } }`,
  );
  expect(response.status).toBe(402);
  expect(objects.requests.length).toEqual(before);
  expect((await poor.balance()).used).toBe(0);
});

it('looks up at most MAX_LOOKUPS networks in one operation', async () => {
  const domains = Array.from({ length: 12 }, (_, index) => `many${index}.example`);
  const { data, cost } = await run(
    'query ($domains: [String!]) { domains(domains: $domains) { abuseContacts { source problem { code } } } }',
    { domains },
  );
  const networks = data.domains
    .flatMap(({ abuseContacts }: Json) => abuseContacts)
    .filter(({ source }: Json) => source === 'NETWORK');
  const refused = networks.filter(({ problem }: Json) => problem?.code === 'too_many_lookups');
  expect([networks.length, refused.length]).toEqual([24, 4]);
  expect(cost.charged).toBe(prices.record(12) + 12 * dns + prices.object(20));
});

it('a client that disconnects pays for what was answered or sent', async () => {
  objects.on('ip/8.6.0.1', hang());
  const controller = new AbortController();
  const body = { query: `{ domain(name: "hung.example") { ${contacts} } }` };
  const call = customer.post('/graphql', body, {}, controller.signal);
  await objects.whenRequested('ip/8.6.0.1');
  controller.abort();
  await expect(call).rejects.toThrow();
  await expect.poll(() => running.metered.openReservations()).toBe(0);
  expect((await customer.balance()).used).toBe(prices.record(1) + dns + prices.object(1));
});

it('GET /v1/rdap adds them with abuse=true, at the same price', async () => {
  const path = '/v1/rdap?domain=phish.example';
  const [response, plain] = [
    await customer.fetch(`${path}&abuse=true`),
    await customer.fetch(path),
  ];
  const body = (await response.clone().json()) as Json;
  expect(body.abuse_contacts).toMatchObject([
    { source: 'registrar', addresses: [], network: null },
    { source: 'registry' },
    { source: 'network', email: 'desk@hosting.example', network: { cidr: ['8.8.1.0/24'] } },
    { source: 'network', email: null, addresses: ['2600:1::1'], problem: null },
  ]);
  expect(costIn(response).charged).toBe(all);
  expect(await plain.json()).toEqual(
    expect.not.objectContaining({ abuse_contacts: expect.anything() }),
  );
  expect(costIn(plain).charged).toEqual(prices.record(1));
  await expectMatchesOpenApi(response, 'get /v1/rdap');
});

it.each([
  ['domain=phish.example&abuse=perhaps', 'abuse must be true or false.'],
  ['query=8.8.1.1&abuse=true', 'Only domain names have abuse contacts.'],
])('GET /v1/rdap?%s is a 400 that names the parameter', async (query, detail) => {
  const response = await customer.fetch(`/v1/rdap?${query}`);
  expect([response.status, await response.json()]).toMatchObject([400, { param: 'abuse', detail }]);
});

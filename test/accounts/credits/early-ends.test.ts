import { beforeEach, describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { costIn, type Customer } from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';
import { startSiteGateway } from '../../support/gateways/site-gateway.ts';

const home = 'https://shop.example/';
let customer: Customer;
let requestsBefore: number;
let lists = 0;

const running = await forThisFile(startSiteGateway, { [home]: { body: '<title>Shop</title>' } });
running.metered.registry.fallback(({ name }) => registered(name));
// Makes the registry find its canary.
await (await running.metered.newCustomer()).fetch('/v1/status?domain=first.example');

beforeEach(async () => {
  customer = await running.metered.newCustomer();
  requestsBefore = running.metered.registry.requests.length;
});

/** Returns 50 names that no other request looks up. */
const fresh = () => {
  lists += 1;
  return Array.from({ length: 50 }, (_, index) => `n${index}-${lists}.example`);
};

async function run(query: string, variables: Record<string, unknown>) {
  const response = await customer.graphql(query, variables);
  const { data, errors = [] } = (await response.json()) as Json;
  return { data, errors, cost: costIn(response) };
}

/** Returns the number of registry requests for names, once nothing is open any more. */
async function requestsSent(): Promise<number> {
  await expect.poll(() => running.metered.openReservations()).toBe(0);
  // Whatever was queued at the registry before is sent before this.
  const other = await running.metered.newCustomer();
  await other.fetch(`/v1/status?domain=${fresh()[0]}`);
  return running.metered.registry.requests.length - requestsBefore - 1;
}

const domains = (selection: string, { variables = '', more = '' } = {}) =>
  `query ($d: [String!]! ${variables}) { domains(domains: $d) { ${selection} } ${more} }`;
const registration = 'registration { handle }';

describe('an invalid argument below a name or a site', () => {
  it.each([
    ['dns', domains(`${registration} dns(maxAge: -1) { a }`)],
    ['dns', domains(`${registration} dns(maxAge: $m) { a }`, { variables: '$m: Int = -1' })],
    ['page', domains(`${registration} ... on Site { page(maxAge: -1) { title } }`)],
    [
      'forSale',
      domains(`${registration} ... @include(if: true) { forSale(maxAge: -1) { forSale } }`),
    ],
    ['dns', domains(`abuseContacts { email } dns(maxAge: -1) { a }`)],
    ['abuseContacts', domains(`${registration} abuseContacts(maxAge: -1) { email }`)],
    ['certificates', domains(`${registration} certificates(first: 0) { totalCount }`)],
    ['certificates', domains(`${registration} certificates(after: "%") { totalCount }`)],
    ['subdomains', domains(`${registration} subdomains(first: 100000) { totalCount }`)],
    ['tls', domains(`${registration} tls(maxAge: -1) { defaultProtocol }`)],
    [
      'dns',
      'query ($d: [ID!]!) { nodes(ids: $d) { ... on Domain { rdap { handle } dns(maxAge: -1) { a } } } }',
    ],
    ['dns', '{ site(host: "shop.example") { page { title } dns(maxAge: -1) { a } } }'],
    ['page', `{ page(url: "${home}", maxAge: -1) { title } }`],
  ])('of `%s` is refused before anything is looked up: %s', async (field, query) => {
    const { data, errors, cost } = await run(query, { d: fresh() });
    expect(data ?? undefined).toBeUndefined();
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`\`${field}\``),
        extensions: { param: expect.stringMatching(/^(?:maxAge|first|after)$/) },
      },
    ]);
    expect([cost.charged ?? 0, await requestsSent(), running.requestsOf(home)]).toEqual([0, 0, 0]);
  });

  it('that is null instead of its default is refused, too', async () => {
    const query = domains(`${registration} tls(profile: $p) { defaultProtocol }`, {
      variables: '$p: TlsProfile = STANDARD',
    });
    const { data, errors } = await run(query, { d: fresh(), p: null });
    expect([data, errors.length, await requestsSent()]).toEqual([undefined, 1, 0]);
  });
});

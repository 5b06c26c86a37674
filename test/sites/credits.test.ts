import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { jumpingClock } from '../support/jumping-clock.ts';
import { costIn, type Customer } from '../support/metered-gateway.ts';
import { startSiteGateway, type SiteGateway } from '../support/site-gateway.ts';

const home = 'https://shop.example/';
const pages = {
  [home]: { body: '<title>Shop</title>' },
  'https://shop.example/robots.txt': { headers: { 'content-type': 'text/plain' }, body: '' },
  'https://down.example/': { status: 500 },
  'https://down.example/robots.txt': { status: 500 },
  // Never respond.
  'https://slow.example/': () => arrivals.shift()?.(),
  'https://slow.example/page': () => arrivals.shift()?.(),
};
/** Called in turn when a request for a page that never responds arrives. */
const arrivals: (() => void)[] = [];

/** Longer than any fact is stored. */
const storedMs = 40 * 24 * 60 * 60_000;
const clock = jumpingClock();
let running: SiteGateway;
let customer: Customer;

beforeAll(async () => {
  running = await startSiteGateway(pages, { clock });
});
beforeEach(async () => {
  clock.advance(storedMs);
  customer = await running.metered.newCustomer();
});
afterAll(() => running[Symbol.asyncDispose]());

const fields = (selection: string, host = 'shop.example') =>
  `{ site(host: "${host}") { ${selection} } }`;

it.each([
  ['robots.txt', fields('robots { access }'), 1],
  ['DNS records', fields('dns { a }'), 1],
  ['an offer to sell', fields('forSale { forSale }'), 1],
  ['disposable mail', fields('disposableMail { listed }'), 0],
  ['a page', fields('page { title }'), 2],
  ['a page by its URL', `{ page(url: "${home}") { title } }`, 2],
  ['an identity', fields('identity { organization { value } }'), 2],
  ['signals for agents', fields('agentSignals { outcome }'), 3],
  ['technologies', fields('technologies { technologies { name } }'), 3],
  ['categories', fields('categories { title }'), 3],
  ['a TLS scan', fields('tls { defaultProtocol }'), 10],
  ['the same field twice', fields('a: robots { access } b: robots { url }'), 1],
  ['several fields', fields('robots { access } page { title } identity { themeColor }'), 5],
  [
    'the fields of a name, without a lookup at its registry',
    '{ domain(name: "shop.example") { domain robots { access } } }',
    1,
  ],
  [
    'the fields of a name, with a lookup at its registry',
    '{ domain(name: "shop.example") { available robots { access } } }',
    2,
  ],
])('%s costs the documented price', async (_what, query, credits) => {
  const response = await customer.graphql(query);
  expect((await response.json()).errors).toBeUndefined();
  expect(costIn(response)).toMatchObject({ charged: credits });
  expect((await customer.balance()).used).toBe(credits);
  expect(running.metered.openReservations()).toBe(0);
});

it.each([
  ['a page with an error status', fields('page { fetchState }', 'down.example'), 2],
  ['a page that does not exist', '{ page(url: "https://shop.example/gone") { fetchState } }', 2],
  [
    'technologies of a page that does not exist',
    '{ site(url: "https://shop.example/gone") { technologies { problem { code } } } }',
    3,
  ],
  ['a robots.txt with a server error', fields('robots { access }', 'down.example'), 1],
  [
    'categories of a page with an error',
    fields('categories { problem { code } }', 'down.example'),
    3,
  ],
  ['certificates without a search', fields('certificates { totalCount }'), 0],
])('%s costs nothing', async (_what, query, requested) => {
  const response = await customer.graphql(query);
  expect((await response.json()).errors).toBeUndefined();
  expect(costIn(response)).toMatchObject({ requested, charged: 0 });
  expect((await customer.balance()).used).toBe(0);
  expect(running.metered.openReservations()).toBe(0);
});

it.each([
  ['robots?domain=shop.example', 1],
  ['identity-assets?domain=shop.example', 2],
  ['identity-resolution?domain=shop.example', 2],
  [`url-intelligence?url=${home}`, 2],
  ['agent-readiness?domain=shop.example', 3],
  [`tech?url=${home}`, 3],
  ['categorize?domain=shop.example', 3],
  ['ssl/deep-scan?domain=shop.example', 10],
  ['email/blacklist', 0],
])('/v1/%s costs %i', async (path, credits) => {
  const response = await customer.fetch(`/v1/${path}`);
  expect([response.status, response.headers.get('x-credits-charged')]).toEqual([
    200,
    String(credits),
  ]);
  expect(response.headers.get('x-credits-requested')).toBe(String(credits));
  expect((await customer.balance()).used).toBe(credits);
});

it.each([
  ['a page', '{ page(url: "https://slow.example/page") { title } }', 2],
  ['a page and a name', '{ domain(name: "slow.example") { status page { title } } }', 3],
])('a client that disconnects pays for what was sent: %s', async (_what, query, credits) => {
  const arrived = new Promise<void>((resolve) => arrivals.push(resolve));
  const client = new AbortController();
  const body = JSON.stringify({ query });
  const headers = { 'content-type': 'application/json' };
  const call = customer
    .fetch('/graphql', { method: 'POST', headers, body, signal: client.signal })
    .catch(() => undefined);
  await arrived;
  client.abort();
  await call;
  await vi.waitUntil(() => running.metered.openReservations() === 0);
  expect((await customer.balance()).used).toBe(credits);
});

it('rejects a lookup that the account cannot pay, without contacting the site', async () => {
  const poor = await running.metered.newCustomer({ credits: 1 });
  const before = running.sites.requests.length;
  const response = await poor.fetch('/v1/url-intelligence?url=https://shop.example/&max_age=0');
  expect(response.status).toBe(402);
  expect(await response.json()).toMatchObject({
    code: 'insufficient_credits',
    credits_required: 2,
    credits_remaining: 1,
  });
  expect(running.sites.requests.length).toBe(before);
  expect((await poor.balance()).used).toBe(0);
});

it('returns the list of disposable mail domains to an account without credits', async () => {
  const poor = await running.metered.newCustomer({ credits: 0 });
  expect((await poor.fetch('/v1/email/blacklist')).status).toBe(200);
});

it('charges nothing for a 304 from the cache', async () => {
  const path = '/v1/robots?domain=shop.example';
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  const response = await customer.fetch(path, { headers: { 'if-none-match': etag } });
  expect(response.status).toBe(304);
  expect((await customer.balance()).used).toBe(1);
});

it('charges the same for a cached answer', async () => {
  const query = fields('page { title cached }');
  await customer.graphql(query);
  const response = await customer.graphql(query);
  expect((await response.json()).data.site.page.cached).toBe(true);
  expect((await customer.balance()).used).toBe(4);
});

const errorOf = async (response: Response) => (await response.json()).errors?.[0]?.extensions.code;

it.each([
  ['a site', fields('robots { access } tls { trusted }'), 10, 11],
  [
    'a site and a name',
    `{ domain(name: "free.example") { status } ${fields('page { title }').slice(1)}`,
    2,
    3,
  ],
  [
    'the sites of a search',
    '{ domains(name: "a", tlds: ["example", "test"]) { dns { a } forSale { forSale } } }',
    1,
    3,
  ],
  ['a page', `{ page(url: "${home}") { title } }`, 1, 2],
  [
    'a site in a fragment',
    `{ node(id: "shop.example") { ...S } } fragment S on Site { identity { themeColor } }`,
    1,
    3,
  ],
])(
  'rejects the lookups of %s that the account cannot pay, all together',
  async (_what, query, credits, price) => {
    const poor = await running.metered.newCustomer({ credits });
    const before = running.sites.requests.length;
    const response = await poor.graphql(query);
    const { errors } = await response.json();
    expect(errors[0].extensions).toMatchObject({
      code: 'insufficient_credits',
      creditsRequired: price,
      creditsRemaining: credits,
    });
    expect(response.status).toBe(402);
    expect(running.sites.requests.length).toBe(before);
    expect((await poor.balance()).used).toBe(0);
    expect(running.metered.openReservations()).toBe(0);
  },
);

it('says that a lookup needs a setting even if the account cannot pay it', async () => {
  const poor = await running.metered.newCustomer({ credits: 0 });
  expect((await poor.fetch('/v1/subdomains?domain=shop.example')).status).toBe(501);
});

it('looks up the same field once, with the smallest maximum age', async () => {
  await customer.graphql(fields('robots { access }'));
  const { data } = await (
    await customer.graphql(
      fields('a: robots(maxAge: 86400) { cached } b: robots(maxAge: 0) { cached }'),
    )
  ).json();
  expect(data.site).toEqual({ a: { cached: false }, b: { cached: false } });
  expect((await customer.balance()).used).toBe(2);
});

it.each([
  [
    'variables',
    'query ($p: TlsProfile!, $h: String) { site(host: $h) { tls(profile: $p) { profile } } }',
  ],
  ['a fragment', '{ site(host: "shop.example") { ...S } } fragment S on Site { tls { profile } }'],
  ['a deferred fragment', '{ site(host: "shop.example") { ... @defer { tls { profile } } } }'],
  [
    'a directive',
    'query ($h: String) { site(host: $h) { tls @include(if: true) { profile } robots @skip(if: true) { access } } }',
  ],
  ['a node', '{ node(id: "shop.example") { ... on Domain { tls { profile } } } }'],
  [
    'a subscription',
    'subscription { availability(domains: ["shop.example"]) { tls { profile } } }',
    // The row itself is looked up, too.
    11,
  ],
])('prices the lookups of %s', async (_what, query, credits = 10) => {
  const response = await customer.graphql(query, { p: 'STANDARD', h: 'shop.example' });
  expect(await response.text()).toContain('STANDARD');
  expect((await customer.balance()).used).toBe(credits);
  expect(running.metered.openReservations()).toBe(0);
});

/** Selects two lookups about each of some sites, and `more`. */
const sites = (count: number, more = '') =>
  `{ ${more} ${Array.from({ length: count }, (_, index) => `s${index}: site(host: "s${index}.example.com") { dns { a } forSale { forSale } }`).join(' ')} }`;

it('rejects more than 50 site lookups in one operation, before any is sent', async () => {
  const oneMore = 'more: site(host: "more.example.com") { forSale { forSale } }';
  const response = await customer.graphql(sites(25, oneMore));
  expect(await errorOf(response)).toBe('too_many_lookups');
  expect(costIn(await customer.graphql(sites(25))).charged).toBe(50);
});

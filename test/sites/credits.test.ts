import { beforeEach, expect, it, vi } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { features } from '../../src/sites/features.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { jumpingClock } from '../support/time/jumping-clock.ts';
import { costIn, type Customer } from '../support/gateways/metered-gateway.ts';
import { startSiteGateway } from '../support/gateways/site-gateway.ts';

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
let customer: Customer;

const running = await forThisFile(startSiteGateway, pages, { clock });

beforeEach(async () => {
  clock.advance(storedMs);
  customer = await running.metered.newCustomer();
});

/** Returns the sum of the prices of site lookups; docs/site-lookups.md states each. */
const priceOf = (...lookups: readonly Exclude<keyof typeof features, 'disposableMail'>[]) =>
  lookups.reduce((sum, lookup) => sum + features[lookup].lookup.price, 0);
/** The price of a name whose verdict is requested, too. */
const name = prices.single(1);

const fields = (selection: string, host = 'shop.example') =>
  `{ site(host: "${host}") { ${selection} } }`;

it.each([
  ['robots.txt', fields('robots { access }'), priceOf('robots')],
  ['DNS records', fields('dns { a }'), priceOf('dns')],
  ['an offer to sell', fields('forSale { forSale }'), priceOf('forSale')],
  ['disposable mail', fields('disposableMail { listed }'), 0],
  ['a page', fields('page { title }'), priceOf('page')],
  ['a page by its URL', `{ page(url: "${home}") { title } }`, priceOf('page')],
  ['an identity', fields('identity { organization { value } }'), priceOf('identity')],
  ['signals for agents', fields('agentSignals { outcome }'), priceOf('agentSignals')],
  ['technologies', fields('technologies { technologies { name } }'), priceOf('technologies')],
  ['categories', fields('categories { title }'), priceOf('categories')],
  ['a TLS scan', fields('tls { defaultProtocol }'), priceOf('tls')],
  ['the same field twice', fields('a: robots { access } b: robots { url }'), priceOf('robots')],
  [
    'several fields',
    fields('robots { access } page { title } identity { themeColor }'),
    priceOf('robots', 'page', 'identity'),
  ],
  [
    'the fields of a name, without a lookup at its registry',
    '{ domain(name: "shop.example") { domain robots { access } } }',
    priceOf('robots'),
  ],
  [
    'the fields of a name, with a lookup at its registry',
    '{ domain(name: "shop.example") { available robots { access } } }',
    name + priceOf('robots'),
  ],
])('%s costs the documented price', async (_what, query, credits) => {
  const response = await customer.graphql(query);
  expect((await response.json()).errors).toBeUndefined();
  const cost = costIn(response);
  expect(cost).toMatchObject({ charged: credits });
  const explained = await customer.post('/graphql', { query, extensions: { explain: 'cost' } });
  const { extensions } = (await explained.json()) as Json;
  expect(extensions.explain).toEqual({ credits: cost.requested, atMost: cost.requested });
  expect((await customer.balance()).used).toBe(credits);
  expect(running.metered.openReservations()).toBe(0);
});

it.each([
  ['a page with an error status', fields('page { fetchState }', 'down.example'), priceOf('page')],
  [
    'a page that does not exist',
    '{ page(url: "https://shop.example/gone") { fetchState } }',
    priceOf('page'),
  ],
  [
    'technologies of a page that does not exist',
    '{ site(url: "https://shop.example/gone") { technologies { problem { code } } } }',
    priceOf('technologies'),
  ],
  [
    'a robots.txt with a server error',
    fields('robots { access }', 'down.example'),
    priceOf('robots'),
  ],
  [
    'categories of a page with an error',
    fields('categories { problem { code } }', 'down.example'),
    priceOf('categories'),
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
  ['robots?domain=shop.example', priceOf('robots')],
  ['identity-assets?domain=shop.example', priceOf('identity')],
  ['identity-resolution?domain=shop.example', priceOf('identity')],
  [`url-intelligence?url=${home}`, priceOf('page')],
  ['agent-readiness?domain=shop.example', priceOf('agentSignals')],
  [`tech?url=${home}`, priceOf('technologies')],
  ['categorize?domain=shop.example', priceOf('categories')],
  ['ssl/deep-scan?domain=shop.example', priceOf('tls')],
  ['email/blacklist', 0],
])('/v1/%s costs %i', async (path, credits) => {
  const response = await customer.fetch(`/v1/${path}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-credits-charged')).toEqual(String(credits));
  expect(response.headers.get('x-credits-requested')).toBe(String(credits));
  expect((await customer.balance()).used).toBe(credits);
});

it.each([
  ['a page', '{ page(url: "https://slow.example/page") { title } }', priceOf('page')],
  [
    'a page and a name',
    '{ domain(name: "slow.example") { status page { title } } }',
    name + priceOf('page'),
  ],
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
  const poor = await running.metered.newCustomer({ credits: priceOf('page') - 1 });
  const before = running.sites.requests.length;
  const response = await poor.fetch('/v1/url-intelligence?url=https://shop.example/&max_age=0');
  expect(response.status).toBe(402);
  expect(await response.json()).toMatchObject({
    code: 'insufficient_credits',
    credits_required: priceOf('page'),
    credits_remaining: priceOf('page') - 1,
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
  expect((await customer.balance()).used).toBe(priceOf('robots'));
});

it('charges the same for a cached answer', async () => {
  const query = fields('page { title cached }');
  await customer.graphql(query);
  const response = await customer.graphql(query);
  expect((await response.json()).data.site.page.cached).toBe(true);
  expect((await customer.balance()).used).toBe(2 * priceOf('page'));
});

const errorOf = async (response: Response) => (await response.json()).errors?.[0]?.extensions.code;

it.each([
  ['a site', fields('robots { access } tls { trusted }'), priceOf('robots', 'tls')],
  [
    'a site and a name',
    `{ domain(name: "free.example") { status } ${fields('page { title }').slice(1)}`,
    name + priceOf('page'),
  ],
  [
    'the sites of a search',
    '{ domains(name: "a", tlds: ["example", "test"]) { dns { a } forSale { forSale } } }',
    prices.search(1) + priceOf('dns', 'forSale'),
  ],
  ['a page', `{ page(url: "${home}") { title } }`, priceOf('page')],
  [
    'a site in a fragment',
    `{ node(id: "shop.example") { ...S } } fragment S on Site { identity { themeColor } }`,
    name + priceOf('identity'),
  ],
])(
  'rejects the lookups of %s that the account cannot pay, all together',
  async (_what, query, price) => {
    const credits = price - 1;
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
  expect((await customer.balance()).used).toBe(2 * priceOf('robots'));
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
    name + priceOf('tls'),
  ],
])('prices the lookups of %s', async (_what, query, credits = priceOf('tls')) => {
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
  expect(costIn(await customer.graphql(sites(25))).charged).toBe(25 * priceOf('dns', 'forSale'));
});

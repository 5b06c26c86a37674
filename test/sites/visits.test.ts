import { expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { startSiteGateway } from '../support/gateways/site-gateway.ts';

const text = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });
const html = (body: string) => ({ body });
const clock = manualClock();

const running = await forThisFile(
  startSiteGateway,
  {
    'https://shop.example/': html(
      '<title>Shop</title><meta name="generator" content="WordPress 6.9">',
    ),
    'https://shop.example/robots.txt': text('User-agent: *\nDisallow: /private'),
    'https://shop.example/private': html('<title>Private</title>'),
    'https://broken.example/': { status: 500 },
    'https://broken.example/robots.txt': { status: 500 },
    'https://once.example/': html('<title>Once</title>'),
    'https://closed.example/': html('<title>Closed</title>'),
    'https://closed.example/robots.txt': text('User-agent: rdap-gateway\nDisallow: /'),
    'https://old.example/': { status: 301, headers: { location: 'https://shop.example/' } },
  },
  { clock, env: { AUTH: 'open' } },
);

const get = (path: string): Promise<Json> => running.metered.gateway.get(`/v1/${path}`);
const page = (parameters = '') => get(`url-intelligence?url=https://shop.example/${parameters}`);
const graphql = (query: string): Promise<Json> => running.metered.gateway.graphql(query);

it('visits a site once for all fields of an operation', async () => {
  const { data, errors } = await graphql(
    '{ site(host: "once.example") { page { title } identity { candidates { url } } technologies { technologies { name } } categories { categories { category } } } }',
  );
  expect(errors).toBeUndefined();
  expect(data.site.page.title).toBe('Once');
  expect(running.requestsOf('https://once.example/')).toBe(1);
  expect(running.requestsOf('https://once.example/robots.txt')).toBe(1);
});

it('returns a cached page for a day, or as recent as the caller requests', async () => {
  expect(await page()).toMatchObject({ cached: false, fetch_state: 'ok', title: 'Shop' });
  clock.advance(60_000);
  expect(await page()).toMatchObject({ cached: true });
  expect(await page('&max_age=60')).toMatchObject({ cached: true });
  expect(await page('&max_age=59')).toMatchObject({ cached: false });
  expect(await page('&skip_cache=1')).toMatchObject({ cached: false });
  expect(running.requestsOf('https://shop.example/')).toBe(3);
  expect(running.requestsOf('https://shop.example/robots.txt')).toBe(1);
});

it.each([
  ['a page that robots.txt forbids', 'https://shop.example/private'],
  ['a site that forbids this gateway', 'https://closed.example/'],
])('does not read %s', async (_what, url) => {
  expect(await get(`url-intelligence?url=${url}`)).toMatchObject({
    fetch_state: 'blocked',
    status: null,
    title: null,
    problem: { code: 'site_blocked' },
  });
  expect(await get(`tech?url=${url}`)).toMatchObject({ status: 502, code: 'site_blocked' });
  expect(running.requestsOf(url)).toBe(0);
});

it('follows a redirect to another site, and reports it', async () => {
  expect(await get('url-intelligence?url=https://old.example/')).toMatchObject({
    requested_url: 'https://old.example/',
    final_url: 'https://shop.example/',
    redirects: 1,
    redirect_chain: [{ url: 'https://old.example/', status: 301 }],
    title: 'Shop',
  });
});

it('identifies itself to the site by `User-Agent`', async () => {
  await get('robots?domain=shop.example&max_age=0');
  const userAgents = running.sites.requests.map(({ headers }) => headers['user-agent']);
  expect(new Set(userAgents)).toEqual(
    new Set([expect.stringMatching(/^rdap-gateway\/\d+\.\d+\.\d+/)]),
  );
});

const webMcpOf = async (url: string) => (await get(`agent-readiness?url=${url}`)).signals.webmcp;

it('reads the signals of the page that is requested, not those of another page', async () => {
  expect(await webMcpOf('https://shop.example/gone')).toMatchObject({ http_status: 404 });
  expect(await webMcpOf('https://shop.example/')).toMatchObject({ http_status: 200 });
});

it('reads the site of a name whose TLD has no registry, as `site(host)` does', async () => {
  const { data } = await graphql('{ domain(name: "shop.example") { robots { access } } }');
  expect(data.domain.robots.access).toBe('RULES');
});

it('returns null for a list that is unknown, instead of an empty one', async () => {
  const { data } = await graphql(
    '{ site(host: "shop.example") { certificates { issuers problem { code } } } }',
  );
  expect(data.site.certificates).toEqual({ issuers: null, problem: { code: 'not_implemented' } });
});

it.each(['certificates', 'subdomains'])('names the setting that disables %s', async (path) => {
  expect(await get(`${path}?domain=shop.example`)).toMatchObject({
    status: 501,
    code: 'not_implemented',
    detail: expect.stringContaining('CT_SEARCH_URL'),
  });
});

it('says why a site has no signals, and lets no HTTP cache store that', async () => {
  const path = '/v1/agent-readiness?domain=broken.example';
  const response = await running.metered.gateway.fetch(path);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await response.json()).toMatchObject({
    outcome: 'unavailable',
    problem: { code: 'site_unreachable', detail: expect.stringContaining('broken.example') },
  });
});

it('has the same ETag for a TLS scan with the same result', async () => {
  const path = '/v1/ssl/deep-scan?domain=shop.example&max_age=0';
  const tagOf = async () => (await running.metered.gateway.fetch(path)).headers.get('etag');
  const tag = await tagOf();
  clock.advance(5000);
  expect(await tagOf()).toBe(tag);
});

it('reads no site with SITE_LOOKUPS=off', async () => {
  await using off = await startSiteGateway(
    { 'https://shop.example/': html('') },
    { env: { AUTH: 'open', SITE_LOOKUPS: 'off' } },
  );
  const paths = 'robots ssl/deep-scan identity-assets agent-readiness tech categorize'.split(' ');
  for (const path of paths) {
    const response = await off.metered.gateway.fetch(`/v1/${path}?domain=shop.example`);
    expect([path, response.status]).toEqual([path, 501]);
    expect((await response.json()).detail).toContain('SITE_LOOKUPS');
  }
  expect(off.sites.requests).toEqual([]);
});

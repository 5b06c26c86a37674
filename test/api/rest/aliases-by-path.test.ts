import { describe, expect, it } from 'vitest';
import {
  deprecated,
  deprecationIn,
  docsUrl,
  notDeprecated,
} from '../../support/checks/deprecation.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0', DOCS_URL: docsUrl } });

const usageMessage = 'Deprecated alias used. See /docs/versioning for the replacement.';

/** The aliases of paths about sites. */
const siteAliases = [
  ['subdomains', 'prefer_cache', 'max_age=2592000'],
  ...'tech categorize identity-assets identity-resolution agent-readiness robots'
    .split(' ')
    .map((path) => [path, 'skip_cache', 'max_age=0']),
  ['url-intelligence', 'skip_cache', 'max_age=0', 'url=https://taken.test/'],
  ['ssl/deep-scan', 'refresh', 'max_age=0'],
].map(([path = '', alias = '', replacement, target = 'domain=taken.test']) => ({
  path: `/v1/${path}?${target}`,
  alias,
  replacement,
}));

describe.each(siteAliases)('GET $path&$alias', ({ path, alias, replacement }) => {
  it('gets the same response as its replacement, with deprecation headers', async () => {
    const replaced = await gateway.fetch(`${path}&${replacement}`);
    expect(deprecationIn(replaced)).toEqual(notDeprecated);
    const body = stableMembers(await replaced.json());
    for (const query of ['=on', '', '=no', '=true&max_age=60']) {
      const aliased = await gateway.fetch(`${path}&${alias}${query}`);
      expect([aliased.status, deprecationIn(aliased)]).toEqual([200, deprecated]);
      expect(stableMembers(await aliased.json())).toEqual(body);
    }
  });

  it('reads the site again, or not, like its replacement', async () => {
    await gateway.fetch(path);
    const { cached } = await gateway.get(`${path}&${alias}=1`);
    expect(cached).toBe(alias === 'prefer_cache');
    expect(await gateway.get(`${path}&${alias}=0`)).toMatchObject({ cached: true });
    expect(await gateway.get(`${path}&${alias}=1&max_age=60`)).toMatchObject({ cached: true });
  });

  it('is an alias for HEAD and for requests that are rejected, too', async () => {
    const response = await gateway.fetch(`${path}&${alias}=1`, { method: 'HEAD' });
    expect([response.status, deprecationIn(response)]).toEqual([200, deprecated]);
    const rejected = await gateway.fetch(`${path}&${alias}=1&max_age=x`);
    expect([rejected.status, deprecationIn(rejected)]).toEqual([400, deprecated]);
  });
});

/** Returns a body without what differs between two reads of the same site. */
function stableMembers(body: Json): Json {
  const volatile =
    'latency_ms total_time_ms query_time_ms cached checked_at scan_duration_ms date'.split(' ');
  return JSON.parse(
    JSON.stringify(body, (key, value) => (volatile.includes(key) ? undefined : value)),
  );
}

describe('GET /v1/email/blacklist?offset', () => {
  it('skips domains, with deprecation headers', async () => {
    const all = await gateway.get('/v1/email/blacklist?limit=5');
    const response = await gateway.fetch('/v1/email/blacklist?limit=2&offset=3');
    expect(deprecationIn(response)).toEqual(deprecated);
    const { domains, next_cursor } = await response.json();
    expect(domains).toEqual(all.domains.slice(3));
    const next = await gateway.fetch(`/v1/email/blacklist?limit=1&cursor=${next_cursor}`);
    expect(deprecationIn(next)).toEqual(notDeprecated);
    expect((await next.json()).domains).toHaveLength(1);
  });

  it('must be a number', async () => {
    const response = await gateway.fetch('/v1/email/blacklist?offset=soon');
    expect([response.status, deprecationIn(response)]).toEqual([400, deprecated]);
    expect(await response.json()).toMatchObject({ param: 'offset' });
  });
});

describe('GET /v1/certificates?cursor', () => {
  it.each([
    ['0', 200, deprecated],
    ['25', 200, deprecated],
    ['-1', 400, deprecated],
    ['MTI=', 400, notDeprecated],
    ['a25', 400, notDeprecated],
    ['', 400, notDeprecated],
  ])('=%s is an alias only if it is a number', async (cursor, status, headers) => {
    const response = await gateway.fetch(`/v1/certificates?domain=taken.test&cursor=${cursor}`);
    expect([response.status, deprecationIn(response)]).toEqual([status, headers]);
  });

  it('skips certificates if it is a number, and else continues a page', async () => {
    const path = '/v1/certificates?domain=taken.test';
    const { certificates } = await gateway.get(path);
    expect((await gateway.get(`${path}&cursor=1`)).certificates).toEqual(certificates.slice(1));
    const { pagination } = await gateway.get(`${path}&limit=1`);
    expect(pagination).toMatchObject({ has_more: true, total: certificates.length });
    const next = await gateway.get(`${path}&cursor=${pagination.next_cursor}`);
    expect(next.certificates).toEqual(certificates.slice(1));
  });
});

it.each([
  '/v1/rdap?domain=taken.example&skip_cache=1&prefer_cache=1',
  '/v1/status?domain=taken.example&refresh=1&offset=3&cursor=3&SKIP_CACHE=1',
  '/v1/tech?prefer_cache=1&cache_skip=1',
  '/v1/subdomains?skip_cache=1',
  '/v1/certificates?offset=1',
  '/v1/status/skip_cache',
])('ignores the aliases of other paths: %s', async (path) => {
  expect(deprecationIn(await gateway.fetch(path))).toEqual(notDeprecated);
});

it('logs each alias of a caller at most once per hour', async () => {
  const { log, lines } = memoryLog();
  const clock = manualClock();
  await using watched = await startGateway({ clock, log });
  const logged = () =>
    lines
      .filter(({ msg }: Json) => msg === usageMessage)
      .map(({ path, alias }: Json) => [path, alias]);
  await watched.fetch('/v1/status?domain=taken.test&skip_cache=0&prefer_cache');
  await watched.fetch('/v1/status?domain=taken.test&skip_cache=1');
  await watched.post('/v1/status/bulk', { domains: 'wrong', options: { 'cache-skip': true } });
  await watched.fetch('/v1/robots?skip_cache');
  const first = [
    ['/v1/status', 'prefer_cache'],
    ['/v1/status', 'skip_cache'],
    ['/v1/status/bulk', 'cache-skip'],
    ['/v1/robots', 'skip_cache'],
  ];
  expect(logged()).toEqual(first);
  clock.advance(3_599_999);
  await watched.fetch('/v1/robots?skip_cache');
  expect(logged()).toEqual(first);
  clock.advance(1);
  await watched.fetch('/v1/robots?skip_cache');
  expect(logged()).toEqual([...first, ['/v1/robots', 'skip_cache']]);
});

it('logs the same caller for every path, even behind a proxy', async () => {
  const { log, lines } = memoryLog();
  const watched = await startGateway({
    log,
    env: { TRUSTED_PROXIES: '127.0.0.1, ::1', AUTH: 'open' },
  });
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  for (const path of ['/v1/status?domain=taken.test&skip_cache', '/v1/robots?skip_cache'])
    await watched.fetch(path, { headers });
  await watched[Symbol.asyncDispose]();
  const callers = lines
    .filter(({ msg }: Json) => msg === usageMessage)
    .map(({ caller }: Json) => caller);
  expect(callers).toEqual(['address 198.51.100.7', 'address 198.51.100.7']);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deprecated, deprecationIn, docsUrl, notDeprecated } from '../../support/deprecation.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateway.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { memoryLog } from '../../support/memory-log.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { RATE_LIMIT: '0', DOCS_URL: docsUrl } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** The other rows of section 6, all at paths that this gateway knows by name only. */
const unserved = [
  ['subdomains', 'prefer_cache', 'max_age=2592000'],
  ...'tech categorize identity-assets identity-resolution url-intelligence agent-readiness robots'
    .split(' ')
    .map((path) => [path, 'skip_cache', 'max_age=0']),
  ['ssl/deep-scan', 'refresh', 'max_age=0'],
  ['email/blacklist', 'offset', 'cursor=abc'],
].map(([path = '', alias = '', replacement]) => ({ path: `/v1/${path}`, alias, replacement }));

const on = ['true', '1', 'yes', 'on', '', 'null', 'whatever'];
const off = ['false', '0', 'no', 'off', 'OFF'];

describe.each(unserved)('GET $path?$alias', ({ path, alias, replacement }) => {
  it.each([...on, ...off])(
    '=%s is answered as its replacement, with the headers',
    async (value) => {
      for (const more of ['', '&max_age=60']) {
        const asked = await gateway.fetch(`${path}?${alias}=${value}${more}`);
        const replaced = await gateway.fetch(`${path}?${replacement}${more}`);
        expect([asked.status, deprecationIn(asked), deprecationIn(replaced)]).toEqual([
          501,
          deprecated,
          notDeprecated,
        ]);
        expect(await bodyWithoutId(asked)).toEqual(await bodyWithoutId(replaced));
      }
    },
  );

  it('is an alias to HEAD too', async () => {
    const answer = await gateway.fetch(`${path}?${alias}=1`, { method: 'HEAD' });
    expect([answer.status, deprecationIn(answer)]).toEqual([501, deprecated]);
  });
});

describe('GET /v1/certificates?cursor', () => {
  it.each([
    ['0', deprecated],
    ['25', deprecated],
    ['-1', deprecated],
    ['MTI=', notDeprecated],
    ['a25', notDeprecated],
    ['', notDeprecated],
  ])('=%s is an alias only when it is a number', async (cursor, headers) => {
    const answer = await gateway.fetch(`/v1/certificates?cursor=${cursor}`);
    expect([answer.status, deprecationIn(answer)]).toEqual([501, headers]);
  });
});

it.each([
  '/v1/rdap?domain=taken.example&skip_cache=1&prefer_cache=1',
  '/v1/status?domain=taken.example&refresh=1&offset=3&cursor=3&SKIP_CACHE=1',
  '/v1/tech?prefer_cache=1&cache_skip=1',
  '/v1/subdomains?skip_cache=1',
  '/v1/certificates?offset=1',
  '/v1/status/skip_cache',
])('what is an alias elsewhere is none here: %s', async (path) => {
  expect(deprecationIn(await gateway.fetch(path))).toEqual(notDeprecated);
});

it('the operator reads once an hour who used which alias, and how often', async () => {
  const { log, lines } = memoryLog();
  const hours = manualClock();
  await using watched = await startGateway({ clock: hours, log });
  const reported = () =>
    lines
      .filter(({ msg }: Json) => msg === 'deprecated aliases were used')
      .map(({ path, alias, uses }: Json) => [path, alias, uses]);
  await watched.fetch('/v1/status?domain=taken.test&skip_cache=0&prefer_cache');
  await watched.fetch('/v1/status?domain=taken.test&skip_cache=1');
  await watched.post('/v1/status/bulk', { domains: 'wrong', options: { 'cache-skip': true } });
  await watched.fetch('/v1/robots?skip_cache');
  hours.advance(3_599_999);
  expect(reported()).toEqual([]);
  hours.advance(1);
  const first = [
    ['/v1/status', 'prefer_cache', 1],
    ['/v1/status', 'skip_cache', 2],
    ['/v1/status/bulk', 'cache-skip', 1],
    ['/v1/robots', 'skip_cache', 1],
  ];
  expect(reported()).toEqual(first);
  hours.advance(2 * 3_600_000);
  await watched.fetch('/v1/robots?skip_cache');
  hours.advance(3_600_000);
  expect(reported()).toEqual([...first, ['/v1/robots', 'skip_cache', 1]]);
});

it('the operator reads at the end what was used since the last hour, and nothing of it twice', async () => {
  const { log, lines } = memoryLog();
  const clock = manualClock();
  const watched = await startGateway({ clock, log });
  await watched.fetch('/v1/robots?skip_cache');
  const reported = () => lines.filter(({ msg }: Json) => msg === 'deprecated aliases were used');
  await watched[Symbol.asyncDispose]();
  expect(reported()).toMatchObject([{ alias: 'skip_cache', uses: 1 }]);
  clock.advance(3_600_000);
  expect(reported()).toHaveLength(1);
});

it('the operator reads whose use it was, behind a proxy too, in the same words at every path', async () => {
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
    .filter(({ msg }: Json) => msg === 'deprecated aliases were used')
    .map(({ caller }: Json) => caller);
  expect(callers).toEqual(['address 198.51.100.7', 'address 198.51.100.7']);
});

async function bodyWithoutId(answer: Response): Promise<Json> {
  return JSON.parse(await answer.text(), (key, value: unknown) =>
    key === 'request_id' ? undefined : value,
  );
}

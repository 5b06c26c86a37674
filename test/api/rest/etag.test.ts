import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { html, notFound, registered } from '../../support/bodies/replies.ts';
import { sequence } from '../../support/bodies/scripts.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';

const clock = frozenClock();
const metered = await forThisFile(startMeteredGateway, { clock });
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^html/, html(404));
const customer = await metered.newCustomer();

const paths = ['/v1/status?domain=', '/v1/rdap?domain=', '/v1/status?tlds=example&name='] as const;
const day = 86_400;
let names = 0;

/** Returns a path with a new name that starts with `prefix`. */
function newPath(path: string, prefix = 'taken'): string {
  const label = `${prefix}${names++}`;
  return path.includes('name=') ? path + label : `${path}${label}.example`;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  customer.fetch(path, { headers });
const etagOf = (response: Response) => response.headers.get('etag') ?? '';
const cacheHeadersOf = ({ headers }: Response) => [
  headers.get('age'),
  headers.get('cache-control'),
];

describe.each(paths)('the ETag of %s…', (base) => {
  it('is weak, and depends neither on the age nor on the source of the result', async () => {
    const path = newPath(base);
    const first = await get(path);
    clock.advance(1000);
    const [cached, refreshed] = [await get(path), await get(`${path}&max_age=0`)];
    expect(etagOf(first)).toMatch(/^W\/"[\w-]+"$/);
    expect([cached, refreshed].map(etagOf)).toEqual([etagOf(first), etagOf(first)]);
    const bodies = await Promise.all(
      [first, cached, refreshed].map(async (response) => response.text()),
    );
    expect(new Set(bodies).size).toBe(3);
  });

  it('changes with the verdict', async () => {
    const path = newPath(base, 'sold');
    metered.registry.on(
      new RegExp(`^sold${names - 1}\\.`),
      sequence([notFound(), ({ name }) => registered(name)]),
    );
    expect(etagOf(await get(path))).not.toBe(etagOf(await get(`${path}&max_age=0`)));
  });
});

describe.each(paths)('If-None-Match with %s…', (base) => {
  it.each(['GET', 'HEAD'])('gets a 304 for a %s without a body, free of charge', async (method) => {
    const path = newPath(base);
    const first = await get(path);
    const used = (await customer.balance()).used;
    const response = await customer.fetch(path, {
      method,
      headers: { 'if-none-match': `"other", ${etagOf(first)}` },
    });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    expect(etagOf(response)).toEqual(etagOf(first));
    for (const name of ['vary', 'cache-control', 'age'])
      expect(response.headers.get(name)).toBe(first.headers.get(name));
    expect([costIn(response).charged, (await customer.balance()).used]).toEqual([0, used]);
  });

  it('costs the full price if the registry is queried', async () => {
    const path = newPath(base);
    const first = await get(path);
    const response = await get(`${path}&max_age=0`, { 'if-none-match': etagOf(first) });
    expect([response.status, costIn(response).charged]).toEqual([304, costIn(first).charged]);
    expect(costIn(first).charged).toBeGreaterThan(0);
  });

  it('gets a 304 for *, which costs as much as the response: it may tell what it is', async () => {
    const path = newPath(base);
    const first = await get(path);
    const response = await get(path, { 'if-none-match': '*' });
    expect([response.status, await response.text(), etagOf(response)]).toEqual([
      304,
      '',
      etagOf(first),
    ]);
    expect(costIn(response).charged).toBe(costIn(first).charged);
  });

  it('gets a complete response if the ETag differs', async () => {
    const path = newPath(base);
    const other = await get(newPath(base));
    const response = await get(path, { 'if-none-match': etagOf(other) });
    expect([response.status, etagOf(response) === etagOf(other)]).toEqual([200, false]);
  });
});

it('sends problems without an ETag, as no-store, and never as a 304', async () => {
  for (const path of [
    '/v1/rdap?domain=html.example',
    '/v1/status?domain=',
    '/v1/certificates?domain=shop.example',
  ]) {
    const response = await get(path, { 'if-none-match': '*' });
    expect([
      response.status >= 400,
      response.headers.get('etag'),
      ...cacheHeadersOf(response),
    ]).toEqual([true, null, null, 'no-store']);
  }
});

it('sends no ETag for a bulk call', async () => {
  const response = await customer.post(
    '/v1/status/bulk',
    { domains: ['taken.example'] },
    { 'if-none-match': '*' },
  );
  expect([response.status, response.headers.get('etag')]).toEqual([200, null]);
});

/** A first request, the seconds that pass, a second request, and its expected caching headers. */
const ages: readonly (readonly [
  what: string,
  first: string,
  seconds: number,
  then: string,
  age: string | null,
  control: string,
])[] = [
  ['an available name', 'f1.example', 100, 'f1.example', '100', 'private, max-age=200'],
  [
    'a registered name',
    'taken-a1.example',
    100,
    'taken-a1.example',
    '100',
    `private, max-age=${day - 100}`,
  ],
  [
    'the oldest row and the shortest remaining lifetime',
    'f2.example',
    100,
    'f2.example,taken-a2.example',
    '100',
    'private, max-age=200',
  ],
  [
    'at most the max_age of the request',
    'taken-a3.example',
    100,
    'taken-a3.example&max_age=150',
    '100',
    'private, max-age=150',
  ],
  [
    'a stale result',
    'taken-a4.example',
    2 * day,
    'taken-a4.example&max_age=2592000',
    `${2 * day}`,
    'private, max-age=0',
  ],
  [
    'a result that was refreshed',
    'taken-a5.example',
    100,
    'taken-a5.example&max_age=0',
    '0',
    'no-store',
  ],
  [
    'a result that was refreshed with an alias',
    'taken-a6.example',
    100,
    'taken-a6.example&skip_cache',
    '0',
    'no-store',
  ],
  ['a row without a verdict', 'f3.example', 100, 'f3.example,html.example', '100', 'no-store'],
  [
    'a row that needs no registry',
    'f4.example',
    100,
    'f4.example,a_b.example,a.no-such-tld',
    '100',
    'private, max-age=200',
  ],
  ['only rows that need no registry', 'f5.example', 0, 'a_b.example', null, 'private, max-age=0'],
];

describe('Age and Cache-Control', () => {
  it.each(ages)('describe %s', async (_what, first, seconds, then, age, control) => {
    await get(`/v1/status?domain=${first}`);
    clock.advance(seconds * 1000);
    const response = await get(`/v1/status?domain=${then}`);
    expect(cacheHeadersOf(response)).toEqual([age, control]);
    if (then.includes('max_age=0') || then.includes('skip_cache')) return;
    expect(
      cacheHeadersOf(await customer.fetch(`/v1/status?domain=${then}`, { method: 'HEAD' })),
    ).toEqual([age, control]);
  });

  it('of /v1/rdap are those of the name', async () => {
    await get('/v1/rdap?domain=taken-r.example');
    clock.advance(60_000);
    const response = await get('/v1/rdap?domain=taken-r.example');
    expect([((await response.json()) as Json).cached, ...cacheHeadersOf(response)]).toEqual([
      true,
      '60',
      `private, max-age=${day - 60}`,
    ]);
  });
});

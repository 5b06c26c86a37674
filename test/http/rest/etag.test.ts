import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../support/gateway.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { html, notFound, registered } from '../../support/replies.ts';
import { sequence } from '../../support/scripts.ts';
import { frozenClock, type FrozenClock } from '../../support/frozen-clock.ts';

let clock: FrozenClock;
let metered: MeteredGateway;
let customer: Customer;

beforeAll(async () => {
  clock = frozenClock();
  metered = await startMeteredGateway({ clock });
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  metered.registry.on(/^html/, html(404));
  customer = await metered.newCustomer();
});
afterAll(() => metered[Symbol.asyncDispose]());

const paths = ['/v1/status?domain=', '/v1/rdap?domain=', '/v1/status?tlds=example&name='] as const;
const day = 86_400;
let names = 0;

/** A path that nobody has asked for, whose name begins so. */
function fresh(path: string, prefix = 'taken'): string {
  const label = `${prefix}${names++}`;
  return path.includes('name=') ? path + label : `${path}${label}.example`;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  customer.fetch(path, { headers });
const etagOf = (answer: Response) => answer.headers.get('etag') ?? '';
const keptFor = ({ headers }: Response) => [headers.get('age'), headers.get('cache-control')];

describe.each(paths)('the ETag of %s…', (base) => {
  it('is weak, and stays while the answer says the same, however old it is and wherever it came from', async () => {
    const path = fresh(base);
    const first = await get(path);
    clock.pass(1000);
    const [stored, again] = [await get(path), await get(`${path}&max_age=0`)];
    expect(etagOf(first)).toMatch(/^W\/"[\w-]+"$/);
    expect([stored, again].map(etagOf)).toEqual([etagOf(first), etagOf(first)]);
    const bodies = await Promise.all([first, stored, again].map(async (answer) => answer.text()));
    expect(new Set(bodies).size).toBe(3);
  });

  it('changes with the verdict', async () => {
    const path = fresh(base, 'sold');
    metered.registry.on(
      new RegExp(`^sold${names - 1}\\.`),
      sequence([notFound(), ({ name }) => registered(name)]),
    );
    expect(etagOf(await get(path))).not.toBe(etagOf(await get(`${path}&max_age=0`)));
  });
});

describe.each(paths)('If-None-Match at %s…', (base) => {
  it.each(['GET', 'HEAD'])('spares %s the body, and costs nothing', async (method) => {
    const path = fresh(base);
    const first = await get(path);
    const used = (await customer.balance()).used;
    const answer = await customer.fetch(path, {
      method,
      headers: { 'if-none-match': `"other", ${etagOf(first)}` },
    });
    expect([answer.status, await answer.text(), etagOf(answer)]).toEqual([304, '', etagOf(first)]);
    for (const name of ['vary', 'cache-control', 'age'])
      expect(answer.headers.get(name)).toBe(first.headers.get(name));
    expect([costIn(answer).charged, (await customer.balance()).used]).toEqual([0, used]);
  });

  it('costs as ever when the registry had to be asked', async () => {
    const path = fresh(base);
    const first = await get(path);
    const answer = await get(`${path}&max_age=0`, { 'if-none-match': etagOf(first) });
    expect([answer.status, costIn(answer).charged]).toEqual([304, costIn(first).charged]);
    expect(costIn(first).charged).toBeGreaterThan(0);
  });

  it('that names another answer gets the whole of this one', async () => {
    const path = fresh(base);
    const other = await get(fresh(base));
    const answer = await get(path, { 'if-none-match': etagOf(other) });
    expect([answer.status, etagOf(answer) === etagOf(other)]).toEqual([200, false]);
  });
});

it('a problem has no ETag and is not to be stored, and is no 304', async () => {
  for (const path of ['/v1/rdap?domain=html.example', '/v1/status?domain=', '/v1/tech']) {
    const answer = await get(path, { 'if-none-match': '*' });
    expect([answer.status >= 400, answer.headers.get('etag'), ...keptFor(answer)]).toEqual([
      true,
      null,
      null,
      'no-store',
    ]);
  }
});

it('a bulk call has no ETag', async () => {
  const answer = await customer.post(
    '/v1/status/bulk',
    { domains: ['taken.example'] },
    { 'if-none-match': '*' },
  );
  expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
});

/** What is asked first, how many seconds pass, what is asked then, and what that says of its age. */
const ages: readonly (readonly [
  what: string,
  first: string,
  seconds: number,
  then: string,
  age: string | null,
  control: string,
])[] = [
  ['a free name', 'f1.example', 100, 'f1.example', '100', 'private, max-age=200'],
  [
    'a registered name',
    'taken-a1.example',
    100,
    'taken-a1.example',
    '100',
    `private, max-age=${day - 100}`,
  ],
  [
    'the oldest row, and the least that is left',
    'f2.example',
    100,
    'f2.example,taken-a2.example',
    '100',
    'private, max-age=200',
  ],
  [
    'at most what the caller takes',
    'taken-a3.example',
    100,
    'taken-a3.example&max_age=150',
    '100',
    'private, max-age=150',
  ],
  [
    'what is older than fresh',
    'taken-a4.example',
    2 * day,
    'taken-a4.example&max_age=2592000',
    `${2 * day}`,
    'private, max-age=0',
  ],
  [
    'an answer that was asked for anew',
    'taken-a5.example',
    100,
    'taken-a5.example&max_age=0',
    '0',
    'no-store',
  ],
  ['an alias of that', 'taken-a6.example', 100, 'taken-a6.example&skip_cache', '0', 'no-store'],
  ['a row that is not known', 'f3.example', 100, 'f3.example,html.example', '100', 'no-store'],
  [
    'a row that nobody was asked about',
    'f4.example',
    100,
    'f4.example,a_b.example,a.no-such-tld',
    '100',
    'private, max-age=200',
  ],
  [
    'no row that anybody was asked about',
    'f5.example',
    0,
    'a_b.example',
    null,
    'private, max-age=0',
  ],
];

describe('Age and Cache-Control', () => {
  it.each(ages)('of %s', async (_what, first, seconds, then, age, control) => {
    await get(`/v1/status?domain=${first}`);
    clock.pass(seconds * 1000);
    const answer = await get(`/v1/status?domain=${then}`);
    expect(keptFor(answer)).toEqual([age, control]);
    if (then.includes('max_age=0') || then.includes('skip_cache')) return;
    expect(keptFor(await customer.fetch(`/v1/status?domain=${then}`, { method: 'HEAD' }))).toEqual([
      age,
      control,
    ]);
  });

  it('of a record are those of its name', async () => {
    await get('/v1/rdap?domain=taken-r.example');
    clock.pass(60_000);
    const answer = await get('/v1/rdap?domain=taken-r.example');
    expect([((await answer.json()) as Json).cached, ...keptFor(answer)]).toEqual([
      true,
      '60',
      `private, max-age=${day - 60}`,
    ]);
  });
});

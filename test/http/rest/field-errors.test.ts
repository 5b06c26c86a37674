import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway, type Json } from '../../support/gateway.ts';
import { expectProblem } from '../../support/problems.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { RATE_LIMIT: '0', MAX_TLDS: '2', MAX_LOOKUPS: '500' } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const bulk = '/v1/status/bulk';
const json = { 'content-type': 'application/json' };
const send = (body: string | Uint8Array<ArrayBuffer>, path = bulk, headers: object = json) =>
  gateway.fetch(path, { method: 'POST', body, headers: { ...headers } });

/** What is wrong with a call, in the order in which it is told: each parameter and its code. */
type Culprits = string;

const queries: readonly (readonly [path: string, culprits: Culprits])[] = [
  [
    '/v1/status?name=a_b&tlds=,&max_age=x&naming=camel',
    'name invalid_name, tlds missing_parameter, max_age invalid_max_age, naming invalid_naming',
  ],
  ['/v1/status?max_age=-1', 'domain invalid_parameter, max_age invalid_max_age'],
  [
    '/v1/status?name=a&name=b&tlds=a,b,c&skip_cache&skip_cache',
    'name invalid_parameter, tlds too_many_tlds, skip_cache invalid_parameter',
  ],
  [
    '/v1/rdap?max_age=&naming=',
    'domain missing_parameter, max_age missing_parameter, naming missing_parameter',
  ],
  ['/v1/rdap?domain=a_b.test&max_age=1.5', 'domain invalid_name, max_age invalid_max_age'],
];

const bodies: readonly (readonly [body: object, culprits: Culprits])[] = [
  [
    { domains: [1, 'a.test', null], tlds: 'test', max_age: -1 },
    'domains.0 invalid_body, domains.2 invalid_body, tlds invalid_body, max_age invalid_max_age',
  ],
  [
    { names: [], tlds: [], options: { max_age: 'x' } },
    'names missing_parameter, tlds missing_parameter, options.max_age invalid_max_age',
  ],
  [
    { domains: ['a.test'], max_age: '5', options: { max_age: -1 } },
    'max_age invalid_max_age, options.max_age invalid_max_age',
  ],
  [{ domains: [], options: 'all' }, 'domains missing_parameter, options invalid_body'],
];

describe('a call with several faults', () => {
  it.each(queries)('hears of all of them at once: %s', async (path, culprits) => {
    await expectCulprits(await gateway.fetch(path), culprits);
  });

  it.each(bodies)('hears of all of them at once: %j', async (body, culprits) => {
    await expectCulprits(await gateway.post(bulk, body), culprits);
  });

  it('hears of those in the query, the headers and the body', async () => {
    const answer = await send('[]', `${bulk}?naming=camel`, { ...json, 'idempotency-key': 'a b' });
    await expectCulprits(
      answer,
      'body invalid_body, Idempotency-Key invalid_parameter, naming invalid_naming',
    );
  });

  it('hears of ten at most', async () => {
    const { errors } = (await (
      await gateway.post(bulk, { domains: Array.from({ length: 100 }, () => 1), max_age: -1 })
    ).json()) as Json;
    expect(errors).toHaveLength(10);
  });

  it.each([
    ['a path that is not there', '/v2/status?naming=camel', { method: 'POST' }, 'not_found'],
    ['a wrong method', '/v1/status?naming=camel', { method: 'POST' }, 'method_not_allowed'],
    ['a path that is not served', '/v1/tech?naming=camel', {}, 'not_implemented'],
    [
      'a body of another type',
      `${bulk}?naming=camel`,
      { method: 'POST', body: 'x' },
      'unsupported_media_type',
    ],
    [
      'a body that is too large',
      `${bulk}?naming=camel`,
      { method: 'POST', headers: json, body: 'x'.repeat(70_000) },
      'payload_too_large',
    ],
  ] as const)('hears first of %s', async (_what, path, init, code) => {
    await expectProblem(await gateway.fetch(path, init), code);
  });
});

describe('a body', () => {
  it.each([
    ['an array', '["a.test"]'],
    ['a text', '"a.test"'],
    ['null', 'null'],
    ['no JSON', '{"domains":["a.test"]'],
    ['JSON and more', '{"domains":["a.test"]} {}'],
    ['nothing', ''],
  ])('that is %s is refused', async (_what, body) => {
    const answer = await send(body);
    expect([answer.status, (await answer.json()) as Json]).toMatchObject([
      400,
      { code: 'invalid_body', param: 'body' },
    ]);
  });

  it.each([
    ['with its length', () => new Uint8Array(10_000_000)],
    ['in chunks', () => new Blob([new Uint8Array(10_000_000)]).stream()],
  ])('of 10 MB is refused, sent %s', async (_how, body) => {
    const answer = await gateway.fetch(bulk, {
      method: 'POST',
      body: body(),
      headers: json,
      duplex: 'half',
    } as RequestInit);
    await expectProblem(answer, 'payload_too_large');
  });

  it('has no members but its own', async () => {
    const missing = await send(
      '{"__proto__":{"domains":["taken.test"]},"constructor":{"prototype":{"names":["a"]}}}',
    );
    expect((await missing.json()) as Json).toMatchObject({
      code: 'invalid_body',
      param: 'domains',
    });
    const ignored = await send(
      '{"domains":["taken.test"],"__proto__":{"max_age":"x","options":{"skip_cache":1}},"toString":1}',
    );
    expect([ignored.status, ignored.headers.get('deprecation')]).toEqual([200, null]);
  });

  it('with 10,000 TLDs asks for too much', async () => {
    const tlds = Array.from({ length: 10_000 }, (_, index) => index.toString(36));
    await expectProblem(await gateway.post(bulk, { names: ['taken'], tlds }), 'too_many_lookups', {
      param: 'names',
    });
  });
});

it('a URL with 10,000 TLDs is too long', async () => {
  const tlds = Array.from({ length: 10_000 }, (_, index) => index.toString(36)).join();
  const answer = await gateway.fetch(`/v1/status?name=taken&tlds=${tlds}`);
  expect([answer.status, ((await answer.json()) as Json).code]).toEqual([431, 'headers_too_large']);
});

it.each(['/v1/status?domain=taken.test', '/v1/rdap?domain=taken.test'])(
  'what nobody knows in a query is ignored: %s',
  async (path) => {
    const answer = await gateway.fetch(
      `${path}&colour=green&colour=blue&Naming=camel&names[]=x&%00=1`,
    );
    expect(answer.status).toBe(200);
  },
);

async function expectCulprits(answer: Response, culprits: Culprits): Promise<void> {
  const pairs = culprits.split(', ').map((culprit) => culprit.split(' '));
  const errors = pairs.map(([param, code]) => ({
    param,
    code,
    detail: expect.stringMatching(/\.$/),
  }));
  const body = (await answer.json()) as Json;
  expect([answer.status, body]).toMatchObject([
    400,
    { param: errors[0]?.param, code: errors[0]?.code, errors },
  ]);
}

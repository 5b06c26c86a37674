import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { expectProblem } from '../../support/checks/problems.ts';

const gateway = await forThisFile(startGateway, {
  env: { RATE_LIMIT: '0', MAX_TLDS: '2', MAX_LOOKUPS: '500' },
});

const bulk = '/v1/status/bulk';
const json = { 'content-type': 'application/json' };
const send = (body: string | Uint8Array<ArrayBuffer>, path = bulk, headers: object = json) =>
  gateway.fetch(path, { method: 'POST', body, headers: { ...headers } });

/** The invalid parameters of a request and their codes, in the order of `errors`. */
type ExpectedErrors = string;

const queries: readonly (readonly [path: string, expected: ExpectedErrors])[] = [
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

const bodies: readonly (readonly [body: object, expected: ExpectedErrors])[] = [
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

describe('a request with several errors', () => {
  it.each(queries)('gets all of them in one response: %s', async (path, expected) => {
    await expectFieldErrors(await gateway.fetch(path), expected);
  });

  it.each(bodies)('gets all of them in one response: %j', async (body, expected) => {
    await expectFieldErrors(await gateway.post(bulk, body), expected);
  });

  it('gets those in the query, the headers and the body', async () => {
    const response = await send('[]', `${bulk}?naming=camel`, {
      ...json,
      'idempotency-key': 'a b',
    });
    await expectFieldErrors(
      response,
      'body invalid_body, Idempotency-Key invalid_parameter, naming invalid_naming',
    );
  });

  it('gets at most ten of them', async () => {
    const { errors } = (await (
      await gateway.post(bulk, { domains: Array.from({ length: 100 }, () => 1), max_age: -1 })
    ).json()) as Json;
    expect(errors).toHaveLength(10);
  });

  it.each([
    ['an unknown path', '/v2/nope?naming=camel', { method: 'POST' }, 'not_found'],
    ['an unsupported method', '/v1/status?naming=camel', { method: 'POST' }, 'method_not_allowed'],
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
  ] as const)('gets only the error of %s', async (_what, path, init, code) => {
    await expectProblem(await gateway.fetch(path, init), code);
  });
});

describe('a bulk body', () => {
  it.each([
    ['an array', '["a.test"]'],
    ['a string', '"a.test"'],
    ['null', 'null'],
    ['invalid JSON', '{"domains":["a.test"]'],
    ['JSON followed by more', '{"domains":["a.test"]} {}'],
    ['empty', ''],
  ])('that is %s is rejected', async (_what, body) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect((await response.json()) as Json).toMatchObject({ code: 'invalid_body', param: 'body' });
  });

  it.each([
    ['with a Content-Length', () => new Uint8Array(10_000_000)],
    ['in chunks', () => new Blob([new Uint8Array(10_000_000)]).stream()],
  ])('of 10 MB is rejected if it is sent %s', async (_how, body) => {
    const response = await gateway.fetch(bulk, {
      method: 'POST',
      body: body(),
      headers: json,
      duplex: 'half',
    } as RequestInit);
    await expectProblem(response, 'payload_too_large');
  });

  it('has no inherited members', async () => {
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

  it('with 10,000 TLDs has too many lookups', async () => {
    const tlds = Array.from({ length: 10_000 }, (_, index) => index.toString(36));
    await expectProblem(await gateway.post(bulk, { names: ['taken'], tlds }), 'too_many_lookups', {
      param: 'names',
    });
  });
});

it('rejects a URL with 10,000 TLDs as too long', async () => {
  const tlds = Array.from({ length: 10_000 }, (_, index) => index.toString(36)).join();
  const response = await gateway.fetch(`/v1/status?name=taken&tlds=${tlds}`);
  expect(response.status).toBe(431);
  expect(((await response.json()) as Json).code).toBe('headers_too_large');
});

it.each(['/v1/status?domain=taken.test', '/v1/rdap?domain=taken.test'])(
  'ignores unknown query parameters: %s',
  async (path) => {
    const response = await gateway.fetch(
      `${path}&colour=green&colour=blue&Naming=camel&names[]=x&%00=1`,
    );
    expect(response.status).toBe(200);
  },
);

async function expectFieldErrors(response: Response, expected: ExpectedErrors): Promise<void> {
  const pairs = expected.split(', ').map((pair) => pair.split(' '));
  const errors = pairs.map(([param, code]) => ({
    param,
    code,
    detail: expect.stringMatching(/\.$/),
  }));
  const body = (await response.json()) as Json;
  expect(response.status).toBe(400);
  expect(body).toMatchObject({ param: errors[0]?.param, code: errors[0]?.code, errors });
}

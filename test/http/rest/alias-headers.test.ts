import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { deprecated, deprecationIn, docsUrl, notDeprecated } from '../../support/deprecation.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { sequentially } from '../../support/statuses.ts';

let metered: MeteredGateway;
let customer: Customer;

beforeAll(async () => {
  metered = await startMeteredGateway({
    env: { RATE_LIMIT: '10', DOCS_URL: docsUrl, MAX_LOOKUPS: '2' },
  });
});
beforeEach(async () => {
  customer = await metered.newCustomer();
});
afterAll(() => metered[Symbol.asyncDispose]());

const status = '/v1/status?domain=taken.test&skip_cache=0';
const bulk = '/v1/status/bulk';
const aliased = { domains: ['taken.test'], options: { prefer_cache: false } };
const penniless = () => metered.newCustomer({ credits: 0 });

async function hasSpentItsRate(): Promise<Customer> {
  const spent = await metered.newCustomer();
  await sequentially(10, () => spent.fetch('/v1/status?domain=taken.test'));
  return spent;
}

async function secondTime(path: string): Promise<Response> {
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  return customer.fetch(path, { headers: { 'if-none-match': etag } });
}

async function ofAnotherSite(): Promise<Response> {
  const bound = await metered.newCustomer({ origins: ['https://app.example'] });
  return bound.fetch(status, { headers: { origin: 'https://other.example' } });
}

async function withAnotherBody(): Promise<Response> {
  const headers = { 'idempotency-key': 'one' };
  await customer.post(bulk, { domains: ['free.test'] }, headers);
  return customer.post(bulk, aliased, headers);
}

type Row = readonly [code: number, what: string, ask: () => Promise<Response>];

const inTheQuery: readonly Row[] = [
  [200, 'an answer', () => customer.fetch(status)],
  [200, 'HEAD', () => customer.fetch(status, { method: 'HEAD' })],
  [304, 'nothing new', () => secondTime(status)],
  [304, 'nothing new in snake_case', () => secondTime(`${status}&naming=snake`)],
  [400, 'a bad parameter', () => customer.fetch(`${status}&max_age=x`)],
  [400, 'a bad naming', () => customer.fetch(`${status}&naming=camel`)],
  [400, 'an alias that is repeated', () => customer.fetch(`${status}&skip_cache=1`)],
  [401, 'no key', () => metered.gateway.fetch(status)],
  [
    401,
    'a wrong key',
    () => metered.gateway.fetch(status, { headers: { 'x-api-key': generateKey() } }),
  ],
  [
    402,
    'no credits',
    async () => (await penniless()).fetch('/v1/status?domain=a.example&cache-skip'),
  ],
  [403, 'a page of another site', ofAnotherSite],
  [429, 'too many requests', async () => (await hasSpentItsRate()).fetch(status)],
  [501, 'a path known by name', () => metered.gateway.fetch('/v1/robots?skip_cache=no')],
  [204, 'a preflight', () => metered.gateway.fetch(status, { method: 'OPTIONS' })],
];

const inTheBody: readonly Row[] = [
  [200, 'an answer', () => customer.post(bulk, aliased)],
  [200, 'lines', () => customer.post(bulk, aliased, { accept: 'application/x-ndjson' })],
  [400, 'a bad body', () => customer.post(bulk, { ...aliased, domains: 7 })],
  [
    400,
    'options that are none beside it',
    () => customer.post(bulk, { cache_skip: 1, options: 'all' }),
  ],
  [400, 'a bad naming', () => customer.post(`${bulk}?naming=camel`, aliased)],
  [
    400,
    'too many names',
    () => customer.post(bulk, { ...aliased, domains: ['a.test', 'b.test', 'c.test'] }),
  ],
  [
    402,
    'no credits',
    async () => (await penniless()).post(bulk, { domains: ['a.example'], skip_cache: true }),
  ],
  [409, 'another body under the same Idempotency-Key', withAnotherBody],
];

const json = { 'content-type': 'application/json' };
const large = JSON.stringify({ ...aliased, domains: ['x'.repeat(70_000)] });

const inABodyThatWasNotRead: readonly Row[] = [
  [
    400,
    'no JSON',
    () =>
      customer.fetch(bulk, { method: 'POST', headers: json, body: `${JSON.stringify(aliased)},` }),
  ],
  [401, 'no key', () => metered.gateway.post(bulk, aliased)],
  [413, 'too large', () => customer.fetch(bulk, { method: 'POST', headers: json, body: large })],
  [
    415,
    'another type',
    () => customer.fetch(bulk, { method: 'POST', body: JSON.stringify(aliased) }),
  ],
  [429, 'too many requests', async () => (await hasSpentItsRate()).post(bulk, aliased)],
  [
    200,
    'an alias in the query of a path that takes it in the body',
    () => customer.post(`${bulk}?skip_cache=1`, { domains: ['a.test'] }),
  ],
];

describe('a request with an alias', () => {
  it.each([...inTheQuery, ...inTheBody])(
    'gets the three headers with %i, %s, and browsers may read them',
    async (code, _what, ask) => {
      const answer = await ask();
      expect([answer.status, deprecationIn(answer)]).toEqual([code, deprecated]);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
    },
  );

  it.each(inABodyThatWasNotRead)(
    'in a body does not before that is read as JSON: %i, %s',
    async (code, _what, ask) => {
      const answer = await ask();
      expect([answer.status, deprecationIn(answer)]).toEqual([code, notDeprecated]);
    },
  );
});

import { beforeEach, describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import {
  deprecated,
  deprecationIn,
  docsUrl,
  notDeprecated,
} from '../../support/checks/deprecation.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import { sequentially } from '../../support/requests/statuses.ts';

let customer: Customer;

const metered = await forThisFile(startMeteredGateway, {
  env: { RATE_LIMIT: '10', DOCS_URL: docsUrl, MAX_LOOKUPS: '2' },
});

beforeEach(async () => {
  customer = await metered.newCustomer();
});

const status = '/v1/status?domain=taken.test&skip_cache=0';
const bulk = '/v1/status/bulk';
const aliased = { domains: ['taken.test'], options: { prefer_cache: false } };
const customerWithoutCredits = () => metered.newCustomer({ credits: 0 });

async function rateLimitedCustomer(): Promise<Customer> {
  const limited = await metered.newCustomer();
  await sequentially(10, () => limited.fetch('/v1/status?domain=taken.test'));
  return limited;
}

async function revalidate(path: string): Promise<Response> {
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  return customer.fetch(path, { headers: { 'if-none-match': etag } });
}

async function fromOtherOrigin(): Promise<Response> {
  const bound = await metered.newCustomer({ origins: ['https://app.example'] });
  return bound.fetch(status, { headers: { origin: 'https://other.example' } });
}

async function withOtherBody(): Promise<Response> {
  const headers = { 'idempotency-key': 'one' };
  await customer.post(bulk, { domains: ['free.example'] }, headers);
  return customer.post(bulk, aliased, headers);
}

type Row = readonly [code: number, what: string, send: () => Promise<Response>];

const inQuery: readonly Row[] = [
  [200, 'a GET', () => customer.fetch(status)],
  [200, 'a HEAD', () => customer.fetch(status, { method: 'HEAD' })],
  [304, 'an unchanged response', () => revalidate(status)],
  [304, 'an unchanged response in snake_case', () => revalidate(`${status}&naming=snake`)],
  [400, 'an invalid parameter', () => customer.fetch(`${status}&max_age=x`)],
  [400, 'an invalid naming', () => customer.fetch(`${status}&naming=camel`)],
  [400, 'a repeated alias', () => customer.fetch(`${status}&skip_cache=1`)],
  [401, 'no key', () => metered.gateway.fetch(status)],
  [
    401,
    'an invalid key',
    () => metered.gateway.fetch(status, { headers: { 'x-api-key': generateKey() } }),
  ],
  [
    402,
    'no credits',
    async () => (await customerWithoutCredits()).fetch('/v1/status?domain=a.example&cache-skip'),
  ],
  [403, 'another origin', fromOtherOrigin],
  [429, 'too many requests', async () => (await rateLimitedCustomer()).fetch(status)],
  [
    501,
    'a lookup that needs a setting',
    () => customer.fetch('/v1/subdomains?domain=shop.example&prefer_cache=no'),
  ],
  [204, 'a preflight', () => metered.gateway.fetch(status, { method: 'OPTIONS' })],
];

const inBody: readonly Row[] = [
  [200, 'a JSON response', () => customer.post(bulk, aliased)],
  [
    200,
    'an NDJSON response',
    () => customer.post(bulk, aliased, { accept: 'application/x-ndjson' }),
  ],
  [400, 'an invalid body', () => customer.post(bulk, { ...aliased, domains: 7 })],
  [
    400,
    'invalid options next to the alias',
    () => customer.post(bulk, { cache_skip: 1, options: 'all' }),
  ],
  [400, 'an invalid naming', () => customer.post(`${bulk}?naming=camel`, aliased)],
  [
    400,
    'too many names',
    () => customer.post(bulk, { ...aliased, domains: ['a.test', 'b.test', 'c.test'] }),
  ],
  [
    402,
    'no credits',
    async () =>
      (await customerWithoutCredits()).post(bulk, { domains: ['a.example'], skip_cache: true }),
  ],
  [409, 'another body with the same Idempotency-Key', withOtherBody],
];

const json = { 'content-type': 'application/json' };
const large = JSON.stringify({ ...aliased, domains: ['x'.repeat(70_000)] });

const inUnparsedBody: readonly Row[] = [
  [
    400,
    'a body that is not JSON',
    () =>
      customer.fetch(bulk, { method: 'POST', headers: json, body: `${JSON.stringify(aliased)},` }),
  ],
  [401, 'no key', () => metered.gateway.post(bulk, aliased)],
  [
    413,
    'a body that is too large',
    () => customer.fetch(bulk, { method: 'POST', headers: json, body: large }),
  ],
  [
    415,
    'a body of another type',
    () => customer.fetch(bulk, { method: 'POST', body: JSON.stringify(aliased) }),
  ],
  [429, 'too many requests', async () => (await rateLimitedCustomer()).post(bulk, aliased)],
  [
    200,
    'an alias in the query of a path that accepts it in the body',
    () => customer.post(`${bulk}?skip_cache=1`, { domains: ['a.test'] }),
  ],
];

describe('a request with an alias', () => {
  it.each([...inQuery, ...inBody])(
    'gets deprecation headers that browsers can read: %i, %s',
    async (code, _what, send) => {
      const response = await send();
      expect([response.status, deprecationIn(response)]).toEqual([code, deprecated]);
      const exposed = response.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
    },
  );

  it.each(inUnparsedBody)(
    'gets none if the alias has not been parsed: %i, %s',
    async (code, _what, send) => {
      const response = await send();
      expect([response.status, deprecationIn(response)]).toEqual([code, notDeprecated]);
    },
  );
});

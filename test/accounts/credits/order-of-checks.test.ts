import { expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import type { ProblemCode } from '../../../src/domain/problems.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';

const metered = await forThisFile(startMeteredGateway, {
  env: { RATE_LIMIT: '10', TRUSTED_PROXIES: '127.0.0.1' },
});
const fresh = () => metered.newCustomer();
const withoutCredits = await metered.newCustomer({ credits: 0 });
/** A customer whose rate limit is exhausted. */
const limited = await fresh();
await Promise.all(Array.from({ length: 10 }, () => limited.fetch('/v1/status?domain=a.test')));

type Send = (from: Record<string, string>) => Promise<Response>;
const get =
  (path: string, more: RequestInit = {}): Send =>
  (headers) =>
    metered.gateway.fetch(path, { ...more, headers: { ...headers, ...more.headers } as never });
const bulk = (body: string) => ({ method: 'POST', body });
const json = { 'content-type': 'application/json' };
const wrong = { 'x-api-key': generateKey() };
const queryWithoutCredits = (query: string) => () => withoutCredits.graphql(query);

/** Each request fails several checks. It gets the code of the first one. */
const checks: Partial<Record<ProblemCode, Record<string, Send>>> = {
  not_found: { 'an unknown path, no key': get('/v2/status') },
  method_not_allowed: { 'a wrong method, no key': get('/v1/status', { method: 'DELETE' }) },
  missing_api_key: {
    'no key, bad parameters': get('/v1/status?max_age=x'),
    'no key, an unsupported media type': get('/v1/status/bulk', bulk('x')),
  },
  invalid_api_key: {
    'an unknown key, bad parameters': get('/v1/rdap', { headers: wrong }),
    'an unknown key, invalid GraphQL': (from) =>
      metered.gateway.post('/graphql', '{', { ...from, ...wrong }),
  },
  forbidden_origin: {
    'a key from another origin, an exhausted rate limit': limitedFromOtherOrigin,
  },
  rate_limited: {
    'an exhausted rate limit, bad parameters': () => limited.fetch('/v1/status'),
    'an exhausted rate limit, an unsupported media type': () =>
      limited.fetch('/v1/status/bulk', bulk('x')),
    'an exhausted rate limit, invalid GraphQL': () => limited.graphql('{'),
  },
  unsupported_media_type: {
    'an unsupported media type': async () => (await fresh()).fetch('/v1/status/bulk', bulk('{')),
  },
  payload_too_large: {
    'a body that is too large and not JSON': async () =>
      (await fresh()).fetch('/v1/status/bulk', { ...bulk('x'.repeat(70_000)), headers: json }),
  },
  invalid_max_age: {
    'bad parameters, no credits': () =>
      withoutCredits.fetch('/v1/status?domain=a.example&max_age=x'),
    'a negative age in GraphQL, no credits': queryWithoutCredits(
      '{ domain(name: "a.example", maxAge: -1) { status } }',
    ),
    'a negative age for a list in GraphQL, no credits': queryWithoutCredits(
      '{ domains(domains: ["a.example"], maxAge: -1) { status } }',
    ),
  },
  too_many_lookups: {
    'too many names, no credits': () =>
      withoutCredits.post('/v1/status/bulk', { domains: names(501) }),
  },
  invalid_query: {
    'a query that does not match the schema, no credits': queryWithoutCredits(
      '{ domain(name: "a.example") { nothing } }',
    ),
  },
  invalid_parameter: {
    'a negative time budget in GraphQL, no credits': queryWithoutCredits(
      '{ domains(domains: ["a.example"], budgetMs: -1) { status } }',
    ),
  },
  insufficient_credits: {
    'no credits, through REST': () => withoutCredits.fetch('/v1/status?domain=a.example'),
    'no credits, through GraphQL': queryWithoutCredits('{ domain(name: "a.example") { status } }'),
  },
};

const rows = Object.entries(checks).flatMap(([code, sends]) =>
  Object.entries(sends).map(([fault, send]) => ({ code, fault, send })),
);

it.each(rows)('rejects a request with $fault as $code', async ({ code, fault, send }) => {
  // Each request has its own address, so that invalid keys do not count against others.
  const number = rows.findIndex((row) => row.fault === fault);
  const body = await (await send({ 'x-forwarded-for': `192.0.2.${number + 1}` })).json();
  expect(body.code ?? body.errors[0].extensions.code).toBe(code);
  expect(metered.registry.requests).toEqual([]);
});

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `n${index}.example`);
}

async function limitedFromOtherOrigin(): Promise<Response> {
  const customer = await metered.newCustomer({ origins: ['https://app.example'] });
  const send = (origin: string) =>
    customer.fetch('/v1/status?domain=a.test', { headers: { origin } });
  await Promise.all(Array.from({ length: 10 }, () => send('https://app.example')));
  expect((await send('https://app.example')).status).toBe(429);
  return send('https://other.example');
}

import { expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
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

const json = { 'content-type': 'application/json' };
const wrong = () => ({ 'x-api-key': generateKey() });

/** Each request fails several checks; the first check determines the error. */
const checks: readonly (readonly [
  fault: string,
  code: string,
  send: (from: Record<string, string>) => Promise<Response>,
])[] = [
  [
    'an unknown path, no key',
    'not_found',
    (from) => metered.gateway.fetch('/v2/status', { headers: from }),
  ],
  [
    'a wrong method, no key',
    'method_not_allowed',
    (from) => metered.gateway.fetch('/v1/status', { method: 'DELETE', headers: from }),
  ],
  [
    'no key, bad parameters',
    'missing_api_key',
    (from) => metered.gateway.fetch('/v1/status?max_age=x', { headers: from }),
  ],
  [
    'no key, an unsupported media type',
    'missing_api_key',
    (from) =>
      metered.gateway.fetch('/v1/status/bulk', { method: 'POST', headers: from, body: 'x' }),
  ],
  [
    'an unknown key, bad parameters',
    'invalid_api_key',
    (from) => metered.gateway.fetch('/v1/rdap', { headers: { ...from, ...wrong() } }),
  ],
  [
    'an unknown key, invalid GraphQL',
    'invalid_api_key',
    (from) => metered.gateway.post('/graphql', '{', { ...from, ...wrong() }),
  ],
  [
    'a key from another origin, an exhausted rate limit',
    'forbidden_origin',
    async () => limitedFromOtherOrigin(),
  ],
  ['an exhausted rate limit, bad parameters', 'rate_limited', () => limited.fetch('/v1/status')],
  [
    'an exhausted rate limit, an unsupported media type',
    'rate_limited',
    () => limited.fetch('/v1/status/bulk', { method: 'POST', body: 'x' }),
  ],
  ['an exhausted rate limit, invalid GraphQL', 'rate_limited', () => limited.graphql('{')],
  [
    'an unsupported media type',
    'unsupported_media_type',
    async () => (await fresh()).fetch('/v1/status/bulk', { method: 'POST', body: '{' }),
  ],
  [
    'a body that is too large and not JSON',
    'payload_too_large',
    async () =>
      (await fresh()).fetch('/v1/status/bulk', {
        method: 'POST',
        headers: json,
        body: 'x'.repeat(70_000),
      }),
  ],
  [
    'bad parameters, no credits',
    'invalid_max_age',
    () => withoutCredits.fetch('/v1/status?domain=a.example&max_age=x'),
  ],
  [
    'too many names, no credits',
    'too_many_lookups',
    () => withoutCredits.post('/v1/status/bulk', { domains: names(501) }),
  ],
  [
    'a query that does not match the schema, no credits',
    'invalid_query',
    () => withoutCredits.graphql('{ domain(name: "a.example") { nothing } }'),
  ],
  [
    'a negative age in GraphQL, no credits',
    'invalid_max_age',
    () => withoutCredits.graphql('{ domain(name: "a.example", maxAge: -1) { status } }'),
  ],
  [
    'a negative age for a list in GraphQL, no credits',
    'invalid_max_age',
    () => withoutCredits.graphql('{ domains(domains: ["a.example"], maxAge: -1) { status } }'),
  ],
  [
    'a negative time budget in GraphQL, no credits',
    'invalid_parameter',
    () => withoutCredits.graphql('{ domains(domains: ["a.example"], budgetMs: -1) { status } }'),
  ],
  [
    'no credits, through REST',
    'insufficient_credits',
    () => withoutCredits.fetch('/v1/status?domain=a.example'),
  ],
  [
    'no credits, through GraphQL',
    'insufficient_credits',
    () => withoutCredits.graphql('{ domain(name: "a.example") { status } }'),
  ],
];

it.each(checks)('rejects a request with %s as %s', async (fault, code, send) => {
  // Each request has its own address, so that invalid keys do not count against others.
  const answer = await send({
    'x-forwarded-for': `192.0.2.${checks.findIndex(([other]) => other === fault) + 1}`,
  });
  const body = await answer.json();
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

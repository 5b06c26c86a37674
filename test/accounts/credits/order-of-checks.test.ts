import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';

let metered: MeteredGateway;
/** 10 a minute at once, and none of them left. */
let spent: Customer;
let fresh: () => Promise<Customer>;
let penniless: Customer;

beforeAll(async () => {
  metered = await startMeteredGateway({ env: { RATE_LIMIT: '10', TRUSTED_PROXIES: '127.0.0.1' } });
  fresh = () => metered.newCustomer();
  penniless = await metered.newCustomer({ credits: 0 });
  spent = await fresh();
  await Promise.all(Array.from({ length: 10 }, () => spent.fetch('/v1/status?domain=a.test')));
});
afterAll(() => metered[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const wrong = () => ({ 'x-api-key': generateKey() });

/** Each request is at fault in more than one way: the first that is checked is told. */
const checks: readonly (readonly [
  fault: string,
  code: string,
  ask: (from: Record<string, string>) => Promise<Response>,
])[] = [
  [
    'no such path, no key',
    'not_found',
    (from) => metered.gateway.fetch('/v2/status', { headers: from }),
  ],
  [
    'a wrong method, no key',
    'method_not_allowed',
    (from) => metered.gateway.fetch('/v1/status', { method: 'DELETE', headers: from }),
  ],
  [
    'a path that is not served, a wrong key',
    'not_implemented',
    (from) => metered.gateway.fetch('/v1/tech', { headers: { ...from, ...wrong() } }),
  ],
  [
    'no key, bad parameters',
    'missing_api_key',
    (from) => metered.gateway.fetch('/v1/status?max_age=x', { headers: from }),
  ],
  [
    'no key, a body of a wrong type',
    'missing_api_key',
    (from) =>
      metered.gateway.fetch('/v1/status/bulk', { method: 'POST', headers: from, body: 'x' }),
  ],
  [
    'a wrong key, bad parameters',
    'invalid_api_key',
    (from) => metered.gateway.fetch('/v1/rdap', { headers: { ...from, ...wrong() } }),
  ],
  [
    'a wrong key, no GraphQL',
    'invalid_api_key',
    (from) => metered.gateway.post('/graphql', '{', { ...from, ...wrong() }),
  ],
  ['a key from elsewhere, whose rate is spent', 'forbidden_origin', async () => foreignAndSpent()],
  ['a spent rate, bad parameters', 'rate_limited', () => spent.fetch('/v1/status')],
  [
    'a spent rate, a body of a wrong type',
    'rate_limited',
    () => spent.fetch('/v1/status/bulk', { method: 'POST', body: 'x' }),
  ],
  ['a spent rate, no GraphQL', 'rate_limited', () => spent.graphql('{')],
  [
    'a body of a wrong type',
    'unsupported_media_type',
    async () => (await fresh()).fetch('/v1/status/bulk', { method: 'POST', body: '{' }),
  ],
  [
    'a body that is too large and no JSON',
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
    () => penniless.fetch('/v1/status?domain=a.example&max_age=x'),
  ],
  [
    'too many names, no credits',
    'too_many_lookups',
    () => penniless.post('/v1/status/bulk', { domains: names(501) }),
  ],
  [
    'a query that does not fit the schema, no credits',
    'invalid_query',
    () => penniless.graphql('{ domain(name: "a.example") { nothing } }'),
  ],
  [
    'a negative age in GraphQL, no credits',
    'invalid_max_age',
    () => penniless.graphql('{ domain(name: "a.example", maxAge: -1) { status } }'),
  ],
  [
    'a negative age of a list in GraphQL, no credits',
    'invalid_max_age',
    () => penniless.graphql('{ domains(domains: ["a.example"], maxAge: -1) { status } }'),
  ],
  [
    'a negative time in GraphQL, no credits',
    'invalid_parameter',
    () => penniless.graphql('{ domains(domains: ["a.example"], budgetMs: -1) { status } }'),
  ],
  [
    'no credits, through REST',
    'insufficient_credits',
    () => penniless.fetch('/v1/status?domain=a.example'),
  ],
  [
    'no credits, through GraphQL',
    'insufficient_credits',
    () => penniless.graphql('{ domain(name: "a.example") { status } }'),
  ],
];

it.each(checks)('%s: %s', async (fault, code, ask) => {
  // Everybody comes from an address of his own, so that no wrong key counts against another.
  const answer = await ask({
    'x-forwarded-for': `192.0.2.${checks.findIndex(([other]) => other === fault) + 1}`,
  });
  const body = await answer.json();
  expect(body.code ?? body.errors[0].extensions.code).toBe(code);
  expect(metered.registry.requests).toEqual([]);
});

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `n${index}.example`);
}

async function foreignAndSpent(): Promise<Response> {
  const customer = await metered.newCustomer({ origins: ['https://app.example'] });
  const ask = (origin: string) =>
    customer.fetch('/v1/status?domain=a.test', { headers: { origin } });
  await Promise.all(Array.from({ length: 10 }, () => ask('https://app.example')));
  expect((await ask('https://app.example')).status).toBe(429);
  return ask('https://other.example');
}

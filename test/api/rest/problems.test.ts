import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { problems, type ProblemCode } from '../../../src/domain/problems.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { expectProblem } from '../../support/checks/problems.ts';
import { sequentially } from '../../support/requests/statuses.ts';

const { log, lines } = memoryLog();

const metered = await forThisFile(startMeteredGateway, { log, env: { RATE_LIMIT: '10' } });

const path = '/v1/status?domain=a.example';
const newCustomer = (plan: Parameters<MeteredGateway['newCustomer']>[0] = {}) =>
  metered.newCustomer(plan);

/** One of 10 requests per minute is allowed after 6 seconds, less the time that they took. */
const isRetryAfter = (seconds: unknown) => Number(seconds) >= 1 && Number(seconds) <= 6;

type Row = readonly [
  code: ProblemCode,
  send: (customer: Customer) => Promise<Response>,
  members?: object,
  headers?: object,
];

/** The problems that need a key, or more than one request. */
const rows: readonly Row[] = [
  [
    'missing_api_key',
    () => metered.gateway.fetch(path),
    {},
    { 'www-authenticate': 'Bearer realm="gateway"' },
  ],
  [
    'invalid_api_key',
    () => metered.gateway.fetch(path, { headers: { 'x-api-key': generateKey() } }),
    {},
    { 'www-authenticate': 'Bearer realm="gateway", error="invalid_token"' },
  ],
  [
    'insufficient_credits',
    async () => (await newCustomer({ credits: 1 })).fetch('/v1/rdap?domain=a.example'),
    {
      credits_required: prices.record(1),
      credits_remaining: 1,
      resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
    },
  ],
  ['forbidden_operation', async () => (await newCustomer({ documents: [] })).fetch(path)],
  [
    'forbidden_origin',
    async () =>
      (await newCustomer({ origins: ['https://app.example'] })).fetch(path, {
        headers: { origin: 'https://other.example' },
      }),
  ],
  [
    'rate_limited',
    rateLimited,
    { retry_after: expect.toSatisfy(isRetryAfter) },
    { 'retry-after': expect.toSatisfy(isRetryAfter) },
  ],
  ['idempotency_conflict', withTwoBodies, { param: 'Idempotency-Key' }],
  ['invalid_naming', (customer) => customer.fetch(`${path}&naming=camel`), { param: 'naming' }],
  ['not_implemented', (customer) => customer.fetch('/v1/certificates?domain=shop.example')],
  ['site_unreachable', (customer) => customer.fetch('/v1/robots?domain=free.test')],
  ['site_blocked', (customer) => customer.fetch('/v1/tech?domain=taken-blocked.test')],
  ['site_timeout', (customer) => customer.fetch('/v1/tech?domain=taken-slow.test')],
];

async function rateLimited(customer: Customer): Promise<Response> {
  await sequentially(10, () => customer.fetch('/v1/status?domain=a.test'));
  return customer.fetch(path);
}

async function withTwoBodies(customer: Customer): Promise<Response> {
  const headers = { 'idempotency-key': 'one' };
  await customer.post('/v1/status/bulk', { domains: ['a.example'] }, headers);
  return customer.post('/v1/status/bulk', { domains: ['b.example'] }, headers);
}

describe('a problem', () => {
  it.each(
    rows.map(([code, send, members = {}, headers = {}]) => ({ code, send, members, headers })),
  )(
    '$code has its members and headers, and is logged with its request id or counted',
    async ({ code, send, members, headers }) => {
      const response = await send(await newCustomer());
      const requestId = response.headers.get('x-request-id');
      expect(
        Object.fromEntries(Object.keys(headers).map((name) => [name, response.headers.get(name)])),
      ).toEqual(headers);
      await expectProblem(response, code, { ...members });
      const isCounted = code === 'rate_limited';
      expect(lines.filter((line: Json) => line.requestId === requestId)).toEqual(
        isCounted ? [] : [expect.objectContaining({ code })],
      );
    },
  );

  it('is tested for every code', () => {
    const elsewhere: readonly (readonly [file: string, codes: string])[] = [
      [
        'http/messages/problems',
        `missing_parameter invalid_parameter invalid_name invalid_max_age invalid_body too_many_tlds too_many_lookups unsupported_tld not_found
        method_not_allowed payload_too_large unsupported_media_type headers_too_large malformed_request registry_error untrusted_answer
        registry_busy registry_timeout`,
      ],
      [
        'api/graphql/graphql, execution/limits and server/messages/media-types',
        'invalid_query query_too_large not_acceptable',
      ],
      ['api/mcp/oauth', 'unknown_account'],
      ['api/rest/rdap-without-record', 'no_rdap contradicted not_delegated'],
      ['registries/combined-whois', 'whois_unclear'],
      ['lookup/policy', 'brand_tld closed_tld reserved_label script_not_offered'],
      ['sites/certificates/certificates-reader', 'ct_unavailable'],
      ['registries/directory/object-bootstraps', 'special_use no_registry'],
      ['api/graphql/apollo-persisted', 'persisted_query_not_found'],
      ['server/slow-clients and server/messages/internal-error', 'request_timeout internal'],
      ['sites/abuse-contacts', 'too_many_addresses'],
      ['watches/contract', 'too_many_watches cursor_expired'],
      ['server/overload and accounts/credits/ledger-unavailable', 'overloaded unavailable'],
    ];
    const tested = [
      ...rows.map(([code]) => code),
      ...elsewhere.flatMap(([, codes]) => codes.split(/\s+/)),
    ];
    expect(tested.toSorted()).toEqual(Object.keys(problems).toSorted());
  });
});

import { describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { parseResponse, sendRaw } from '../../support/requests/raw-http.ts';
import { status } from '../../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway, {
  env: { RATE_LIMIT: '100', MAX_LOOKUPS: '2' },
});
metered.registry.on(/^busy/, status(429, { 'retry-after': '9' }));
const customer = await metered.newCustomer();

const accept = { accept: 'application/json' };
const path = '/v1/status?domain=a.test';

interface ClientError {
  readonly className: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly docsUrl: string | undefined;
}

/** The error classes of client libraries by `error.type`. */
const classes: Readonly<Record<string, string>> = {
  authentication_error: 'AuthenticationError',
  credits_error: 'CreditsError',
  rate_limit_error: 'RateLimitError',
  validation_error: 'ValidationError',
  timeout_error: 'TimeoutError',
  upstream_error: 'UpstreamError',
};

/**
 * Reads an error as client libraries do: JSON only if the media type contains `application/json`,
 * and its `error` if there is one.
 */
async function clientError(response: Response): Promise<ClientError> {
  const isJson = response.headers.get('content-type')?.includes('application/json');
  const payload: Json = isJson ? await response.json() : await response.text();
  const error = payload.error ?? payload;
  return {
    className: classes[error.type] ?? 'ApiError',
    code: error.code,
    message: error.message ?? `The request failed with status ${response.status}`,
    retryable: Boolean(error.retryable),
    retryAfter: error.retry_after,
    docsUrl: error.docs_url,
  };
}

async function rateLimited(): Promise<Response> {
  const limited = await metered.newCustomer();
  // The allowance of 100 is refilled while they are sent.
  for (let number = 0; number < 300; number += 1) {
    const response = await limited.fetch(path, { headers: accept });
    if (response.status === 429) return response;
  }
  throw new Error('The rate limit was not reached.');
}

async function withTwoBodies(): Promise<Response> {
  const headers = { ...accept, 'idempotency-key': 'one' };
  await customer.post('/v1/status/bulk', { domains: ['a.example'] }, headers);
  return customer.post('/v1/status/bulk', { domains: ['b.example'] }, headers);
}

async function withoutCredits(): Promise<Response> {
  return (await metered.newCustomer({ credits: 0 })).fetch('/v1/rdap?domain=a.example', {
    headers: accept,
  });
}

async function fromOtherOrigin(): Promise<Response> {
  const bound = await metered.newCustomer({ origins: ['https://app.example'] });
  return bound.fetch(path, { headers: accept });
}

const get = (target: string, init: RequestInit = {}) =>
  customer.fetch(target, { ...init, headers: accept });
const bulk = (body: unknown) => customer.post('/v1/status/bulk', body, accept);

/** Requests, by the code and the class of the error that a client throws, and by the cause. */
const failures: Readonly<Record<string, () => Promise<Response>>> = {
  'INVALID_DOMAIN ValidationError: an invalid name': () => get('/v1/rdap?domain=a_b.example'),
  'BAD_REQUEST ValidationError: a missing parameter': () => get('/v1/rdap'),
  'BAD_REQUEST ValidationError: a repeated parameter': () =>
    get('/v1/rdap?domain=a.test&domain=b.test'),
  'BAD_REQUEST ValidationError: an invalid max_age': () => get(`${path}&max_age=x`),
  'BAD_REQUEST ValidationError: an invalid naming': () => get(`${path}&naming=camel`),
  'BAD_REQUEST ValidationError: an invalid body': () => bulk([]),
  'BAD_REQUEST ValidationError: too many names': () =>
    bulk({ domains: ['a.test', 'b.test', 'c.test'] }),
  'UNSUPPORTED_TLD ValidationError: a TLD without a registry': () =>
    get('/v1/rdap?domain=a.no-such-tld'),
  'AUTH_REQUIRED AuthenticationError: no key': () =>
    metered.gateway.fetch(path, { headers: accept }),
  'UNAUTHORIZED AuthenticationError: an invalid key': () =>
    metered.gateway.fetch(path, {
      headers: { ...accept, authorization: `Bearer ${generateKey()}` },
    }),
  'INSUFFICIENT_CREDITS CreditsError: no credits': withoutCredits,
  'FORBIDDEN_ORIGIN ApiError: a key that is used from another origin': fromOtherOrigin,
  'NOT_FOUND ApiError: an unknown path': () => get('/v1/nothing'),
  'METHOD_NOT_ALLOWED ApiError: an unsupported method': () => get(path, { method: 'DELETE' }),
  'METHOD_NOT_ALLOWED ApiError: an unsupported method of /health': () =>
    get('/health', { method: 'DELETE' }),
  'IDEMPOTENCY_CONFLICT ApiError: another body with the same key': withTwoBodies,
  'RATE_LIMITED RateLimitError: too many requests': rateLimited,
  'NOT_IMPLEMENTED ApiError: a lookup that needs a setting': () =>
    get('/v1/certificates?domain=shop.example'),
  'REGISTRY_ERROR UpstreamError: a registry that fails': () => get('/v1/rdap?domain=down.test'),
  'UNTRUSTED_ANSWER UpstreamError: a registry that sends HTML': () =>
    get('/v1/rdap?domain=html.test'),
  'REGISTRY_BUSY UpstreamError: a registry that is busy': () => get('/v1/rdap?domain=busy.example'),
};

describe('a client library', () => {
  it.each(Object.entries(failures))('reads %s', async (title, request) => {
    const [code, className] = title.split(/[ :]/);
    const response = await request();
    const body: Json = await response.clone().json();
    expect(await clientError(response)).toEqual({
      className,
      code,
      message: body.detail,
      retryable: body.retryable,
      retryAfter: body.retry_after,
      docsUrl: body.type,
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.error).toMatchObject({
      status: response.status,
      request_id: response.headers.get('x-request-id'),
    });
    expect(body.message).toBe(body.detail);
    // The top-level `code` is that of the gateway.
    expect(body.type).toBe(`${metered.gateway.url}/docs/errors#${body.code}`);
  });

  it('reads when to retry a request', async () => {
    const { retryable, retryAfter } = await clientError(await get('/v1/rdap?domain=busy.example'));
    expect(retryable).toBe(true);
    expect(retryAfter).toBeGreaterThan(0);
  });

  it('reads a registry that does not answer as a timeout', async () => {
    await using gateway = await startGateway({ env: { RDAP_TIMEOUT_MS: '200' } });
    const response = await gateway.fetch('/v1/rdap?domain=hang.test', { headers: accept });
    expect(await clientError(response)).toMatchObject({
      className: 'TimeoutError',
      code: 'REGISTRY_TIMEOUT',
      retryable: true,
    });
  });

  it('does not receive an API key in an error', async () => {
    const key = generateKey();
    const response = await get(`/v1/${key}`);
    expect(await response.text()).not.toContain(key);
  });
});

describe('the media type of a problem', () => {
  const [problem, json] = ['application/problem+json', 'application/json; charset=utf-8'];
  it.each<[accept: string | undefined, type: string]>([
    ['application/json', json],
    ['Application/JSON; charset=utf-8', json],
    ['text/plain, application/json;q=0.1', json],
    ['application/x-ndjson, application/json', json],
    ['application/json, application/problem+json;q=0', json],
    ['application/json, */*;q=0', json],
    [undefined, problem],
    ['', problem],
    ['*/*', problem],
    ['text/html', problem],
    ['application/*', problem],
    ['application/x-ndjson', problem],
    ['application/json;q=0', problem],
    ['application/json, text/plain, */*', problem],
    ['application/json, application/*;q=0.1', problem],
    ['application/json, application/problem+json', problem],
    ['application/problem+json;q=0.5, application/json', problem],
    ['application/jsonp', problem],
    [';;,/', problem],
  ])('for Accept: %s', async (value, type) => {
    const line = value === undefined ? '' : `Accept: ${value}\r\n`;
    for (const target of ['/v1/nothing', '/v1/certificates?domain=shop.example', '/v1/rdap']) {
      const text = await sendRaw(
        metered.gateway.url,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${line}\r\n`,
      );
      const { headers } = parseResponse(text);
      expect(headers.get('content-type')).toEqual(type);
      expect(headers.get('vary')).toMatch(/\bAccept\b/);
    }
  });
});

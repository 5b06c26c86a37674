import { beforeEach, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { openBothApis, type BothApis } from '../support/gateways/both-apis.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { json, registered, status, type Reply } from '../support/bodies/replies.ts';

let apis: BothApis;
beforeEach(async () => {
  apis = await forThisTest(openBothApis);
  apis.registry.fallback(({ name }) => registered(name));
});

const rowOf = async (domain: string): Promise<Json> =>
  (await apis.gateway.get(`/v1/status?domain=${domain}`)).results[0];
const recordOf = async (domain: string): Promise<Json> =>
  (await apis.gateway.fetch(`/v1/rdap?domain=${domain}`)).json();

const error = (code: number, description: string) =>
  json(code, { errorCode: code, title: 'Error', description: [description] });

it.each<[string, number, Reply]>([
  ['403 in plain text', 60, status(403, {}, 'Number of allowed queries exceeded')],
  ['422', 60, error(422, 'Your access is too fast, please try again later.')],
  ['400', 60, error(400, 'Daily query limit reached.')],
  ['401', 60, error(401, 'Too many requests')],
  ['403 about the address', 60, error(403, 'Your IP address has been temporarily blocked.')],
  ['403 with Retry-After', 3600, status(403, { 'retry-after': '3600' })],
  ['429 with Retry-After', 3600, status(429, { 'retry-after': '3600' })],
  ['429 with a longer Retry-After', 3600, status(429, { 'retry-after': '86400' })],
  ['500 with Retry-After', 300, status(500, { 'retry-after': '300' })],
  [
    '403 whose text never ends',
    60,
    {
      send(response) {
        response.writeHead(403);
        response.write('Rate limit exceeded');
      },
    },
  ],
])('a limit of queries pauses the registry: %s', async (_case, seconds, reply) => {
  apis.registry.on('first.registry', reply);
  expect(await rowOf('first.registry')).toMatchObject({ reason: 'registry_busy' });
  const problem = await recordOf('second.registry');
  expect(problem).toMatchObject({ code: 'registry_busy' });
  expect(problem['retry_after']).toBeGreaterThan(seconds * 0.9);
  expect(problem['retry_after']).toBeLessThanOrEqual(seconds);
  expect(apis.registry.requestCount('second.registry')).toBe(0);
});

it.each<[string, Reply, string?]>([
  ['403 without a text', status(403)],
  ['400 about the length of a label', error(400, 'The label exceeds the length limit.')],
  ['400 about the letters of a name', error(400, 'Too short: request limit of 3 letters.')],
  ['403 about who may look it up', error(403, 'Access limited to registrars for this name.')],
  ['400 that repeats the name', error(400, 'Invalid: rate-limit.registry.'), 'rate-limit.registry'],
  ['403 that repeats the label', error(403, 'No "ratelimit" here.'), 'ratelimit.registry'],
  ['422 in HTML', status(422, {}, '<p>throttled.registry</p>'), 'throttled.registry'],
  ['403 in encoded form', status(403, {}, '/domain/rate-limit.registry?'), 'rate-limit.registry'],
])('a rejected name does not: %s', async (_case, reply, domain = 'first.registry') => {
  apis.registry.on(domain, reply);
  expect(await rowOf(domain)).toMatchObject({ reason: 'registry_error' });
  expect(await rowOf('second.registry')).toMatchObject({ status: 'registered' });
});

it('a registry that rejects all names is paused after ten', async () => {
  apis.registry.fallback(status(403));
  const domains = Array.from({ length: 60 }, (_, index) => `n${index}.registry`);
  const response = await apis.gateway.post('/v1/status/bulk', { domains });
  const { results } = (await response.json()) as Json;
  expect(results.at(-1)).toMatchObject({ reason: 'registry_busy' });
  expect(apis.registry.requests.length).toBeLessThan(30);
});

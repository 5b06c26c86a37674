import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { startMeteredGateway } from '../../../support/gateways/metered-gateway.ts';
import { registered, status } from '../../../support/bodies/replies.ts';

// Clients that are generated from a description of the public API rely on these properties.
const metered = await forThisFile(startMeteredGateway);
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^down/, status(500));
const customer = await metered.newCustomer();

const domains = ['taken.example', 'free.example', 'down.example', 'not a name', 'a.no-such-tld'];
const bodies: Record<string, () => Promise<Json>> = {
  '/v1/status': async () =>
    (await customer.fetch(`/v1/status?max_age=0&domain=${domains.join()}`)).json(),
  '/v1/rdap': async () => ({
    results: [await (await customer.fetch('/v1/rdap?max_age=0&domain=taken.example')).json()],
  }),
  '/v1/status/bulk': async () =>
    (await customer.post('/v1/status/bulk', { domains, max_age: 0 })).json(),
  'NDJSON of /v1/status/bulk': async () => {
    const text = await (
      await customer.post(
        '/v1/status/bulk',
        { domains, max_age: 0 },
        { accept: 'application/x-ndjson' },
      )
    ).text();
    const lines: Json[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { results: lines.slice(0, -1), ...lines.at(-1) };
  },
};

describe.each(Object.entries(bodies))('%s', (path, bodyOf) => {
  it('has whole milliseconds', async () => {
    const { results, latency_ms: total = 0, meta } = await bodyOf();
    const times = [
      total,
      ...results.map((row: Json) => row.latency_ms),
      ...(meta ? [meta.duration_ms] : []),
    ];
    expect(times.filter(Number.isInteger)).toEqual(times);
  });

  it('has authoritative confidence with a verdict, and none without', async () => {
    const { results } = await bodyOf();
    const expected = results.map(({ available }: Json) =>
      available === null ? null : 'authoritative',
    );
    expect(results.map((row: Json) => row.confidence)).toEqual(expected);
    expect(expected).toContain('authoritative');
  });

  it('counts its results if there may be several', async () => {
    const { meta } = await bodyOf();
    if (path === '/v1/rdap') return expect(meta).toBeUndefined();
    expect(meta).toMatchObject({
      total_checked: 5,
      available_count: 1,
      duration_ms: expect.any(Number),
    });
    expect(meta).not.toHaveProperty('pending');
  });
});

describe('a client that always sends X-API-Key', () => {
  it.each(['', ' ', '\t '])('can send an empty header if no key is required: %j', async (key) => {
    await using open = await startGateway();
    const { statusCode, body } = await request(`${open.url}/v1/status?domain=taken.test`, {
      headers: { 'x-api-key': key },
    });
    expect(statusCode).toBe(200);
    expect(((await body.json()) as Json).results[0].status).toBe('registered');
  });

  it('can send the key as a bearer token', async () => {
    const headers = { 'x-api-key': '', authorization: `Bearer ${customer.key}` };
    const { status: sent, headers: received } = await metered.gateway.fetch(
      '/v1/status?domain=taken.example',
      { headers },
    );
    expect([sent, received.get('x-credits-charged')]).toEqual([200, '1']);
  });

  it('gets missing_api_key if a key is required', async () => {
    const response = await metered.gateway.fetch('/v1/status?domain=taken.example', {
      headers: { 'x-api-key': '' },
    });
    expect(response.status).toBe(401);
    expect(((await response.json()) as Json).code).toBe('missing_api_key');
  });
});

import { describe, expect, it } from 'vitest';
import { expectMatchesOpenApi } from '../../../support/checks/described.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startMeteredGateway } from '../../../support/gateways/metered-gateway.ts';
import { status } from '../../../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway, { env: { RATE_LIMIT: '600' } });
metered.registry.on('down.example', status(500));
metered.registry.on('busy.example', status(429, { 'retry-after': '3600' }));

describe('the OpenAPI document', () => {
  it('describes responses to callers with a key, including the 402 after their credits are used up', async () => {
    const { fetch } = await metered.newCustomer({ credits: 2 });
    for (const expected of [200, 200, 402]) {
      const response = await fetch('/v1/status?domain=free.example');
      expect(response.status).toBe(expected);
      await expectMatchesOpenApi(response, 'get /v1/status');
    }
  });

  it.each(['/v1/tlds', '/v1/coverage'] as const)(
    'describes %s for a caller without credits, after a lookup',
    async (path) => {
      const { post } = await metered.newCustomer();
      await post('/v1/status/bulk', { domains: ['a.example'] });
      const { fetch } = await metered.newCustomer({ credits: 0 });
      const response = await fetch(path);
      expect(response.status).toBe(200);
      await expectMatchesOpenApi(response, `get ${path}`);
    },
  );

  it('describes a stream that costs credits', async () => {
    const { post } = await metered.newCustomer();
    const response = await post(
      '/v1/status/bulk',
      { domains: ['a.example', 'b.example'] },
      { accept: 'application/x-ndjson' },
    );
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('application/x-ndjson'),
    ]);
    await expectMatchesOpenApi(response, 'post /v1/status/bulk');
  });

  // The busy name is last: after its 429, the registry is not queried again.
  it.each([
    ['taken.test', 200],
    ['free.example', 200],
    ['taken.zz', 400],
    ['down.example', 502],
    ['busy.example', 503],
  ])('describes the record of %s: %i', async (name, expected) => {
    const { fetch } = await metered.newCustomer();
    const response = await fetch(`/v1/rdap?domain=${name}`);
    expect(response.status).toBe(expected);
    await expectMatchesOpenApi(response, 'get /v1/rdap');
  });

  it.each<
    [
      operation: Parameters<typeof expectMatchesOpenApi>[1],
      query: string,
      body: unknown,
      status: number,
    ]
  >([
    ['get /v1/robots', '?domain=free.test', undefined, 502],
    ['get /v1/tech', '?domain=taken-blocked.test', undefined, 502],
    ['get /v1/changes', '?after=0', undefined, 410],
    ['post /v1/watches', '', { domains: ['taken.test'], label: '\n' }, 400],
    ['post /v1/webhooks', '', { url: 'https://hooks.example/', types: ['sold'] }, 400],
  ])('describes the rejection of %s%s %j: %i', async (operation, query, body, expected) => {
    const { fetch, post } = await metered.newCustomer();
    const [method, path = ''] = operation.split(' ');
    const response = await (method === 'post' ? post(path, body) : fetch(path + query));
    expect([response.status, response.headers.has('x-credits-charged')]).toEqual([expected, true]);
    await expectMatchesOpenApi(response, operation);
  });

  it('describes a receipt', async () => {
    const { fetch, post } = await metered.newCustomer();
    const created = await post('/v1/receipts', { domain: 'taken.test' });
    const { id } = await created.clone().json();
    await expectMatchesOpenApi(created, 'post /v1/receipts');
    await expectMatchesOpenApi(await fetch(`/v1/receipts/${id}`), 'get /v1/receipts/{id}');
  });

  it('describes the conflict of two bodies with the same Idempotency-Key', async () => {
    const { post } = await metered.newCustomer();
    const first = await post(
      '/v1/status/bulk',
      { domains: ['a.example'] },
      { 'idempotency-key': 'one' },
    );
    const second = await post(
      '/v1/status/bulk',
      { domains: ['b.example'] },
      { 'idempotency-key': 'one' },
    );
    expect([first.status, second.status]).toEqual([200, 409]);
    for (const response of [first, second])
      await expectMatchesOpenApi(response, 'post /v1/status/bulk');
  });

  it('describes the rejection of a key that is used from another origin', async () => {
    const { fetch } = await metered.newCustomer({ origins: ['https://app.example'] });
    const response = await fetch('/v1/status?domain=taken.test', {
      headers: { origin: 'https://other.example' },
    });
    expect(response.status).toBe(403);
    await expectMatchesOpenApi(response, 'get /v1/status');
  });
});

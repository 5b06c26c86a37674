import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDescribed } from '../support/described.ts';
import { startMeteredGateway, type MeteredGateway } from '../support/metered-gateway.ts';
import { status } from '../support/replies.ts';

let metered: MeteredGateway;
beforeAll(async () => {
  metered = await startMeteredGateway();
  metered.registry.on('down.example', status(500));
  metered.registry.on('busy.example', status(429, { 'retry-after': '3600' }));
});
afterAll(() => metered[Symbol.asyncDispose]());

describe('the OpenAPI document, to callers with a key,', () => {
  it('describes what they get, and what they get when their credits are used up', async () => {
    const { fetch } = await metered.newCustomer({ credits: 2 });
    for (const expected of [200, 200, 402]) {
      const answer = await fetch('/v1/status?domain=free.example');
      expect(answer.status).toBe(expected);
      await expectDescribed(answer, 'get /v1/status');
    }
  });

  it.each(['/v1/tlds', '/v1/coverage'] as const)(
    'describes %s, to a customer who has no credits, after a lookup',
    async (path) => {
      const { post } = await metered.newCustomer();
      await post('/v1/status/bulk', { domains: ['a.example'] });
      const { fetch } = await metered.newCustomer({ credits: 0 });
      const answer = await fetch(path);
      expect(answer.status).toBe(200);
      await expectDescribed(answer, `get ${path}`);
    },
  );

  it('describes a stream that is paid for', async () => {
    const { post } = await metered.newCustomer();
    const answer = await post(
      '/v1/status/bulk',
      { domains: ['a.example', 'b.example'] },
      { accept: 'application/x-ndjson' },
    );
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('application/x-ndjson'),
    ]);
    await expectDescribed(answer, 'post /v1/status/bulk');
  });

  // The busy one last: it closes the way to its registry.
  it.each([
    ['taken.test', 200],
    ['free.example', 200],
    ['taken.zz', 400],
    ['down.example', 502],
    ['busy.example', 503],
  ])('describes the record of %s: %i', async (name, expected) => {
    const { fetch } = await metered.newCustomer();
    const answer = await fetch(`/v1/rdap?domain=${name}`);
    expect(answer.status).toBe(expected);
    await expectDescribed(answer, 'get /v1/rdap');
  });

  it('describes the conflict of two bodies under one Idempotency-Key', async () => {
    const { post } = await metered.newCustomer();
    const first = await post(
      '/v1/status/bulk',
      { domains: ['a.test'] },
      { 'idempotency-key': 'one' },
    );
    const second = await post(
      '/v1/status/bulk',
      { domains: ['b.test'] },
      { 'idempotency-key': 'one' },
    );
    expect([first.status, second.status]).toEqual([200, 409]);
    for (const answer of [first, second]) await expectDescribed(answer, 'post /v1/status/bulk');
  });

  it('describes the refusal of a key that is used from elsewhere', async () => {
    const { fetch } = await metered.newCustomer({ origins: ['https://app.example'] });
    const answer = await fetch('/v1/status?domain=taken.test', {
      headers: { origin: 'https://other.example' },
    });
    expect(answer.status).toBe(403);
    await expectDescribed(answer, 'get /v1/status');
  });
});

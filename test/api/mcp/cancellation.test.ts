import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { connectMcp, type Revision } from '../../support/requests/mcp-client.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { toolCall } from '../../support/requests/mcp-messages.ts';
import { notFound } from '../../support/bodies/replies.ts';
import { paused, type PausedReply } from '../../support/bodies/scripts.ts';

let metered: MeteredGateway;
let customer: Customer;
let held: PausedReply;

beforeEach(async () => {
  metered = await forThisTest(startMeteredGateway, { env: { RDAP_CONCURRENCY: '3' } });
  customer = await metered.newCustomer({ credits: 1000 });
  // Makes the registry find its canary, so that its 404s count immediately.
  await (await metered.newCustomer()).fetch('/v1/status?domain=first.example');
  held = paused(notFound());
  metered.registry.on(/^held/, held);
});

// Two at a time, as no caller gets all slots of a host that others use: of ten names, two are
// answered, the next two are sent but not answered, and six are queued.
const names = ['a', 'b', 'held1', 'held2', 'c', 'd', 'e', 'f', 'g', 'h'].map(
  (label) => `${label}.example`,
);
const connect = (revision: Revision) =>
  connectMcp(metered.gateway.url, revision, { 'x-api-key': customer.key });

/** Polls until the reservation is settled; each poll is a round trip. */
async function usedOnceSettled(): Promise<number> {
  while (metered.openReservations() > 0) await metered.gateway.fetch('/health');
  return (await customer.balance()).used;
}

async function expectUnsentDropped(): Promise<void> {
  expect(await usedOnceSettled()).toBe(3);
  held.release();
  // Lookups of the same priority are sent in order, so these would be sent after the others.
  await customer.post('/v1/status/bulk', { domains: ['later1.example', 'later2.example'] });
  for (const name of names.slice(4))
    expect([name, metered.registry.requestCount(name)]).toEqual([name, 0]);
}

describe.each(['2026-07-28', '2025-11-25'] as const)(
  'with revision %s, a call of 6 credits',
  (revision) => {
    it.each([
      ['with progress', { onprogress: () => undefined }],
      ['without progress', {}],
    ])(
      'that is cancelled halfway, %s, drops unsent lookups and costs 3',
      async (_what, options) => {
        await using mcp = await connect(revision);
        const cancellation = new AbortController();
        const call = mcp.call(
          'check_domains',
          { names },
          { ...options, signal: cancellation.signal },
        );
        call.catch(() => undefined);
        await metered.registry.whenRequested('held2.example');
        expect((await customer.balance()).used).toBe(6);
        cancellation.abort();
        await expect(call).rejects.toThrow();
        await expectUnsentDropped();
      },
    );

    it('whose client disconnects halfway drops unsent lookups and costs 3', async () => {
      const mcp = await connect(revision);
      const call = mcp.call('check_domains', { names });
      call.catch(() => undefined);
      await metered.registry.whenRequested('held2.example');
      await mcp[Symbol.asyncDispose]();
      await expect(call).rejects.toThrow();
      await expectUnsentDropped();
    });
  },
);

it('does not cancel the call of another account, session or client', async () => {
  const other = await metered.newCustomer();
  await using mcp = await connect('2025-11-25');
  const call = mcp.call('check_domains', { names });
  await metered.registry.whenRequested('held2.example');
  const sessionId = 'another-session';
  for (const { post } of [customer, other])
    for (let requestId = 0; requestId < 5; requestId++) {
      const params = { requestId };
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      expect((await post('/mcp', message)).status).toBe(202);
      expect((await post('/mcp', message, { 'mcp-session-id': sessionId })).status).toBe(202);
    }
  held.release();
  expect((await call).structuredContent.summary).toMatchObject({ total: 10, available: 10 });
});

it('charges a call without a session that is disconnected before its response', async () => {
  const cancellation = new AbortController();
  const { body, headers, method } = toolCall('check_domains', { names });
  const call = customer
    .fetch('/mcp', {
      method: method ?? '',
      body: body ?? '',
      headers: headers ?? {},
      signal: cancellation.signal,
    })
    .catch(() => 'aborted');
  await metered.registry.whenRequested('held2.example');
  cancellation.abort();
  expect(await call).toBe('aborted');
  await expectUnsentDropped();
});

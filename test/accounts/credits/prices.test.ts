import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { bulk, graphql } from '../../support/requests/paid-calls.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { html, registered } from '../../support/bodies/replies.ts';
import { names, operations } from './priced-operations.ts';

const plan = 1000;

/** Longer than any answer is stored. */
const storedMs = 40 * 24 * 60 * 60_000;

const clock = jumpingClock();
const metered = await forThisFile(startMeteredGateway, { clock, env: { MAX_TLDS: '150' } });
metered.registry.on(/^taken/, ({ name }) => registered(name));
/** Names whose lookups fail, without a retry. */
const failing = /^down|^part\.tld7$/;
metered.registry.on(failing, html(404));

describe('the cost in the response and in the ledger', () => {
  const rows = Object.entries(operations).map(([what, row]) => ({
    charged: row.price,
    ...row,
    send: 'query' in row ? graphql(row.query, row.variables) : row.send,
    what,
  }));

  it.each(rows)(
    'is the same for $what: $price requested and $charged charged, even if all answers are cached',
    async ({ price: requested, charged, send }) => {
      clock.advance(storedMs);
      for (const answersAreStored of [false, true]) {
        const before = metered.registry.requests.length;
        const customer = await metered.newCustomer({ credits: plan });
        const { answer, cost } = await send(customer);
        expect(cost).toEqual({
          requested,
          charged,
          refunded: requested - charged,
          remaining: plan - charged,
        });
        if (isStream(answer)) expectStreamHeaders(costIn(answer), cost);
        else expect(costIn(answer)).toEqual(cost);
        expect(await customer.balance()).toMatchObject({
          used: charged,
          remaining: plan - charged,
        });
        const queried = metered.registry.requests.slice(before);
        if (!answersAreStored) expect(queried.length > 0).toBe(requested > 0);
        else expect(queried.filter(({ name }) => !failing.test(name))).toEqual([]);
      }
      expect(await metered.ledger.check()).toEqual([]);
    },
  );

  it('is 0 if the request is rejected because one credit is missing', async () => {
    const customer = await metered.newCustomer({ credits: 5 });
    const before = metered.registry.requests.length;
    const { answer, cost } = await bulk({ domains: names(10, 'unpaid') })(customer);
    expect([answer.status, metered.registry.requests.length]).toEqual([402, before]);
    expect(await answer.json()).toMatchObject({
      code: 'insufficient_credits',
      credits_required: 6,
      credits_remaining: 5,
    });
    expect(cost.charged).toBeNull();
    expect(await customer.balance()).toMatchObject({ used: 0 });
  });

  it.each([
    { names: 1, detail: 'This request costs 1 credit, but you have 0 left this month.' },
    { names: 2, detail: 'This request costs 2 credits, but you have 0 left this month.' },
  ])('is explained if no credits are left: $detail', async ({ names: count, detail }) => {
    const customer = await metered.newCustomer({ credits: 0 });
    const { answer } = await bulk({ domains: names(count, 'unpaid') })(customer);
    expect(await answer.json()).toMatchObject({ detail });
  });
});

/** Checks the headers of a stream, which are sent before its last rows are known. */
function expectStreamHeaders(headers: Json, { requested, remaining }: Json): void {
  expect(headers).toEqual({
    requested,
    charged: null,
    refunded: null,
    remaining: expect.any(Number),
  });
  expect(headers.remaining).toBeGreaterThanOrEqual(remaining);
  expect(headers.remaining).toBeLessThanOrEqual(plan);
}

function isStream({ headers }: Response): boolean {
  return /^(?:text\/event-stream|multipart\/mixed|application\/x-ndjson)/.test(
    headers.get('content-type') ?? '',
  );
}

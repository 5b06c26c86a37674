import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulk } from '../../support/paid-calls.ts';
import type { Json } from '../../support/gateway.ts';
import { costIn, startMeteredGateway, type MeteredGateway } from '../../support/metered-gateway.ts';
import { html, registered } from '../../support/replies.ts';
import { names, operations } from './priced-operations.ts';

const plan = 1000;

let metered: MeteredGateway;

beforeAll(async () => {
  metered = await startMeteredGateway({ env: { MAX_TLDS: '150' } });
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  metered.registry.on(/^down/, html(404)); // no verdict, and no reason to ask again
});
afterAll(() => metered[Symbol.asyncDispose]());

describe('what an answer says that it cost, and what the ledger says', () => {
  // The second time, all verdicts come from the cache.
  it.each(operations)(
    '%s: %i asked for, %i charged, first and from the cache',
    async (_, requested, charged, ask) => {
      for (let time = 0; time < 2; time++) {
        const customer = await metered.newCustomer({ credits: plan });
        const { answer, cost } = await ask(customer);
        expect(cost).toEqual({
          requested,
          charged,
          refunded: requested - charged,
          remaining: plan - charged,
        });
        if (isStream(answer)) expectOpening(costIn(answer), cost);
        else expect(costIn(answer)).toEqual(cost);
        expect(await customer.balance()).toMatchObject({
          used: charged,
          remaining: plan - charged,
        });
      }
      expect(await metered.ledger.check()).toEqual([]);
    },
  );

  it('a plan that covers all but one credit of the price covers nothing', async () => {
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
    { asked: 1, detail: 'This costs 1 credit; left this month: 0.' },
    { asked: 2, detail: 'This costs 2 credits; left this month: 0.' },
  ])('a plan that is used up is told so in plain words: $detail', async ({ asked, detail }) => {
    const customer = await metered.newCustomer({ credits: 0 });
    const { answer } = await bulk({ domains: names(asked, 'unpaid') })(customer);
    expect(await answer.json()).toMatchObject({ detail });
  });
});

/** A stream's headers are sent before its last rows are known. */
function expectOpening(opening: Json, { requested, remaining }: Json): void {
  expect(opening).toEqual({
    requested,
    charged: null,
    refunded: null,
    remaining: expect.any(Number),
  });
  expect(opening.remaining).toBeGreaterThanOrEqual(remaining);
  expect(opening.remaining).toBeLessThanOrEqual(plan);
}

function isStream({ headers }: Response): boolean {
  return /^(?:text\/event-stream|multipart\/mixed|application\/x-ndjson)/.test(
    headers.get('content-type') ?? '',
  );
}

import { describe, expect, it, vi } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { endOfMonth, monthOf } from '../../../src/accounts/account.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { costIn, type Caller } from '../../support/gateways/metered-gateway.ts';
import { startMeteredFleet, type MeteredFleet } from '../../support/gateways/metered-fleet.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { registered } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { sql, untilFound } from '../../support/stores/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

type SendRequest = (customer: Caller, name: string) => Promise<Response>;

/** Requests to both APIs, for verdicts and for records. */
const senders: readonly SendRequest[] = [
  (customer, name) => customer.fetch(`/v1/status?domain=${name}`),
  (customer, name) => customer.fetch(`/v1/rdap?domain=${name}`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available } }`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available rdap { handle } } }`),
];

describe.skipIf(postgresMissing)(`credits of a cluster${skipped}`, () => {
  it('are charged once for a stream that starts again at another node', async () => {
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2);
    const customer = await fleet.newCustomer();
    const query = 'subscription { availability(domains: ["a.example", "b.example"]) { domain } }';
    const read = async (node: number) => {
      const headers = { accept: 'text/event-stream' };
      return (await customer.at(node).graphql(query, {}, headers)).text();
    };
    const streams = [await read(0), ...(await Promise.all([read(1), read(1), read(0)]))];
    for (const stream of streams) expect(stream.match(/^event: next$/gm)).toHaveLength(2);
    expect((await customer.balance()).used).toBe(prices.list(2));
  });

  it('are spent exactly by 200 concurrent requests to both APIs of two nodes', async () => {
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2);
    const customer = await fleet.newCustomer({ credits: 10 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        senders.map((send, kind) =>
          send(customer.at((index + kind) % 2), `n${index}-${kind}.example`),
        ),
      ).flat(),
    );
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(
      answers.length - granted.length,
    );
    expect(await customer.balance()).toMatchObject({ used: 10, remaining: 0 });
    await expectNoReservations(fleet);
  });

  it('are charged once for repeats with one Idempotency-Key at two nodes, and again for new queries', async () => {
    const clock = jumpingClock();
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2, { clock });
    const customer = await fleet.newCustomer({ credits: 100 });
    const send = (node: number) =>
      customer
        .at(node)
        .post(
          '/v1/status/bulk',
          { domains: ['k1.example', 'k2.example'] },
          { 'idempotency-key': 'one' },
        );
    const untilStored = 'SELECT 1 FROM answers WHERE checked_at >= $1 HAVING count(*) = 2';
    for (const paid of [2, 4]) {
      const sentAt = clock.now();
      expect(costIn(await send(0))).toMatchObject({ charged: 2 });
      // Answers are stored after they were returned; before that, a repeat at the other node would
      // query again.
      await untilFound(fleet.storeUrl, untilStored, [sentAt]);
      // Few at once: a busy machine rejects those that have waited for 0.8 s.
      for (let round = 0; round < 5; round += 1)
        for (const repeat of await Promise.all([0, 1, 0, 1].map(send)))
          expect([repeat.status, costIn(repeat).charged]).toEqual([200, 0]);
      expect((await customer.balance()).used).toEqual(paid);
      expect(fleet.registry.requestCount('k1.example')).toEqual(paid / 2);
      clock.advance(60 * 60 * 1000 + 1);
    }
    await expectNoReservations(fleet);
  });

  it('are not charged for a repeat at another node if a concurrent call pays for its names', async () => {
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2);
    const customer = await fleet.newCustomer({ credits: 100 });
    for (const [round, first] of [0, 1].entries()) {
      const pausedReplies = [0, 1].map(() => paused(({ name }) => registered(name)));
      const names = ['a', 'b'].map((label) => `taken-${label}${round}.example`);
      const send = (node: number) =>
        customer
          .at(node)
          .post('/v1/status/bulk', { domains: names }, { 'idempotency-key': `key-${round}` });
      const calls = [];
      for (const [node, reply] of pausedReplies.entries()) {
        fleet.registry.on(/^taken/, reply);
        calls.push(send(node));
        await fleet.registry.when(({ inFlight }) => inFlight === names.length * (node + 1));
      }
      pausedReplies[first]?.release();
      const charged = [costIn((await calls[first]) as Response).charged];
      pausedReplies[1 - first]?.release();
      charged.push(costIn((await calls[1 - first]) as Response).charged);
      expect(charged).toEqual([2, 0]);
      expect((await customer.balance()).used).toBe(2 * (round + 1));
    }
    await expectNoReservations(fleet);
  });

  it('are counted per month on all nodes, and refunded to the month that was charged', async () => {
    const clock = jumpingClock();
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2, { clock });
    const pausedReplies = paused(({ name }) => registered(name));
    fleet.registry.on(/^late-taken/, pausedReplies);
    const customer = await fleet.newCustomer({ credits: prices.record(3) });
    const oldMonth = monthOf(clock.now());
    const pending = ['a', 'b'].map((label, node) =>
      customer.at(node).fetch(`/v1/rdap?domain=late-taken-${label}.example`),
    );
    await fleet.registry.when(({ inFlight }) => inFlight === 2);
    expect((await customer.at(1).fetch('/v1/rdap?domain=a.example')).status).toBe(200);
    expect((await customer.at(0).fetch('/v1/status?domain=b.example')).status).toBe(402);
    clock.advance(endOfMonth(oldMonth) - clock.now());
    expect((await customer.at(0).fetch('/v1/status?domain=b.example')).status).toBe(200);
    pausedReplies.release();
    for (const answer of await Promise.all(pending))
      expect(costIn(answer)).toMatchObject({
        requested: prices.record(1),
        charged: prices.record(1),
      });
    expect(await fleet.ledger.usage()).toEqual([
      { accountId: customer.id, month: monthOf(clock.now()), used: 1 },
      { accountId: customer.id, month: oldMonth, used: prices.record(3) },
    ]);
    await expectNoReservations(fleet);
  });

  it('are charged together while an earlier charge of the account is answered', async () => {
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 1);
    const customer = await fleet.newCustomer({ credits: 100 });
    const charges = await Promise.all(
      Array.from({ length: 50 }, () => fleet.ledger.charge(customer.id, 1)),
    );
    expect(charges.map(({ balance }) => balance.used)).toEqual(
      charges.map((_, index) => index + 1),
    );
    const entries = `SELECT amount FROM entries WHERE account_id = '${customer.id}'`;
    expect((await sql(fleet.storeUrl, entries)).length).toBeLessThan(5);
    expect(await customer.balance()).toMatchObject({ used: 50 });
    await expectNoReservations(fleet);
  });

  it("are charged to the month of the database's clock, not of the node's clock", async () => {
    const fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2);
    const customer = await fleet.newCustomer({ credits: 10 });
    const [{ month }] = (await sql(fleet.storeUrl, 'SELECT month_of(epoch_ms()) AS month')) as [
      { month: string },
    ];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40 * 24 * 60 * 60 * 1000 });
    try {
      expect((await customer.at(0).fetch('/v1/status?domain=a.example')).status).toBe(200);
      expect(await customer.balance()).toMatchObject({ used: 1, resetsAt: endOfMonth(month) });
    } finally {
      vi.useRealTimers();
    }
    expect(await fleet.ledger.usage()).toEqual([{ accountId: customer.id, month, used: 1 }]);
  });
});

async function expectNoReservations({ storeUrl, ledger }: MeteredFleet): Promise<void> {
  expect(await sql(storeUrl, 'SELECT * FROM reservations WHERE amount > 0')).toEqual([]);
  expect(await ledger.check()).toEqual([]);
}

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { endOfMonth, monthOf } from '../../../src/accounts/month.ts';
import { jumpingClock } from '../../support/jumping-clock.ts';
import { costIn, type Caller } from '../../support/metered-gateway.ts';
import { startMeteredFleet, type MeteredFleet } from '../../support/metered-fleet.ts';
import { postgresMissing, startPostgres, type Postgres } from '../../support/postgres.ts';
import { registered } from '../../support/replies.ts';
import { paused } from '../../support/scripts.ts';
import { sql, untilFound } from '../../support/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

type Ask = (customer: Caller, name: string) => Promise<Response>;

/** Through both doors, at 1 and at 2 credits. */
const asks: readonly Ask[] = [
  (customer, name) => customer.fetch(`/v1/status?domain=${name}`),
  (customer, name) => customer.fetch(`/v1/rdap?domain=${name}`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available } }`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available rdap { handle } } }`),
];

describe.skipIf(postgresMissing)(`credits of a fleet${skipped}`, () => {
  let postgres: Postgres;
  let parts: AsyncDisposableStack;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(() => void (parts = new AsyncDisposableStack()));
  afterEach(() => parts.disposeAsync());

  const start = async (...args: Parameters<typeof startMeteredFleet>) =>
    parts.use(await startMeteredFleet(...args));

  it('200 requests at once, through both doors of two nodes, spend exactly the 10 credits that are left', async () => {
    const fleet = await start(postgres, 2);
    const customer = await fleet.newCustomer({ credits: 10 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        asks.map((ask, way) => ask(customer.at((index + way) % 2), `n${index}-${way}.example`)),
      ).flat(),
    );
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(
      answers.length - granted.length,
    );
    expect(await customer.balance()).toMatchObject({ used: 10, remaining: 0 });
    await expectNothingOpen(fleet);
  });

  it('repeats under one Idempotency-Key at two nodes are charged once, and once more when they query again', async () => {
    const clock = jumpingClock();
    const fleet = await start(postgres, 2, { clock });
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
      // The answers are stored after they were returned, and a repeat at the other node before that would query again.
      await untilFound(fleet.storeUrl, untilStored, [sentAt]);
      const repeats = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2)));
      for (const repeat of repeats)
        expect([repeat.status, costIn(repeat).charged]).toEqual([200, 0]);
      expect([(await customer.balance()).used, fleet.registry.asked('k1.example')]).toEqual([
        paid,
        paid / 2,
      ]);
      clock.leap(60 * 60 * 1000 + 1);
    }
    await expectNothingOpen(fleet);
  });

  it('a repeat at another node is not charged for the names that a call in progress pays for', async () => {
    const fleet = await start(postgres, 2);
    const customer = await fleet.newCustomer({ credits: 100 });
    for (const [round, first] of [0, 1].entries()) {
      const late = [0, 1].map(() => paused(({ name }) => registered(name)));
      const names = ['a', 'b'].map((label) => `taken-${label}${round}.example`);
      const send = (node: number) =>
        customer
          .at(node)
          .post('/v1/status/bulk', { domains: names }, { 'idempotency-key': `key-${round}` });
      const calls = [];
      for (const [node, reply] of late.entries()) {
        fleet.registry.on(/^taken/, reply);
        calls.push(send(node));
        await fleet.registry.when(({ inFlight }) => inFlight === names.length * (node + 1));
      }
      late[first]?.release();
      const charged = [costIn((await calls[first]) as Response).charged];
      late[1 - first]?.release();
      charged.push(costIn((await calls[1 - first]) as Response).charged);
      expect(charged).toEqual([2, 0]);
      expect((await customer.balance()).used).toBe(2 * (round + 1));
    }
    await expectNothingOpen(fleet);
  });

  it('a month ends for all nodes at once, and refunds go to the month that was charged', async () => {
    const clock = jumpingClock();
    const fleet = await start(postgres, 2, { clock });
    const late = paused(({ name }) => registered(name));
    fleet.registry.on(/^late-taken/, late);
    const customer = await fleet.newCustomer({ credits: 6 });
    const oldMonth = monthOf(clock.now());
    const waiting = ['a', 'b'].map((label, node) =>
      customer.at(node).fetch(`/v1/rdap?domain=late-taken-${label}.example`),
    );
    await fleet.registry.when(({ inFlight }) => inFlight === 2);
    expect((await customer.at(1).fetch('/v1/rdap?domain=a.example')).status).toBe(200);
    expect((await customer.at(0).fetch('/v1/status?domain=b.example')).status).toBe(402);
    clock.leap(endOfMonth(oldMonth) - clock.now());
    expect((await customer.at(0).fetch('/v1/status?domain=b.example')).status).toBe(200);
    late.release();
    for (const answer of await Promise.all(waiting))
      expect(costIn(answer)).toMatchObject({ requested: 2, charged: 2 });
    expect(await fleet.ledger.usage()).toEqual([
      { accountId: customer.id, month: monthOf(clock.now()), used: 1 },
      { accountId: customer.id, month: oldMonth, used: 6 },
    ]);
    await expectNothingOpen(fleet);
  });

  it('the month is the one that the database has, whatever the clock of a node says', async () => {
    const fleet = await start(postgres, 2);
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

async function expectNothingOpen({ storeUrl, ledger }: MeteredFleet): Promise<void> {
  expect(await sql(storeUrl, 'SELECT * FROM reservations WHERE amount > 0')).toEqual([]);
  expect(await ledger.check()).toEqual([]);
}

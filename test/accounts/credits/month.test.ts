import { beforeEach, expect, it } from 'vitest';
import { endOfMonth, monthOf } from '../../../src/accounts/account.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { jumpingClock, type JumpingClock } from '../../support/time/jumping-clock.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { html, registered } from '../../support/bodies/replies.ts';
import { paused, type PausedReply } from '../../support/bodies/scripts.ts';

let clock: JumpingClock;
let metered: MeteredGateway;
let pausedReplies: { readonly taken: PausedReply; readonly down: PausedReply };

beforeEach(async () => {
  clock = jumpingClock();
  metered = await forThisTest(startMeteredGateway, { clock });
  pausedReplies = { taken: paused(({ name }) => registered(name)), down: paused(html(404)) };
  metered.registry.on(/^late-taken/, pausedReplies.taken);
  metered.registry.on(/^late-down/, pausedReplies.down);
});

const batchSize = 50;
const lookUpBatch = (customer: Customer, label: string) =>
  Promise.all(
    Array.from({ length: batchSize }, (_, index) =>
      customer.fetch(`/v1/status?domain=${label}${index}.example`),
    ),
  );

it('assigns charges and refunds to the month of the request if the month ends during it', async () => {
  const customer = await metered.newCustomer();
  const oldMonth = monthOf(clock.now());
  const pending = [lookUpBatch(customer, 'late-taken'), lookUpBatch(customer, 'late-down')];
  const quick = await lookUpBatch(customer, 'quick');
  await metered.registry.when(({ inFlight }) => inFlight === 2 * batchSize);
  expect(await customer.balance()).toMatchObject({ used: 3 * batchSize });

  clock.advance(endOfMonth(monthOf(clock.now())) - clock.now());
  const newMonth = monthOf(clock.now());
  expect(await customer.balance()).toMatchObject({ used: 0 });
  const next = lookUpBatch(customer, 'next');
  pausedReplies.taken.release();
  pausedReplies.down.release();
  const answers = [...quick, ...(await Promise.all(pending)).flat(), ...(await next)];

  expect(answers.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(3 * batchSize);
  expect(await metered.ledger.usage()).toEqual([
    { accountId: customer.id, month: newMonth, used: batchSize },
    { accountId: customer.id, month: oldMonth, used: 2 * batchSize },
  ]);
  expect([metered.openReservations(), await metered.ledger.check()]).toEqual([0, []]);
});

it('restores credits at the start of the month, which the rejection states', async () => {
  const customer = await metered.newCustomer({ credits: 1 });
  const path = '/v1/status?domain=a.example';
  expect((await customer.fetch(path)).status).toBe(200);
  const refused = await (await customer.fetch(path)).json();
  clock.advance(Date.parse(refused.resets_at) - clock.now() - 1000);
  expect((await customer.fetch(path)).status).toBe(402);
  clock.advance(1000);
  expect(costIn(await customer.fetch(path))).toMatchObject({ charged: 1, remaining: 0 });
});

it('does not add refunds of the old month to the new one', async () => {
  const customer = await metered.newCustomer({ credits: 1 });
  const waiting = customer.fetch('/v1/status?domain=late-down.example');
  await metered.registry.whenRequested('late-down.example');
  clock.advance(endOfMonth(monthOf(clock.now())) - clock.now());
  expect((await customer.fetch('/v1/status?domain=a.example')).status).toBe(200);
  pausedReplies.down.release();
  expect(costIn(await waiting)).toMatchObject({ requested: 1, charged: 0, refunded: 1 });
  expect((await customer.fetch('/v1/status?domain=b.example')).status).toBe(402);
});

it('computes the month of each time, also if the clock goes back', () => {
  const moments = [
    '2026-12-01T00:00:00.000Z',
    '2026-11-30T23:59:59.999Z',
    '2027-01-01T00:00:00.000Z',
    '2026-12-31T23:59:59.999Z',
  ];
  expect(moments.map((moment) => monthOf(Date.parse(moment)))).toEqual(
    '2026-12 2026-11 2027-01 2026-12'.split(' '),
  );
});

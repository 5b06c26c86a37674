import { afterEach, beforeEach, expect, it } from 'vitest';
import { endOfMonth, monthOf } from '../../../src/accounts/month.ts';
import { jumpingClock, type JumpingClock } from '../../support/jumping-clock.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { html, registered } from '../../support/replies.ts';
import { paused, type PausedReply } from '../../support/scripts.ts';

let clock: JumpingClock;
let metered: MeteredGateway;
let late: { readonly taken: PausedReply; readonly down: PausedReply };

beforeEach(async () => {
  clock = jumpingClock();
  metered = await startMeteredGateway({ clock });
  late = { taken: paused(({ name }) => registered(name)), down: paused(html(404)) };
  metered.registry.on(/^late-taken/, late.taken);
  metered.registry.on(/^late-down/, late.down);
});
afterEach(() => metered[Symbol.asyncDispose]());

const many = 50;
const ask = (customer: Customer, label: string) =>
  Promise.all(
    Array.from({ length: many }, (_, index) =>
      customer.fetch(`/v1/status?domain=${label}${index}.example`),
    ),
  );

it('a month that ends under load: every charge and every refund goes to the month in which it was asked', async () => {
  const customer = await metered.newCustomer();
  const oldMonth = monthOf(clock.now());
  const asked = [ask(customer, 'late-taken'), ask(customer, 'late-down')];
  const quick = await ask(customer, 'quick');
  await metered.registry.when(({ inFlight }) => inFlight === 2 * many);
  expect(await customer.balance()).toMatchObject({ used: 3 * many });

  clock.leap(endOfMonth(monthOf(clock.now())) - clock.now());
  const newMonth = monthOf(clock.now());
  expect(await customer.balance()).toMatchObject({ used: 0 });
  const next = ask(customer, 'next');
  late.taken.release();
  late.down.release();
  const answers = [...quick, ...(await Promise.all(asked)).flat(), ...(await next)];

  expect(answers.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(3 * many);
  expect(await metered.ledger.usage()).toEqual([
    { accountId: customer.id, month: newMonth, used: many },
    { accountId: customer.id, month: oldMonth, used: 2 * many },
  ]);
  expect([metered.setAside(), await metered.ledger.check()]).toEqual([0, []]);
});

it('credits that are spent come back with the month, and a refusal says when', async () => {
  const customer = await metered.newCustomer({ credits: 1 });
  const path = '/v1/status?domain=a.example';
  expect((await customer.fetch(path)).status).toBe(200);
  const refused = await (await customer.fetch(path)).json();
  clock.leap(Date.parse(refused.resets_at) - clock.now() - 1000);
  expect((await customer.fetch(path)).status).toBe(402);
  clock.leap(1000);
  expect(costIn(await customer.fetch(path))).toMatchObject({ charged: 1, remaining: 0 });
});

it('a refund of the old month cannot be spent in the new one', async () => {
  const customer = await metered.newCustomer({ credits: 1 });
  const waiting = customer.fetch('/v1/status?domain=late-down.example');
  await metered.registry.whenAsked('late-down.example');
  clock.leap(endOfMonth(monthOf(clock.now())) - clock.now());
  expect((await customer.fetch('/v1/status?domain=a.example')).status).toBe(200);
  late.down.release();
  expect(costIn(await waiting)).toMatchObject({ requested: 1, charged: 0, refunded: 1 });
  expect((await customer.fetch('/v1/status?domain=b.example')).status).toBe(402);
});

it('a month is that of its moment, also for a clock that goes back', () => {
  const moments = [
    '2026-12-01T00:00:00.000Z',
    '2026-11-30T23:59:59.999Z',
    '2027-01-01T00:00:00.000Z',
    '2026-12-31T23:59:59.999Z',
  ];
  expect(moments.map((moment) => monthOf(Date.parse(moment)))).toEqual([
    '2026-12',
    '2026-11',
    '2027-01',
    '2026-12',
  ]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { startGateway } from '../support/gateway.ts';
import { callerWith, costIn, startMeteredGateway, type Caller, type Customer, type MeteredGateway } from '../support/metered-gateway.ts';
import { expectProblem } from '../support/problems.ts';
import { notFound, status } from '../support/replies.ts';
import { held, sequence } from '../support/scripts.ts';
import { standingClock, type StandingClock } from '../support/standing-clock.ts';
import { times } from '../support/statuses.ts';
import { linesOf, rest } from '../support/streams.ts';

let clock: StandingClock;
let metered: MeteredGateway;
let customer: Customer;

beforeAll(async () => {
  clock = standingClock();
  metered = await startMeteredGateway({ clock });
});
beforeEach(async () => {
  customer = await metered.newCustomer();
});
afterAll(() => metered[Symbol.asyncDispose]());

const path = '/v1/status/bulk';
/** For 3 credits. */
const body = { domains: ['a.example', 'b.example', 'c.example', 'd.example'] };
const day = 24 * 60 * 60 * 1000;

const send = (sent: object = body, key = 'one', who: Caller = customer) => who.post(path, sent, { 'idempotency-key': key });
const charged = async (answer: Promise<Response>) => costIn(await answer).charged;
const used = async () => (await customer.balance()).used;

describe('a bulk call that comes again with its Idempotency-Key', () => {
  it('is answered again, and charged once', async () => {
    const [first, second] = [await send(), await send()];
    expect([costIn(first).charged, costIn(second)]).toEqual([3, { requested: 0, charged: 0, refunded: 0, remaining: 9997 }]);
    const rows = await Promise.all([first, second].map(async (answer) => (await answer.json()).results.length));
    expect([rows, await used()]).toEqual([[4, 4], 3]);
  });

  it('is charged once however it is written and answered', async () => {
    await send({ ...body, max_age: 60 });
    const again = { options: { max_age: 60 }, comment: 'again', ...body };
    const lines = await rest(linesOf(await customer.post(path, again, { 'idempotency-key': 'one', accept: 'application/x-ndjson' })));
    expect([lines.length, lines.at(-1).meta.credits.charged, await used()]).toEqual([5, 0, 3]);
  });

  it('is charged once when it comes ten times at the same time', async () => {
    const slow = held(notFound());
    metered.registry.on('slow.example', slow);
    const answers = times(10, () => send({ domains: ['slow.example', 'a.example', 'b.example', 'c.example'] }));
    await metered.registry.whenAsked('slow.example');
    slow.release();
    const costs = (await answers).map((answer) => costIn(answer).charged);
    expect([costs.toSorted(), await used(), metered.setAside()]).toEqual([[0, 0, 0, 0, 0, 0, 0, 0, 0, 3], 3, 0]);
    expect(metered.registry.asked('slow.example')).toBe(1);
  });

  it('is charged for what it did not get the first time, and no more', async () => {
    for (const name of ['y.example', 'z.example']) metered.registry.on(name, sequence([status(403), notFound()]));
    const domains = ['a.example', 'b.example', 'y.example', 'z.example'];
    expect([await charged(send({ domains })), await charged(send({ domains })), await charged(send({ domains }))]).toEqual([2, 1, 0]);
    expect(await used()).toBe(3);
  });

  it('is charged anew without the key, and with another', async () => {
    await send();
    expect(await charged(customer.post(path, body))).toBe(3);
    expect(await charged(send(body, 'two'))).toBe(3);
  });

  it('is charged anew after 24 hours, and may then be another', async () => {
    await send();
    clock.pass(day - 1);
    expect(await charged(send())).toBe(0);
    await expectProblem(await send({ domains: ['e.example'] }), 'idempotency_conflict', { param: 'Idempotency-Key' });
    clock.pass(1);
    expect(await charged(send({ domains: ['e.example'] }))).toBe(1);
  });

  it('is known to another gateway with the same ledger, and after a restart', async () => {
    await send();
    const env = { AUTH: 'required', STORE_URL: `sqlite:${join(metered.folder, 'gateway.db')}`, RATE_LIMIT: '0' };
    for (let start = 0; start < 2; start++) {
      await using other = await startGateway({ registries: { example: metered.registry.baseUrl }, env, clock });
      const there = callerWith(customer.key, other.fetch);
      expect(await charged(send(body, 'one', there))).toBe(0);
      await expectProblem(await send({ domains: ['e.example'] }, 'one', there), 'idempotency_conflict', { param: 'Idempotency-Key' });
    }
    expect(await used()).toBe(3);
  });
});

describe('another body under the same Idempotency-Key', () => {
  it.each([
    ['other names', { domains: ['a.example', 'e.example'] }],
    ['another order', { domains: body.domains.toReversed() }],
    ['another age', { ...body, max_age: 0 }],
    ['an alias of another age', { ...body, skip_cache: true }],
  ])('is a conflict, costs nothing and asks nobody: %s', async (_what, other) => {
    await send();
    const before = metered.registry.requests.length;
    await expectProblem(await send(other), 'idempotency_conflict', { param: 'Idempotency-Key' });
    expect([await used(), metered.registry.requests.length]).toEqual([3, before]);
  });

  it('is none when somebody else sends it', async () => {
    await send();
    const stranger = await metered.newCustomer();
    expect(await charged(send({ domains: ['e.example'] }, 'one', stranger))).toBe(1);
    expect(await charged(send(body, 'two', stranger))).toBe(3);
  });

  it('is a conflict without an API key too, where none is needed', async () => {
    await using open = await startGateway();
    const ask = (domain: string) => open.post(path, { domains: [domain] }, { 'idempotency-key': 'one' });
    expect([(await ask('a.test')).status, (await ask('a.test')).status, (await ask('b.test')).status]).toEqual([200, 200, 409]);
  });
});

it.each([
  ['', 'missing_parameter'],
  ['two words', 'invalid_parameter'],
  ['x'.repeat(256), 'invalid_parameter'],
] as const)('the Idempotency-Key %j is none', async (key, code) => {
  await expectProblem(await send(body, key), code, { param: 'Idempotency-Key' });
  expect(await used()).toBe(0);
});

import { beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import {
  callerWith,
  costIn,
  startMeteredGateway,
  type Caller,
  type Customer,
} from '../../support/gateways/metered-gateway.ts';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { expectProblem } from '../../support/checks/problems.ts';
import { scrape, scrapeUntil, type Scrape } from '../../support/checks/scrape.ts';
import { json, notFound, registered, status } from '../../support/bodies/replies.ts';
import { paused, sequence } from '../../support/bodies/scripts.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { statuses, concurrently } from '../../support/requests/statuses.ts';
import { linesOf, remaining } from '../../support/requests/streams.ts';

let customer: Customer;

const clock = frozenClock();
const metered = await forThisFile(startMeteredGateway, { clock });

beforeEach(async () => {
  customer = await metered.newCustomer();
});

const path = '/v1/status/bulk';
/** Costs 3 credits. */
const body = { domains: ['a.example', 'b.example', 'c.example', 'd.example'] };
const day = 24 * 60 * 60 * 1000;

const send = (sent: object = body, key = 'one', caller: Caller = customer) =>
  caller.post(path, sent, { 'idempotency-key': key });
const charged = async (response: Promise<Response>) => costIn(await response).charged;

/** Returns two names that have not been looked up. */
const pair = (prefix: string) => [`${prefix}1.example`, `${prefix}2.example`];
const fresh = (prefix: string, age: object = { max_age: 0 }) => ({ domains: pair(prefix), ...age });
const lookups = (prefix: string) => pair(prefix).map((name) => metered.registry.requestCount(name));
const invalid = (scraped: Scrape) =>
  scraped.sum('rdap_gateway_registry_requests_total', { outcome: 'invalid' });
const used = async () => (await customer.balance()).used;

function storedKeys(): number {
  using database = new DatabaseSync(join(metered.folder, 'gateway.db'), { readOnly: true });
  return Number(database.prepare('SELECT count(*) AS keys FROM idempotency_keys').get()?.['keys']);
}

describe('a bulk call repeated with its Idempotency-Key', () => {
  it('is answered each time and charged once', async () => {
    const [first, second] = [await send(), await send()];
    expect(costIn(first).charged).toBe(3);
    expect(costIn(second)).toEqual({ requested: 0, charged: 0, refunded: 0, remaining: 9997 });
    const rows = await Promise.all(
      [first, second].map(async (response) => (await response.json()).results.length),
    );
    expect([rows, await used()]).toEqual([[4, 4], 3]);
  });

  it('is charged once even if the form of the body and the response format differ', async () => {
    await send({ ...body, max_age: 60 });
    const again = { options: { max_age: 60 }, comment: 'again', ...body };
    const lines = await remaining(
      linesOf(
        await customer.post(path, again, {
          'idempotency-key': 'one',
          accept: 'application/x-ndjson',
        }),
      ),
    );
    expect([lines.length, lines.at(-1).meta.credits.charged, await used()]).toEqual([5, 0, 3]);
    expect(await charged(send({ ...body, max_age: 60, skip_cache: true }))).toBe(0);
  });

  it('is charged once if ten calls are concurrent', async () => {
    const slow = paused(notFound());
    metered.registry.on('slow.example', slow);
    const responses = concurrently(10, () =>
      send({ domains: ['slow.example', 'a.example', 'b.example', 'c.example'] }),
    );
    await metered.registry.whenRequested('slow.example');
    slow.release();
    const costs = (await responses).map((response) => costIn(response).charged);
    expect(costs.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    expect(await used()).toBe(3);
    expect(metered.openReservations()).toBe(0);
    expect(metered.registry.requestCount('slow.example')).toBe(1);
  });

  it('is answered 300 times concurrently with credits for only ten reservations', async () => {
    const poor = await metered.newCustomer({ credits: 20 });
    const responses = await concurrently(300, () =>
      send({ domains: ['a.example', 'b.example'] }, 'one', poor),
    );
    expect(statuses(responses)).toEqual({ 200: 300 });
    expect((await poor.balance()).used).toBe(2);
    expect(metered.openReservations()).toBe(0);
  });

  it('is charged only for the names that are looked up, at the price of a call for these', async () => {
    for (const name of ['y.example', 'z.example'])
      metered.registry.on(name, sequence([status(403), notFound()]));
    const domains = ['a.example', 'b.example', 'y.example', 'z.example'];
    expect(await charged(send({ domains }))).toBe(2);
    expect(await charged(send({ domains }))).toBe(2);
    expect(await charged(send({ domains }))).toBe(0);
    expect(await used()).toBe(4);
  });

  it('is charged again without the key and with another key', async () => {
    await send();
    expect(await charged(customer.post(path, body))).toBe(3);
    expect(await charged(send(body, 'two'))).toBe(3);
  });

  it('is charged again after 24 hours, when the body may differ', async () => {
    await send();
    clock.advance(day - 1);
    await expectProblem(await send({ domains: ['e.example'] }), 'idempotency_conflict', {
      param: 'Idempotency-Key',
    });
    clock.advance(1);
    expect(await charged(send({ domains: ['e.example'] }))).toBe(1);
  });

  it('is recognized by another gateway with the same ledger, and after a restart', async () => {
    const env = {
      AUTH: 'required',
      STORE_URL: `sqlite:${join(metered.folder, 'gateway.db')}`,
      RATE_LIMIT: '0',
    };
    // A gateway that stops stores its answers first, so the next one does not query the registry.
    for (const cost of [3, 0, 0]) {
      await using other = await startGateway({
        registries: { example: metered.registry.baseUrl },
        env,
        clock,
      });
      const caller = callerWith(customer.key, other.fetch);
      expect(await charged(send(body, 'one', caller))).toBe(cost);
      const rejection = await send({ domains: ['e.example'] }, 'one', caller);
      await expectProblem(rejection, 'idempotency_conflict', { param: 'Idempotency-Key' });
    }
    expect(await used()).toBe(3);
  });
});

describe('with an Idempotency-Key, the registry', () => {
  it.each([
    ['without max_age', 'any', {}, 60],
    ['with max_age=0', 'none', { max_age: 0 }, 0],
    ['with max_age=0, over 59 minutes', 'later', { max_age: 0 }, 59 * 60],
    ['with an alias of max_age=0', 'old', { skip_cache: true }, 60],
    ['with a small max_age', 'small', { max_age: 10 }, 60],
  ])('is queried once for any number of repeats: %s', async (_what, prefix, age, seconds) => {
    for (let call = 0; call < 5; call++) {
      const { results } = (await (await send(fresh(prefix, age))).json()) as Json;
      expect(results.map((row: Json) => [row.status, row.cached])).toEqual(
        pair(prefix).map(() => ['available', call > 0]),
      );
      clock.advance((seconds * 1000) / 4);
    }
    expect([lookups(prefix), await used()]).toEqual([[1, 1], 2]);
  });

  it('is queried once for names that a cache of the registry has held from before', async () => {
    for (const name of pair('held'))
      metered.registry.on(name, json(200, domainObject(name), { age: '7200' }));
    for (let call = 0; call < 3; call++) await send(fresh('held'));
    expect(lookups('held')).toEqual([1, 1]);
  });

  it('is queried again for failed lookups, and for names found available over an hour ago', async () => {
    metered.registry.on('again2.example', sequence([status(403), notFound()]));
    for (let call = 0; call < 3; call++) await send(fresh('again'));
    expect(lookups('again')).toEqual([1, 2]);
    clock.advance(60 * 60 * 1000 + 1);
    expect(await charged(send(fresh('again')))).toBe(2);
    expect(lookups('again')).toEqual([2, 3]);
  });

  it('is queried again each hour for unregistered names, which is charged each time', async () => {
    const domains = Array.from({ length: 100 }, (_, index) => `hourly${index}.example`);
    for (let round = 1; round <= 23; round++) {
      expect(await charged(send({ domains }))).toBe(51);
      expect(await charged(send({ domains }))).toBe(0);
      clock.advance(60 * 60 * 1000 + 1);
      expect(metered.registry.requestCount('hourly0.example')).toEqual(round);
      expect(await used()).toEqual(51 * round);
    }
  });

  it('is queried once by concurrent repeats, of which one is charged', async () => {
    await send(fresh('hour'));
    clock.advance(60 * 60 * 1000 + 1);
    const costs = (await concurrently(10, () => send(fresh('hour')))).map(
      (response) => costIn(response).charged,
    );
    expect(costs.toSorted()).toEqual([...Array(9).fill(0), 2]);
    expect(lookups('hour')).toEqual([2, 2]);
    expect(await used()).toBe(4);
    expect(metered.openReservations()).toBe(0);
  });

  it('is queried once for an aborted call that is charged; its repeat joins that lookup free of charge', async () => {
    const [slow, late] = [paused(notFound()), paused(notFound())];
    metered.registry.on('cut1.example', slow);
    metered.registry.on('cut2.example', sequence([status(403), late]));
    const domains = pair('cut');
    const controller = new AbortController();
    const rejected = invalid(await scrape(metered.gateway));
    const first = customer.post(path, { domains }, { 'idempotency-key': 'one' }, controller.signal);
    await Promise.all(domains.map((name) => metered.registry.whenRequested(name)));
    await scrapeUntil(metered.gateway, (scraped) => invalid(scraped) > rejected);
    controller.abort();
    await expect(first).rejects.toThrow();
    await expect.poll(used).toBe(1); // for the name that was sent and did not fail
    const repeat = send({ domains });
    await metered.registry.whenRequested('cut2.example', 2);
    slow.release();
    late.release();
    expect([await charged(repeat), await used(), lookups('cut')]).toEqual([1, 2, [1, 2]]);
  });

  it('is queried despite results from before the first call, and without the key', async () => {
    await send(fresh('before'), 'one');
    clock.advance(1000);
    await send(fresh('before'), 'two');
    await customer.post(path, fresh('before'));
    expect(lookups('before')).toEqual([3, 3]);
  });

  it('is queried again if the first call got no verdict, even if an older one is stored', async () => {
    for (const name of pair('older'))
      metered.registry.on(name, sequence([notFound(), status(403), notFound()]));
    await customer.post(path, fresh('older'));
    clock.advance(1000);
    await send(fresh('older'));
    clock.advance(1000);
    expect([await charged(send(fresh('older'))), lookups('older')]).toEqual([2, [3, 3]]);
  });

  it('is queried once for a registered name that is fresh by default', async () => {
    metered.registry.on(/^sold/, ({ name }) => registered(name));
    await send(fresh('sold', {}));
    clock.advance(day - 1000);
    await send(fresh('sold', {}));
    expect(lookups('sold')).toEqual([1, 1]);
  });
});

describe('a rejected call', () => {
  it('does not bind its Idempotency-Key if it lacks credits', async () => {
    const poor = await metered.newCustomer({ credits: 1 });
    expect((await send(body, 'one', poor)).status).toBe(402);
    expect(await charged(send({ domains: ['a.example'] }, 'one', poor))).toBe(1);
    await expectProblem(await send(body, 'one', poor), 'idempotency_conflict', {
      param: 'Idempotency-Key',
    });
  });

  it('does not bind its Idempotency-Key if it is too large', async () => {
    const domains = Array.from({ length: 501 }, (_, index) => `n${index}.example`);
    expect((await send({ domains })).status).toBe(400);
    expect(await charged(send())).toBe(3);
    expect((await send({ domains })).status).toBe(409);
  });

  it('does not unlock the key of a call in progress, whose repeat waits and reserves nothing', async () => {
    const poor = await metered.newCustomer({ credits: 2 });
    const slow = paused(notFound());
    metered.registry.on('slow-repeat.example', slow);
    const domains = ['slow-repeat.example', 'a.example'];
    const first = send({ domains }, 'one', poor);
    await metered.registry.whenRequested('slow-repeat.example');
    const repeat = send({ domains }, 'one', poor);
    expect((await send({ domains: ['a.example'] }, 'one', poor)).status).toBe(409);
    expect((await send({ domains: ['a.test'] }, 'another', poor)).status).toBe(200);
    slow.release();
    expect([await charged(first), await charged(repeat)]).toEqual([2, 0]);
  });
});

describe('another body with the same Idempotency-Key', () => {
  it.each([
    ['other names', { domains: ['a.example', 'e.example'] }],
    ['another order', { domains: body.domains.toReversed() }],
    ['two names in one entry', { domains: ['a.example,b.example', 'c.example', 'd.example'] }],
    ['another age', { ...body, max_age: 0 }],
    ['an alias of another age', { ...body, skip_cache: true }],
  ])('conflicts, costs nothing and queries no registry: %s', async (_what, other) => {
    await send();
    const before = metered.registry.requests.length;
    await expectProblem(await send(other), 'idempotency_conflict', { param: 'Idempotency-Key' });
    expect([await used(), metered.registry.requests.length]).toEqual([3, before]);
  });

  it('does not conflict if another customer sends it', async () => {
    await send();
    const other = await metered.newCustomer();
    expect(await charged(send({ domains: ['e.example'] }, 'one', other))).toBe(1);
    expect(await charged(send(body, 'two', other))).toBe(3);
  });

  it('does not conflict if the first call had no price, and its key is not stored', async () => {
    await using open = await startGateway({ registries: { example: metered.registry.baseUrl } });
    const sendOpen = (domain: string) =>
      open.post(path, { domains: [domain] }, { 'idempotency-key': 'one' });
    expect((await sendOpen('a.example')).status).toBe(200);
    expect((await sendOpen('b.example')).status).toBe(200);
    const stored = storedKeys();
    expect((await send({ domains: ['a.test', 'b.unknown-tld'] })).status).toBe(200);
    expect([(await send({ domains: ['c.test'] })).status, storedKeys()]).toEqual([200, stored]);
    expect([await charged(send()), storedKeys()]).toEqual([3, stored + 1]);
  });
});

it.each(['1', '8e03978e-40d5-43e8-bc93-6894a57f9324', '"quoted"', 'x'.repeat(255)])(
  'accepts the Idempotency-Key %s',
  async (key) => {
    expect(await charged(send(body, key))).toBe(3);
    expect(await charged(send(body, key))).toBe(0);
  },
);

it.each(['', 'two words', 'x'.repeat(256), 'sent, twice', 'schlüssel', 'a\tb'])(
  'rejects the Idempotency-Key %j',
  async (key) => {
    const code = key === '' ? 'missing_parameter' : 'invalid_parameter';
    await expectProblem(await send(body, key), code, { param: 'Idempotency-Key' });
    expect(await used()).toBe(0);
  },
);

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { domainObject } from '../support/domain-object.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { json, notFound, registered, status } from '../support/replies.ts';

const hour = 3600;
const day = 24 * hour;
const longest = 2_592_000;

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  clock = manualClock();
  registry = await startFakeRegistry();
  registry.on(/^(?:nic|taken)/, ({ name }) => registered(name));
  registry.on(/^redemption/, ({ name }) => registered(name, { statuses: ['redemption period'] }));
  registry.on(/^reserved/, notFound('The name is reserved.'));
  registry.on(/^expiring/, ({ name }) =>
    registered(name, { expiresAt: new Date(clock.now() + 3 * day * 1000).toISOString() }),
  );
  gateway = await startGateway({ clock, registries: { registry: registry.baseUrl } });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const wait = (seconds: number) => clock.advance(seconds * 1000);

const doors = {
  GraphQL: async (name: string, maxAge?: number) => {
    const age = maxAge === undefined ? '' : `, maxAge: ${maxAge}`;
    return (
      await gateway.graphql(
        `{ domain(name: "${name}"${age}) { status cached stale checkedAt reason } }`,
      )
    ).data.domain;
  },
  REST: async (name: string, maxAge?: number) => {
    const age = maxAge === undefined ? '' : `&max_age=${maxAge}`;
    const [row] = (await gateway.get(`/v1/status?domain=${name}${age}`)).results;
    return {
      ...row,
      status: row.status.toUpperCase(),
      checkedAt: row.checked_at,
      reason: row.reason ?? null,
    };
  },
};

describe.each(Object.entries(doors))('by %s, a stored answer', (_door, ask) => {
  it.each([
    ['free', 300],
    ['redemption', 300],
    ['reserved', hour],
    ['expiring', hour],
    ['taken', day],
  ])('for a name that is %s will do for %i s', async (label, seconds) => {
    const name = `${label}.registry`;
    const first = await ask(name);
    expect(first).toMatchObject({
      cached: false,
      stale: false,
      checkedAt: new Date(clock.now()).toISOString(),
    });
    wait(seconds);
    expect(await ask(name)).toMatchObject({
      status: first.status,
      cached: true,
      stale: false,
      checkedAt: first.checkedAt,
    });
    expect(registry.asked(name)).toBe(1);
    wait(1);
    expect(await ask(name)).toMatchObject({
      cached: false,
      checkedAt: new Date(clock.now()).toISOString(),
    });
    expect(registry.asked(name)).toBe(2);
  });

  it('will do up to the age that the caller allows, and no longer', async () => {
    await ask('taken.registry');
    wait(60);
    expect(await ask('taken.registry', 60)).toMatchObject({ cached: true });
    expect(await ask('taken.registry', 59)).toMatchObject({ cached: false });
    wait(10 * day);
    expect(await ask('taken.registry', longest)).toMatchObject({ cached: true });
    expect(registry.asked('taken.registry')).toBe(2);
  });

  it('is never taken with an age of 0, however new', async () => {
    await ask('taken.registry');
    expect(await ask('taken.registry', 0)).toMatchObject({ cached: false });
    expect(registry.asked('taken.registry')).toBe(2);
  });

  it('is preferred with an age of 2592000 for as long as it is kept', async () => {
    await ask('taken.registry');
    wait(longest);
    expect(await ask('taken.registry', longest)).toMatchObject({ cached: true });
    wait(1);
    expect(await ask('taken.registry', longest)).toMatchObject({ cached: false });
  });

  it('is never more than an hour old when it says "free", whatever the caller allows', async () => {
    await ask('free.registry');
    wait(hour);
    expect(await ask('free.registry', longest)).toMatchObject({
      status: 'AVAILABLE',
      cached: true,
    });
    wait(1);
    expect(await ask('free.registry', longest)).toMatchObject({
      status: 'AVAILABLE',
      cached: false,
    });
  });

  it('stands in for up to 7 days, marked stale, when the registry fails and the caller gave no age', async () => {
    const { checkedAt } = await ask('taken.registry');
    registry.on('taken.registry', status(403));
    wait(7 * day);
    expect(await ask('taken.registry')).toMatchObject({
      status: 'REGISTERED',
      cached: true,
      stale: true,
      checkedAt,
      reason: null,
    });
    expect(registry.asked('taken.registry')).toBe(2);
    expect(await ask('taken.registry', hour)).toMatchObject({
      status: 'UNKNOWN',
      stale: false,
      reason: 'registry_error',
    });
    wait(1);
    expect(await ask('taken.registry')).toMatchObject({
      status: 'UNKNOWN',
      stale: false,
      reason: 'registry_error',
    });
  });

  it('never stands in when it says "free"', async () => {
    await ask('free.registry');
    registry.on('free.registry', status(403));
    wait(301);
    expect(await ask('free.registry')).toMatchObject({
      status: 'UNKNOWN',
      cached: false,
      stale: false,
    });
  });

  it('is not lost to a failure, and a failure is not stored', async () => {
    await ask('taken.registry');
    registry.on('taken.registry', status(403));
    expect(await ask('taken.registry', 0)).toMatchObject({ status: 'UNKNOWN', cached: false });
    expect(await ask('taken.registry')).toMatchObject({
      status: 'REGISTERED',
      cached: true,
      stale: false,
    });
    registry.on('failing.registry', status(403));
    for (let asked = 1; asked < 3; asked += 1) {
      await ask('failing.registry', longest);
      expect(registry.asked('failing.registry')).toBe(asked);
    }
  });
});

describe('in one GraphQL operation', () => {
  it('the smallest maxAge that is asked for a name holds for all its fields', async () => {
    await doors.GraphQL('taken.registry');
    wait(100);
    const ages = ['2592000', '50', 'null'].map(
      (age, index) => `f${index}: domain(name: "taken.registry", maxAge: ${age}) { cached }`,
    );
    const { data } = await gateway.graphql(
      `{ ${ages.join(' ')} domains(domains: ["taken.registry"], maxAge: 500) { cached } }`,
    );
    expect(JSON.stringify(data)).not.toContain('true');
    expect(registry.asked('taken.registry')).toBe(2);
  });

  it('a name that one field takes at any age is fresh by default for the one that says nothing', async () => {
    await doors.GraphQL('taken.registry');
    wait(day + 1);
    const { data } = await gateway.graphql(
      '{ any: domain(name: "taken.registry", maxAge: 2592000) { cached } fresh: domain(name: "taken.registry") { cached } }',
    );
    expect(data).toEqual({ any: { cached: false }, fresh: { cached: false } });
  });
});

const ago = (ms: number) => new Date(clock.now() - ms).toUTCString();

describe('an AVAILABLE response that an intermediate cache may have held for more than a minute is not used', () => {
  it.each<[string, () => Record<string, string | string[]>, 'AVAILABLE' | 'UNKNOWN']>([
    ['no age', () => ({}), 'AVAILABLE'],
    ['an Age of a minute', () => ({ age: '60' }), 'AVAILABLE'],
    ['a Date of now', () => ({ date: ago(0) }), 'AVAILABLE'],
    [
      'a Date four minutes old, which may be clock skew',
      () => ({ date: ago(4 * 60_000) }),
      'AVAILABLE',
    ],
    ['a Date in the future', () => ({ date: ago(-hour * 1000) }), 'AVAILABLE'],
    ['an Age of 61 s', () => ({ age: '61' }), 'UNKNOWN'],
    ['a huge Age', () => ({ age: '99999999999999999999' }), 'UNKNOWN'],
    ['two Age headers', () => ({ age: ['1', '3600'] }), 'UNKNOWN'],
    ['a list of ages', () => ({ age: '3600, 1' }), 'UNKNOWN'],
    ['a negative Age', () => ({ age: '-3600' }), 'UNKNOWN'],
    ['an Age that is not a number', () => ({ age: 'nonsense' }), 'UNKNOWN'],
    ['an empty Age', () => ({ age: '' }), 'UNKNOWN'],
    [
      'a Date of yesterday',
      () => ({ date: ago(day * 1000), via: '1.1 cache', 'x-cache': 'HIT' }),
      'UNKNOWN',
    ],
    ['a Date that is not a date', () => ({ date: 'nonsense' }), 'UNKNOWN'],
  ])('%s', async (_what, headersOf, verdict) => {
    const headers = headersOf();
    registry.on('kept.registry', json(200, domainObject('kept.registry'), headers));
    registry.on('open.registry', json(404, { errorCode: 404, title: 'Not Found' }, headers));
    const reason = verdict === 'UNKNOWN' ? 'untrusted_answer' : null;
    for (const ask of Object.values(doors)) {
      expect(await ask('open.registry', 0)).toMatchObject({ status: verdict, reason });
      expect(await ask('kept.registry', 0)).toMatchObject({ status: 'REGISTERED' });
    }
  });
});

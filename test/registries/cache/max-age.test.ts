import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { json, notFound, registered, status } from '../../support/bodies/replies.ts';

const hour = 3600;
const day = 24 * hour;
const maxAgeLimit = 2_592_000;

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^(?:nic|taken)/, ({ name }) => registered(name));
  registry.on(/^redemption/, ({ name }) => registered(name, { statuses: ['redemption period'] }));
  registry.on(/^pending/, ({ name }) => registered(name, { statuses: ['pending delete'] }));
  registry.on(/^reserved/, notFound('The name is reserved.'));
  registry.on(/^(?:expired|expiring|week)\./, ({ name }) => {
    const days = { expired: -1, expiring: 3, week: 7 }[name.split('.')[0] ?? ''] ?? 0;
    return registered(name, { expiresAt: new Date(clock.now() + days * day * 1000).toISOString() });
  });
  gateway = await forThisTest(startGateway, { clock, registries: { registry: registry.baseUrl } });
});

const wait = (seconds: number) => clock.advance(seconds * 1000);

const apis = {
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

describe.each(Object.entries(apis))('%s: a stored answer', (_api, lookUp) => {
  it.each([
    ['free', 300],
    ['redemption', 300],
    ['pending', 300],
    ['reserved', hour],
    ['week', hour], // expires in a week
    ['expiring', hour],
    ['expired', hour],
    ['taken', day],
  ])('of %s.registry is fresh for %i s', async (label, seconds) => {
    const name = `${label}.registry`;
    const first = await lookUp(name);
    expect(first).toMatchObject({
      cached: false,
      stale: false,
      checkedAt: new Date(clock.now()).toISOString(),
    });
    wait(seconds);
    expect(await lookUp(name)).toMatchObject({
      status: first.status,
      cached: true,
      stale: false,
      checkedAt: first.checkedAt,
    });
    expect(registry.requestCount(name)).toBe(1);
    wait(1);
    expect(await lookUp(name)).toMatchObject({
      cached: false,
      checkedAt: new Date(clock.now()).toISOString(),
    });
    expect(registry.requestCount(name)).toBe(2);
  });

  it('is returned up to the max_age of the request', async () => {
    await lookUp('taken.registry');
    wait(60);
    expect(await lookUp('taken.registry', 60)).toMatchObject({ cached: true });
    expect(await lookUp('taken.registry', 59)).toMatchObject({ cached: false });
    wait(10 * day);
    expect(await lookUp('taken.registry', maxAgeLimit)).toMatchObject({ cached: true });
    expect(registry.requestCount('taken.registry')).toBe(2);
  });

  it('is never returned with max_age=0', async () => {
    await lookUp('taken.registry');
    expect(await lookUp('taken.registry', 0)).toMatchObject({ cached: false });
    expect(registry.requestCount('taken.registry')).toBe(2);
  });

  it('is returned with max_age=2592000 until it is deleted', async () => {
    await lookUp('taken.registry');
    wait(maxAgeLimit);
    expect(await lookUp('taken.registry', maxAgeLimit)).toMatchObject({ cached: true });
    wait(1);
    expect(await lookUp('taken.registry', maxAgeLimit)).toMatchObject({ cached: false });
  });

  it('is never more than an hour old if it is AVAILABLE, even with a larger max_age', async () => {
    await lookUp('free.registry');
    wait(hour);
    expect(await lookUp('free.registry', maxAgeLimit)).toMatchObject({
      status: 'AVAILABLE',
      cached: true,
    });
    wait(1);
    expect(await lookUp('free.registry', maxAgeLimit)).toMatchObject({
      status: 'AVAILABLE',
      cached: false,
    });
  });

  it.each(['taken', 'reserved', 'redemption'])(
    'about %s.registry is returned as stale for up to 7 days if the registry fails and max_age is not set',
    async (label) => {
      const name = `${label}.registry`;
      const unknown = { status: 'UNKNOWN', stale: false, reason: 'registry_error' };
      const { status: verdict, checkedAt } = await lookUp(name);
      registry.on(name, status(403));
      wait(7 * day);
      const stale = { status: verdict, cached: true, stale: true, checkedAt, reason: null };
      expect(await lookUp(name)).toMatchObject(stale);
      expect(registry.requestCount(name)).toBe(2);
      expect(await lookUp(name, hour)).toMatchObject(unknown);
      wait(1);
      expect(await lookUp(name)).toMatchObject(unknown);
    },
  );

  it.each(['free', 'pending'])(
    'about %s.registry is never returned as stale, because it may have changed',
    async (label) => {
      const name = `${label}.registry`;
      await lookUp(name);
      registry.on(name, status(403));
      wait(301);
      const unknown = { status: 'UNKNOWN', cached: false, stale: false };
      expect(await lookUp(name)).toMatchObject(unknown);
    },
  );

  it('is not replaced by a failure, and failures are not stored', async () => {
    await lookUp('taken.registry');
    registry.on('taken.registry', status(403));
    expect(await lookUp('taken.registry', 0)).toMatchObject({ status: 'UNKNOWN', cached: false });
    expect(await lookUp('taken.registry')).toMatchObject({
      status: 'REGISTERED',
      cached: true,
      stale: false,
    });
    registry.on('failing.registry', status(403));
    for (let requests = 1; requests < 3; requests += 1) {
      await lookUp('failing.registry', maxAgeLimit);
      expect(registry.requestCount('failing.registry')).toBe(requests);
    }
  });
});

describe('in one GraphQL operation', () => {
  it('the smallest maxAge for a name applies to all fields with that name', async () => {
    await apis.GraphQL('taken.registry');
    wait(100);
    const ages = ['2592000', '50', 'null'].map(
      (age, index) => `f${index}: domain(name: "taken.registry", maxAge: ${age}) { cached }`,
    );
    const { data } = await gateway.graphql(
      `{ ${ages.join(' ')} domains(domains: ["taken.registry"], maxAge: 500) { cached } }`,
    );
    expect(JSON.stringify(data)).not.toContain('true');
    expect(registry.requestCount('taken.registry')).toBe(2);
  });

  it('a field without maxAge requires default freshness for all fields with that name', async () => {
    await apis.GraphQL('taken.registry');
    wait(day + 1);
    const { data } = await gateway.graphql(
      '{ any: domain(name: "taken.registry", maxAge: 2592000) { cached } fresh: domain(name: "taken.registry") { cached } }',
    );
    expect(data).toEqual({ any: { cached: false }, fresh: { cached: false } });
  });
});

const ago = (ms: number) => new Date(clock.now() - ms).toUTCString();

describe('an AVAILABLE response is ignored if an intermediate cache may have held it for more than a minute', () => {
  it.each<[string, () => Record<string, string | string[]>, 'AVAILABLE' | 'UNKNOWN']>([
    ['no Age', () => ({}), 'AVAILABLE'],
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
    ['a list of Ages', () => ({ age: '3600, 1' }), 'UNKNOWN'],
    ['a negative Age', () => ({ age: '-3600' }), 'UNKNOWN'],
    ['an Age that is not a number', () => ({ age: 'nonsense' }), 'UNKNOWN'],
    ['an empty Age', () => ({ age: '' }), 'UNKNOWN'],
    [
      'a warning that it is stale',
      () => ({ warning: '110 cache.test "Response is stale"' }),
      'UNKNOWN',
    ],
    [
      'a list of warnings, one of which is that it is stale',
      () => ({ warning: '199 - "Miscellaneous", 111 - "Revalidation failed"' }),
      'UNKNOWN',
    ],
    ['another warning', () => ({ warning: '214 - "Transformed 110 times"' }), 'AVAILABLE'],
    [
      'a Date of yesterday',
      () => ({ date: ago(day * 1000), via: '1.1 cache', 'x-cache': 'HIT' }),
      'UNKNOWN',
    ],
    ['a Date that is not a date', () => ({ date: 'nonsense' }), 'UNKNOWN'],
  ])('%s', async (_case, headersOf, verdict) => {
    const headers = headersOf();
    registry.on('taken.registry', json(200, domainObject('taken.registry'), headers));
    registry.on('open.registry', json(404, { errorCode: 404, title: 'Not Found' }, headers));
    const reason = verdict === 'UNKNOWN' ? 'untrusted_answer' : null;
    for (const lookUp of Object.values(apis)) {
      expect(await lookUp('open.registry', 0)).toMatchObject({ status: verdict, reason });
      expect(await lookUp('taken.registry', 0)).toMatchObject({ status: 'REGISTERED' });
    }
  });
});

it.each<[string, () => Record<string, string>, seconds: number]>([
  ['an Age of two hours', () => ({ age: '7200' }), 7200],
  ['a list of Ages', () => ({ age: '1, 7200' }), 7200],
  [
    'a Date of two days ago, which may be of a wrong clock',
    () => ({ date: ago(2 * day * 1000) }),
    0,
  ],
  ['a Date in two days', () => ({ date: ago(-2 * day * 1000) }), 0],
  ['an Age of more than is stored', () => ({ age: '99999999999999999999' }), maxAgeLimit],
  ['an Age that is not a number', () => ({ age: 'nonsense' }), 0],
])('a registration with %s is as old as that', async (_case, headersOf, seconds) => {
  registry.on('taken.registry', json(200, domainObject('taken.registry'), headersOf()));
  const checkedAt = new Date(clock.now() - seconds * 1000).toISOString();
  for (const lookUp of Object.values(apis))
    expect(await lookUp('taken.registry', 0)).toMatchObject({ cached: false, checkedAt });

  const { data } = await gateway.graphql(
    '{ domain(name: "taken.registry", maxAge: 0) { evidence { sources { durationMs } } } }',
  );
  expect(data.domain.evidence.sources).toEqual([{ durationMs: 0 }]);
  wait(Math.max(0, day - seconds));
  expect(await apis.REST('taken.registry')).toMatchObject({ cached: seconds < day, checkedAt });
  wait(1);
  expect(await apis.REST('taken.registry')).toMatchObject({ cached: false });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions } from '../../support/gateways/gateway.ts';
import { hang, reset } from '../../support/bodies/hostile-replies.ts';
import { jumpingClock, type JumpingClock } from '../../support/time/jumping-clock.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import {
  emptyNotFound,
  html,
  notFound,
  registered,
  status,
  unregistered,
  type Script,
} from '../../support/bodies/replies.ts';
import { scratch } from '../../support/stores/scratch.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

let registry: FakeRegistry;
let clock: JumpingClock;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^nic\./, missing);
  clock = jumpingClock();
});

/** Starts a gateway whose registry serves `.aa`, without a rate limit. */
async function open({ env = {}, ...options }: GatewayOptions = {}): Promise<Gateway> {
  return forThisTest(startGateway, {
    registries: { aa: registry.baseUrl },
    clock,
    env: { RDAP_RATE: '0', ...env },
    ...options,
  });
}

/** Looks up a name at the registry, without the cache. */
async function lookUp(gateway: Gateway, name: string) {
  const fields =
    'available status reason evidence { httpStatus mediaType unproven text attempts { phase ms code } }';
  const { data } = await gateway.graphql(
    `query ($name: String!) { domain(name: $name, maxAge: 0) { ${fields} } }`,
    { name },
  );
  return data.domain;
}

/** Returns the row of a name, from the cache if the answer is at most an hour old. */
async function cachedRow(gateway: Gateway, name: string) {
  return (await gateway.get(`/v1/status?domain=${name}&max_age=3600`)).results[0];
}

/** Returns how many of these names are reported as available in one bulk call without the cache. */
async function countAvailable(gateway: Gateway, names: readonly string[]): Promise<number> {
  const response = await gateway.post('/v1/status/bulk', { domains: names, max_age: 0 });
  return (await response.json()).meta.available;
}

const numbered = (label: string, tld: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${label}${index}.${tld}`);

const free = { available: true, status: 'AVAILABLE', reason: null, evidence: { unproven: false } };
const unproven = {
  available: true,
  status: 'AVAILABLE',
  reason: null,
  evidence: { unproven: true },
};
const untrusted = { available: null, status: 'UNKNOWN', reason: 'untrusted_answer' };
const taken: Script = ({ name }) => registered(name);
const missing = notFound();

describe('the first 404 of a registry for a TLD', () => {
  it('is trusted once the registry has found a canary, nic.<tld>', async () => {
    registry.on('nic.aa', taken);
    const answer = await lookUp(await open(), 'free.aa');
    expect(answer).toMatchObject({
      ...free,
      evidence: { httpStatus: 404, mediaType: 'application/rdap+json', unproven: false },
    });
    expect(
      answer.evidence.attempts.map(({ phase, code }: Record<string, string>) => [phase, code]),
    ).toEqual([
      ['queue', 'sent'],
      ['exchange', '404'],
      ['canary', 'found'],
    ]);
    expect(registry.requests.map(({ name }) => name)).toEqual(['free.aa', 'nic.aa']);
  });

  it.each<[string, Script]>([
    ['with an error body', notFound()],
    ['without a body', emptyNotFound()],
  ])(
    '%s is trusted once the registry has found a name in a caller’s lookup',
    async (_case, reply) => {
      registry.fallback(reply);
      registry.on('taken.aa', taken);
      const gateway = await open();
      await lookUp(gateway, 'taken.aa');
      expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
      expect(registry.requests.map(({ name }) => name)).toEqual(['taken.aa', 'free.aa']);
    },
  );

  it('is not trusted if no canary is found and it has no body', async () => {
    registry.fallback(emptyNotFound());
    expect(await lookUp(await open(), 'free.aa')).toMatchObject(untrusted);
  });

  it('is returned as unproven if no canary is found and it has an error body', async () => {
    const gateway = await open();
    const answer = await lookUp(gateway, 'free.aa');
    expect(answer).toMatchObject(unproven);
    expect(answer.evidence.attempts).toContainEqual(
      expect.objectContaining({ phase: 'canary', code: 'not_found' }),
    );
    expect(
      (await gateway.graphql('{ domain(name: "free.aa") { cached evidence { unproven } } }')).data
        .domain,
    ).toEqual({ cached: true, evidence: { unproven: true } });
  });

  it.each<[string, Script]>([
    ['a 403', status(403)],
    ['a 500', status(500)],
    ['HTML', html(404)],
  ])('is returned as unproven if the canary lookup returns %s', async (_case, reply) => {
    registry.on('nic.aa', reply);
    expect(await lookUp(await open(), 'free.aa')).toMatchObject(unproven);
  });

  it('is not trusted if the server finds names of other TLDs but no canary of this one', async () => {
    registry.on(/(?:nic|taken)\.aa$/, taken);
    const gateway = await open({ registries: { aa: registry.baseUrl, bb: registry.baseUrl } });
    expect(await lookUp(gateway, 'taken.aa')).toMatchObject({ status: 'REGISTERED' });
    expect(await lookUp(gateway, 'taken.bb')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'bb', 50))).toBe(0);
  });

  it('is not delayed by the canary lookup beyond the time limit', async () => {
    registry.on('nic.aa', hang());
    expect(await lookUp(await open({ env: { RDAP_TIMEOUT_MS: '200' } }), 'free.aa')).toMatchObject(
      unproven,
    );
  });

  it('is checked with another name if it is for the canary itself', async () => {
    registry.on('google.aa', taken);
    expect(await lookUp(await open(), 'nic.aa')).toMatchObject(free);
    expect(registry.requests.map(({ name }) => name)).toEqual(['nic.aa', 'google.aa']);
  });

  it('causes no canary lookup if it is not an RDAP response', async () => {
    registry.fallback(html(404));
    expect(await lookUp(await open(), 'free.aa')).toMatchObject(untrusted);
    expect(registry.requestCount('nic.aa')).toBe(0);
  });

  it('is checked with a canary of the same TLD if the directory entry is the root', async () => {
    registry.on(/^nic\./, taken);
    expect(
      await lookUp(await open({ registries: { '': registry.baseUrl } }), 'free.zz'),
    ).toMatchObject(free);
    expect(registry.requestCount('nic.zz')).toBe(1);
  });
});

describe('a canary check', () => {
  it('is one request for many waiting names, and is repeated after five minutes of use', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    expect(await countAvailable(gateway, numbered('first', 'aa', 10))).toBe(10);
    clock.advance(5 * minute - second);
    await lookUp(gateway, 'free.aa');
    expect(registry.requestCount('nic.aa')).toBe(1);
    clock.advance(second);
    await lookUp(gateway, 'free.aa');
    expect(registry.requestCount('nic.aa')).toBe(2);
  });

  it('is repeated after twenty 404s, even within five minutes', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    for (const name of numbered('free', 'aa', 21)) await lookUp(gateway, name);
    expect(registry.requestCount('nic.aa')).toBe(1);
    await lookUp(gateway, 'another.aa');
    expect(registry.requestCount('nic.aa')).toBe(2);
  });

  it('is made after twenty 404s, even if callers look up registered names', async () => {
    registry.on('taken.aa', taken);
    const gateway = await open();
    for (const name of numbered('free', 'aa', 20)) {
      await lookUp(gateway, 'taken.aa');
      await lookUp(gateway, name);
    }
    expect(registry.requestCount('taken.aa')).toBe(20);
    await lookUp(gateway, 'another.aa');
    expect(registry.requestCount('taken.aa')).toBe(21);
  });

  it('is repeated after its share of twenty 404s on each node of a cluster', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open({ env: { CLUSTER_SIZE: '3' } });
    expect(await countAvailable(gateway, ['free.aa'])).toBe(1);
    registry.on('nic.aa', missing);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 40))).toBeLessThanOrEqual(6);
    expect(registry.requestCount('nic.aa')).toBe(2);
  });

  it('is also due while AVAILABLE answers are returned from the cache', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    registry.on(/./, missing);
    clock.advance(5 * minute);
    expect(await cachedRow(gateway, 'free.aa')).toMatchObject({ available: true, cached: true });
    await registry.whenRequested('google.aa');
    await expect
      .poll(() => cachedRow(gateway, 'free.aa'))
      .toMatchObject({ available: null, reason: 'untrusted_answer' });
  });

  it('is separate for each server and each TLD', async () => {
    registry.on('nic.aa', taken);
    registry.on('nic.bb', taken);
    const gateway = await open({
      registries: { aa: registry.url('aa/'), bb: registry.url('bb/'), cc: registry.url('bb/') },
    });
    await lookUp(gateway, 'free.aa');
    await lookUp(gateway, 'free.bb');
    expect(await lookUp(gateway, 'free.cc')).toMatchObject(untrusted);
    expect(registry.requests.map(({ url }) => url)).toEqual([
      '/aa/domain/free.aa',
      '/aa/domain/nic.aa',
      '/bb/domain/free.bb',
      '/bb/domain/nic.bb',
      '/bb/domain/free.cc',
      '/bb/domain/nic.cc',
      '/bb/domain/google.cc',
    ]);
  });

  it('that could not be sent is repeated at the next 404', async () => {
    registry.on('nic.aa', taken);
    registry.on('forbidden.aa', status(403));
    // A burst of two requests, then one per 2.5 s.
    const gateway = await open({ env: { RDAP_RATE: '0.4', RDAP_TIMEOUT_MS: '300' } });
    await lookUp(gateway, 'forbidden.aa');
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(unproven);
    expect(registry.requestCount('nic.aa')).toBe(0);
    clock.advance(minute);
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
  });

  it('does not fail if one canary is missing while another is found', async () => {
    registry.on(/^(?:nic|google)\.aa$/, taken);
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    registry.on('nic.aa', missing);
    clock.advance(5 * minute);
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
    expect([registry.requestCount('nic.aa'), registry.requestCount('google.aa')]).toEqual([2, 1]);
    // The server is still trusted afterwards.
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
  });

  it('looks up the next canary if the response to one is inconclusive', async () => {
    registry.on(/^(?:nic|taken)\.aa$/, taken);
    const gateway = await open();
    await lookUp(gateway, 'taken.aa');
    await lookUp(gateway, 'free.aa');
    for (const script of [status(500), html(404), notFound('Down for maintenance.')]) {
      registry.on('taken.aa', script);
      clock.advance(5 * minute);
      expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
    }
  });

  it.each<[string, Script]>([
    ['a 500', status(500)],
    ['a 403', status(403)],
    ['HTML', html(404)],
    ['an unrecognized text', notFound('Down for maintenance.')],
  ])(
    'is inconclusive if its only canary lookup returns %s: 404s are UNKNOWN until a canary is found',
    async (_case, script) => {
      registry.on('nic.aa', taken);
      const gateway = await open();
      await lookUp(gateway, 'free.aa');
      registry.on('nic.aa', script);
      clock.advance(5 * minute);
      const answer = await lookUp(gateway, 'free.aa');
      expect(answer).toMatchObject(untrusted);
      expect(answer.evidence.attempts.at(-1)).toMatchObject({
        phase: 'canary',
        code: 'inconclusive',
      });
      expect(await countAvailable(gateway, numbered('taken', 'aa', 50))).toBe(0);
      registry.on('nic.aa', taken);
      clock.advance(30 * second);
      expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
    },
  );

  it('is not charged to callers', async () => {
    await using metered = await startMeteredGateway();
    metered.registry.on('nic.example', taken);
    const customer = await metered.newCustomer({ credits: 10 });
    const response = await customer.fetch('/v1/status?domain=free.example');
    expect(costIn(response)).toMatchObject({ requested: 1, charged: 1, remaining: 9 });
    expect(metered.registry.requestCount('nic.example')).toBe(1);
  });
});

describe('a registry that loses all of its data', () => {
  it('is detected at the first 404 after a name was found', async () => {
    registry.on(/./, taken);
    const gateway = await open();
    for (const name of numbered('taken', 'aa', 5)) await lookUp(gateway, name);
    registry.on(/./, missing);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 200))).toBe(0);
  });

  it.each<[string, Script]>([
    ['404', missing],
    ['status "free"', ({ name }) => unregistered(name)],
  ])('is detected immediately when its %s contradicts a cached answer', async (_case, absent) => {
    registry.on(/^(?:nic|taken)/, taken);
    registry.fallback(absent);
    const gateway = await open();
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
    await lookUp(gateway, 'taken0.aa');
    registry.on(/./, absent);
    expect(await lookUp(gateway, 'taken0.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 200))).toBe(0);
  });

  it('is detected after five minutes at the latest', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    registry.on(/./, missing);
    clock.advance(5 * minute);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 200))).toBe(0);
  });

  it('is detected for all of its TLDs once it is detected for one', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open({ registries: { aa: registry.baseUrl, bb: registry.baseUrl } });
    await lookUp(gateway, 'taken.aa');
    for (const tld of ['aa', 'bb'])
      expect(await lookUp(gateway, `free.${tld}`)).toMatchObject(free);
    registry.on(/./, missing);
    expect(await lookUp(gateway, 'taken.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'bb', 100))).toBe(0);
  });

  it('has its cached AVAILABLE answers discarded, even after it has recovered', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    registry.on(/./, missing);
    // No check has contradicted the 404 yet.
    expect(await lookUp(gateway, 'taken.aa')).toMatchObject(free);
    clock.advance(5 * minute);
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(untrusted);
    expect(await cachedRow(gateway, 'taken.aa')).toMatchObject({ available: null, cached: false });
    registry.on(/^(?:nic|taken)/, taken);
    clock.advance(minute);
    await lookUp(gateway, 'free.aa');
    expect(await cachedRow(gateway, 'taken.aa')).toMatchObject({
      available: false,
      status: 'registered',
      cached: false,
    });
  });

  it('is trusted again within a minute of its recovery', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    registry.on(/./, missing);
    clock.advance(5 * minute);
    for (let passed = 0; passed < 10; passed += 1) {
      expect(await lookUp(gateway, 'free.aa')).toMatchObject(untrusted);
      clock.advance(minute);
    }
    expect(registry.requestCount('nic.aa')).toBeGreaterThan(5);
    registry.on(/^(?:nic|taken)/, taken);
    registry.on('free.aa', missing);
    clock.advance(minute);
    // This 404 arrives before the canary is found, so the next one is the first that is trusted.
    await lookUp(gateway, 'free.aa');
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
  });

  it('is trusted again when its canaries were deleted but it finds other names', async () => {
    registry.on('only.aa', taken);
    const gateway = await open();
    await lookUp(gateway, 'only.aa');
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
    registry.on('only.aa', missing);
    clock.advance(5 * minute);
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(untrusted);
    registry.on('other.aa', taken);
    expect(await lookUp(gateway, 'other.aa')).toMatchObject({ status: 'REGISTERED' });
    await lookUp(gateway, 'free.aa');
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
  });

  it('is still not trusted after a restart', async () => {
    await using files = await scratch();
    const bootstrap = await forThisTest(writeBootstrap, bootstrapOf({ aa: registry.baseUrl }));
    const env = { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url };
    registry.on('nic.aa', taken);
    async function afterRestart() {
      await using gateway = await startGateway({ env, clock });
      return await lookUp(gateway, 'free.aa');
    }
    expect(await afterRestart()).toMatchObject(free);
    expect(await afterRestart()).toMatchObject(free);
    expect(registry.requestCount('nic.aa')).toBe(1);
    registry.on('nic.aa', missing);
    clock.advance(hour);
    expect(await afterRestart()).toMatchObject(untrusted);
    expect(await afterRestart()).toMatchObject(untrusted);
    expect(registry.requestCount('nic.aa')).toBe(2);
  });
});

const expiring =
  (inMs: number): Script =>
  ({ name }) =>
    registered(name, { expiresAt: new Date(clock.now() + inMs).toISOString() });

describe('a 404 for a name that is cached as registered', () => {
  it.each<[string, Script]>([
    ['a 404', missing],
    ['the status "free"', unregistered('dropped.aa')],
  ])('is trusted only once %s has persisted for a day', async (_case, absent) => {
    // The registry may have lost part of its data.
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', taken);
    const gateway = await open();
    await lookUp(gateway, 'dropped.aa');
    registry.on('dropped.aa', absent);
    expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(untrusted);
    // Without max_age, the stored answer is returned in the meantime.
    for (let hours = 0; hours < 20; hours += 5) {
      clock.advance(5 * hour);
      await lookUp(gateway, 'dropped.aa');
    }
    clock.advance(4 * hour - minute);
    expect((await gateway.get('/v1/status?domain=dropped.aa')).results[0]).toMatchObject({
      available: false,
      cached: true,
    });
    expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(untrusted);
    clock.advance(minute);
    expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(free);
  });

  it('is not trusted if 404s are more than six hours apart, because they may belong to different outages', async () => {
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', taken);
    const gateway = await open();
    await lookUp(gateway, 'dropped.aa');
    registry.on('dropped.aa', missing);
    for (let lookups = 0; lookups < 8; lookups += 1) {
      expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(untrusted);
      clock.advance(6 * hour + minute);
    }
  });

  it('is not confirmed by 404s from an outage in which the canaries were missing too', async () => {
    registry.on(/^(?:nic|dropped)/, taken);
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    await lookUp(gateway, 'dropped.aa');
    registry.on(/./, missing);
    for (let hours = 0; hours < 24; hours += 6) {
      expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(untrusted);
      clock.advance(6 * hour);
    }
    registry.on(/^nic/, taken);
    await lookUp(gateway, 'free.aa');
    expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(untrusted);
  });

  it('must persist for another day after the registry finds the name again', async () => {
    registry.on('nic.aa', taken);
    registry.on('flapping.aa', taken);
    const gateway = await open();
    await lookUp(gateway, 'flapping.aa');
    for (const script of [missing, taken]) {
      registry.on('flapping.aa', script);
      await lookUp(gateway, 'flapping.aa');
    }
    clock.advance(2 * day);
    registry.on('flapping.aa', missing);
    expect(await lookUp(gateway, 'flapping.aa')).toMatchObject(untrusted);
  });

  it.each<[string, Script]>([
    ['in its last weeks', expiring(20 * day)],
    ['past its expiry', expiring(-day)],
    ['pending deletion', ({ name }) => registered(name, { statuses: ['pending delete'] })],
  ])(
    'is trusted immediately, if a canary is found, for a registration %s',
    async (_case, script) => {
      registry.on('nic.aa', taken);
      registry.on('dropped.aa', script);
      const gateway = await open();
      await lookUp(gateway, 'free.aa');
      await lookUp(gateway, 'dropped.aa');
      registry.on('dropped.aa', missing);
      expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(free);
      expect(registry.requestCount('nic.aa')).toBe(2);
    },
  );

  it('is not trusted because of a check that began before it arrived', async () => {
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', expiring(20 * day));
    const gateway = await open();
    await lookUp(gateway, 'free.aa');
    await lookUp(gateway, 'dropped.aa');
    clock.advance(5 * minute);
    const { promise: lost, resolve: loseData } = Promise.withResolvers<void>();
    registry.on('nic.aa', ({ name }) => lost.then(() => registered(name)));
    const first = lookUp(gateway, 'free.aa');
    await registry.whenRequested('nic.aa', 2);
    registry.on(/./, missing);
    const contradicted = lookUp(gateway, 'dropped.aa');
    await registry.whenRequested('dropped.aa', 2);
    loseData();
    await first;
    expect(await contradicted).toMatchObject(untrusted);
  });

  it('is trusted for a name in redemption after the five days of pending deletion', async () => {
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', ({ name }) => registered(name, { statuses: ['redemption period'] }));
    const gateway = await open();
    await lookUp(gateway, 'dropped.aa');
    registry.on('dropped.aa', missing);
    expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(untrusted);
    clock.advance(5 * day);
    expect(await lookUp(gateway, 'dropped.aa')).toMatchObject(free);
  });
});

describe('a registry that loses part of its data', () => {
  it('is not trusted when it finds few of the names that it found before, even if it finds nic.<tld>', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    for (const name of numbered('taken', 'aa', 6)) await lookUp(gateway, name);
    await lookUp(gateway, 'free.aa');
    registry.on(/^taken/, missing);
    expect(await lookUp(gateway, 'taken0.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 100))).toBe(0);
    clock.advance(minute);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 100))).toBe(0);
    registry.on(/^taken/, taken);
    clock.advance(minute);
    await lookUp(gateway, 'free.aa');
    expect(await lookUp(gateway, 'free.aa')).toMatchObject(free);
  });
});

it('a second server of a TLD is checked with names that the first server has found', async () => {
  await using other = await startFakeRegistry();
  other.on(/./, missing);
  registry.on('taken.aa', taken);
  const gateway = await open({ registries: { aa: [registry.baseUrl, other.baseUrl] } });
  await lookUp(gateway, 'taken.aa');
  registry.on(/./, reset());
  expect(await lookUp(gateway, 'new.aa')).toMatchObject(untrusted);
  expect(await countAvailable(gateway, numbered('taken', 'aa', 5))).toBe(0);
  expect(other.requestCount('taken.aa')).toBe(1);
});

describe('a registry that finds nothing from the start', () => {
  it('is not trusted for a TLD whose canaries are certainly registered', async () => {
    registry.on(/./, missing);
    const gateway = await open({ registries: { com: registry.baseUrl } });
    expect(await lookUp(gateway, 'taken.com')).toMatchObject(untrusted);
  });

  it('has its AVAILABLE answers discarded once it finds a name', async () => {
    registry.on(/./, missing);
    const gateway = await open();
    expect(await lookUp(gateway, 'taken.aa')).toMatchObject(unproven);
    registry.on(/^(?:nic|taken)/, taken);
    clock.advance(minute);
    await lookUp(gateway, 'other.aa');
    await lookUp(gateway, 'free.aa');
    expect(await cachedRow(gateway, 'taken.aa')).toMatchObject({ available: false, cached: false });
  });
});

describe('a cached AVAILABLE', () => {
  it('is not returned once the bootstrap document names another server for the TLD', async () => {
    await using files = await scratch();
    await using other = await startFakeRegistry();
    other.on(/./, taken);
    registry.on('nic.aa', taken);
    const rowFrom = async ({ baseUrl }: FakeRegistry) => {
      const bootstrap = await forThisTest(writeBootstrap, bootstrapOf({ aa: baseUrl }));
      await using gateway = await startGateway({
        env: { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url },
        clock,
      });
      return cachedRow(gateway, 'moved.aa');
    };
    expect(await rowFrom(registry)).toMatchObject({ available: true, cached: false });
    expect(await rowFrom(registry)).toMatchObject({ available: true, cached: true });
    expect(await rowFrom(other)).toMatchObject({ available: false, cached: false });
  });

  it('is not returned once an override no longer trusts the 404s of its server', async () => {
    await using files = await scratch();
    registry.on('nic.aa', taken);
    const trusting = await forThisTest(writeBootstrap, {
      ...bootstrapOf({ aa: registry.baseUrl }),
      trust404: ['aa'],
    });
    const distrusting = await forThisTest(writeBootstrap, bootstrapOf({ aa: registry.baseUrl }));
    for (const [overrides, row] of [
      [trusting, { available: true }],
      [distrusting, { available: null, cached: false }],
    ] as const) {
      const env = { STORE_URL: files.storeUrl, RDAP_OVERRIDES: overrides.path };
      await using gateway = await startGateway({ env, clock, registries: {} });
      expect(await cachedRow(gateway, 'free.aa')).toMatchObject(row);
    }
  });
});

it.each([
  ['is not trusted, and causes no canary lookup, by default', {}, untrusted, 0],
  ['is trusted, after a canary check, with trust404', { trust404: ['aa'] }, free, 1],
])('the 404 of a server in RDAP_OVERRIDES %s', async (_case, extra, expected, canaries) => {
  registry.on('nic.aa', taken);
  const overrides = await forThisTest(writeBootstrap, {
    ...bootstrapOf({ aa: registry.baseUrl }),
    ...extra,
  });
  const gateway = await open({ env: { RDAP_OVERRIDES: overrides.path }, registries: {} });
  expect(await lookUp(gateway, 'free.aa')).toMatchObject(expected);
  expect(registry.requestCount('nic.aa')).toBe(canaries);
});

const uk = () => ({ registries: { uk: registry.baseUrl } });

describe('a name two labels below a registry', () => {
  beforeEach(() => registry.on('nic.uk', taken));

  it.each(['free.co.uk', 'free.org.uk', 'free.me.uk'])(
    '%s is AVAILABLE if the registry sells the suffix and returns 404',
    async (name) => {
      expect(await lookUp(await open(uk()), name)).toMatchObject(free);
    },
  );

  it.each<[string, Script]>([
    ['a 404', missing],
    ['the status "free"', ({ name }) => unregistered(name)],
  ])(
    'is not AVAILABLE by %s under a suffix of others, until the registry has found a name under it',
    async (_case, absent) => {
      registry.fallback(absent);
      registry.on('taken.ac.uk', taken);
      const gateway = await open(uk());
      expect(await lookUp(gateway, 'free.ac.uk')).toMatchObject(untrusted);
      expect(await lookUp(gateway, 'taken.ac.uk')).toMatchObject({ status: 'REGISTERED' });
      expect(await lookUp(gateway, 'free.ac.uk')).toMatchObject(free);
      expect(await lookUp(gateway, 'free.gov.uk')).toMatchObject(untrusted);
    },
  );

  it('is still AVAILABLE after a restart once its suffix has been found', async () => {
    await using files = await scratch();
    await using another = await startFakeRegistry();
    const bootstrap = await forThisTest(
      writeBootstrap,
      bootstrapOf({ aa: another.baseUrl, uk: registry.baseUrl, zz: another.baseUrl }),
    );
    const env = { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url };
    registry.on('taken.ac.uk', taken);
    {
      await using gateway = await startGateway({ env });
      await lookUp(gateway, 'taken.ac.uk');
    }
    await using gateway = await startGateway({ env });
    expect(await lookUp(gateway, 'free.ac.uk')).toMatchObject(free);
  });

  it('is AVAILABLE under a suffix that is a directory entry', async () => {
    const gateway = await open({ registries: { uk: registry.baseUrl, 'ac.uk': registry.baseUrl } });
    registry.on('nic.ac.uk', taken);
    expect(await lookUp(gateway, 'free.ac.uk')).toMatchObject(free);
  });
});

it('the sandbox registry is trusted without a canary check', async () => {
  expect(await lookUp(await open(), 'free.test')).toMatchObject(free);
});

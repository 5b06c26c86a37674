import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootstrapOf, writeBootstrap } from '../../support/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { hang, reset } from '../../support/hostile-replies.ts';
import { jumpingClock, type JumpingClock } from '../../support/jumping-clock.ts';
import { costIn, startMeteredGateway } from '../../support/metered-gateway.ts';
import {
  emptyNotFound,
  html,
  notFound,
  registered,
  status,
  type Script,
} from '../../support/replies.ts';
import { scratch } from '../../support/scratch.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

let cleanup: AsyncDisposableStack;
let registry: FakeRegistry;
let clock: JumpingClock;
beforeEach(async () => {
  cleanup = new AsyncDisposableStack();
  registry = cleanup.use(await startFakeRegistry());
  registry.on(/^nic\./, lost);
  clock = jumpingClock();
});
afterEach(() => cleanup.disposeAsync());

/** Starts a gateway whose registry serves `.aa`, without a rate limit. */
async function open({ env = {}, ...options }: GatewayOptions = {}): Promise<Gateway> {
  return cleanup.use(
    await startGateway({
      registries: { aa: registry.baseUrl },
      clock,
      env: { RDAP_RATE: '0', ...env },
      ...options,
    }),
  );
}

/** Looks a name up at the registry, whatever is cached. */
async function ask(gateway: Gateway, name: string) {
  const fields =
    'available status reason evidence { httpStatus mediaType unproven text attempts { phase ms code } }';
  const { data } = await gateway.graphql(
    `query ($name: String!) { domain(name: $name, maxAge: 0) { ${fields} } }`,
    { name },
  );
  return data.domain;
}

/** Returns the row of a name, from the cache where that is at most an hour old. */
async function cachedRow(gateway: Gateway, name: string) {
  return (await gateway.get(`/v1/status?domain=${name}&max_age=3600`)).results[0];
}

/** How many of these names are reported as available in one bulk call that reads no cache. */
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
const lost = notFound();

describe('the first 404 of a registry for a TLD', () => {
  it('counts once the registry has found a canary, nic.<tld>', async () => {
    registry.on('nic.aa', taken);
    const answer = await ask(await open(), 'free.aa');
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
    'counts, %s, once it has found the first name that a caller looked up',
    async (_how, reply) => {
      registry.fallback(reply);
      registry.on('taken.aa', taken);
      const gateway = await open();
      await ask(gateway, 'taken.aa');
      expect(await ask(gateway, 'free.aa')).toMatchObject(free);
      expect(registry.requests.map(({ name }) => name)).toEqual([
        'taken.aa',
        'free.aa',
        'taken.aa',
      ]);
    },
  );

  it('does not count if no canary is found and it has no body', async () => {
    registry.fallback(emptyNotFound());
    expect(await ask(await open(), 'free.aa')).toMatchObject(untrusted);
  });

  it('counts as unproven if no canary is found and it has an error body', async () => {
    const gateway = await open();
    const answer = await ask(gateway, 'free.aa');
    expect(answer).toMatchObject(unproven);
    expect(answer.evidence.attempts).toContainEqual(
      expect.objectContaining({ phase: 'canary', code: 'not_found' }),
    );
    expect(
      (await gateway.graphql('{ domain(name: "free.aa") { cached evidence { unproven } } }')).data
        .domain,
    ).toEqual({
      cached: true,
      evidence: { unproven: true },
    });
  });

  it.each<[string, Script]>([
    ['is refused', status(403)],
    ['fails', status(500)],
    ['is answered with HTML', html(404)],
  ])('counts as unproven if the canary %s', async (_how, reply) => {
    registry.on('nic.aa', reply);
    expect(await ask(await open(), 'free.aa')).toMatchObject(unproven);
  });

  it('does not count if the server finds names of other TLDs but no canary of this one', async () => {
    registry.on(/(?:nic|taken)\.aa$/, taken);
    const gateway = await open({ registries: { aa: registry.baseUrl, bb: registry.baseUrl } });
    expect(await ask(gateway, 'taken.aa')).toMatchObject({ status: 'REGISTERED' });
    expect(await ask(gateway, 'taken.bb')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'bb', 50))).toBe(0);
  });

  it('waits for the canary no longer than the caller may wait', async () => {
    registry.on('nic.aa', hang());
    expect(await ask(await open({ env: { RDAP_TIMEOUT_MS: '200' } }), 'free.aa')).toMatchObject(
      unproven,
    );
  });

  it('is not proven by looking the same name up again', async () => {
    registry.on('google.aa', taken);
    expect(await ask(await open(), 'nic.aa')).toMatchObject(free);
    expect(registry.requests.map(({ name }) => name)).toEqual(['nic.aa', 'google.aa']);
  });

  it('needs no canary if it is not an RDAP response: it does not count anyway', async () => {
    registry.fallback(html(404));
    expect(await ask(await open(), 'free.aa')).toMatchObject(untrusted);
    expect(registry.asked('nic.aa')).toBe(0);
  });

  it('is checked with a name of the same TLD under an entry that is the root', async () => {
    registry.on(/^nic\./, taken);
    expect(
      await ask(await open({ registries: { '': registry.baseUrl } }), 'free.zz'),
    ).toMatchObject(free);
    expect(registry.asked('nic.zz')).toBe(1);
  });
});

describe('a canary check', () => {
  it('is one request for many names that wait for it, and is repeated after five minutes of use', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    expect(await countAvailable(gateway, numbered('first', 'aa', 10))).toBe(10);
    clock.leap(5 * minute - second);
    await ask(gateway, 'free.aa');
    expect(registry.asked('nic.aa')).toBe(1);
    clock.leap(second);
    await ask(gateway, 'free.aa');
    expect(registry.asked('nic.aa')).toBe(2);
  });

  it('is repeated after twenty 404s, so that a burst of them cannot outrun it', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    for (const name of numbered('free', 'aa', 21)) await ask(gateway, name);
    expect(registry.asked('nic.aa')).toBe(1);
    await ask(gateway, 'another.aa');
    expect(registry.asked('nic.aa')).toBe(2);
  });

  it('is also due while AVAILABLE answers are returned from the cache', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    registry.on(/./, lost);
    clock.leap(5 * minute);
    expect(await cachedRow(gateway, 'free.aa')).toMatchObject({ available: true, cached: true });
    await registry.whenAsked('google.aa');
    await expect
      .poll(() => cachedRow(gateway, 'free.aa'))
      .toMatchObject({ available: null, reason: 'untrusted_answer' });
  });

  it('belongs to each server and each TLD by itself', async () => {
    registry.on('nic.aa', taken);
    registry.on('nic.bb', taken);
    const gateway = await open({
      registries: { aa: registry.url('aa/'), bb: registry.url('bb/'), cc: registry.url('bb/') },
    });
    await ask(gateway, 'free.aa');
    await ask(gateway, 'free.bb');
    expect(await ask(gateway, 'free.cc')).toMatchObject(untrusted);
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

  it('that could not be sent is made up for by the next 404', async () => {
    registry.on('nic.aa', taken);
    registry.on('refused.aa', status(403));
    // Two requests at once, then one in 2.5 s.
    const gateway = await open({ env: { RDAP_RATE: '0.4', RDAP_TIMEOUT_MS: '300' } });
    await ask(gateway, 'refused.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(unproven);
    expect(registry.asked('nic.aa')).toBe(0);
    clock.leap(minute);
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('does not fail for one canary that is missing while another is found', async () => {
    registry.on(/^(?:nic|google)\.aa$/, taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    registry.on('nic.aa', lost);
    clock.leap(5 * minute);
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    expect([registry.asked('nic.aa'), registry.asked('google.aa')]).toEqual([2, 1]);
    // A caller who looks the missing canary up does not make the others distrust the server either.
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('looks the next canary up where one gets no proper answer', async () => {
    registry.on(/^(?:nic|taken)\.aa$/, taken);
    const gateway = await open();
    await ask(gateway, 'taken.aa');
    await ask(gateway, 'free.aa');
    for (const script of [status(500), html(404), notFound('Down for maintenance.')]) {
      registry.on('taken.aa', script);
      clock.leap(5 * minute);
      expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    }
  });

  it.each<[string, Script]>([
    ['fails', status(500)],
    ['is refused', status(403)],
    ['is answered with HTML', html(404)],
    ['is answered with an unrecognized text', notFound('Down for maintenance.')],
  ])(
    'proves nothing if its only canary %s: 404s are UNKNOWN until one is found',
    async (_how, script) => {
      registry.on('nic.aa', taken);
      const gateway = await open();
      await ask(gateway, 'free.aa');
      registry.on('nic.aa', script);
      clock.leap(5 * minute);
      const answer = await ask(gateway, 'free.aa');
      expect(answer).toMatchObject(untrusted);
      expect(answer.evidence.attempts.at(-1)).toMatchObject({
        phase: 'canary',
        code: 'inconclusive',
      });
      expect(await countAvailable(gateway, numbered('taken', 'aa', 50))).toBe(0);
      registry.on('nic.aa', taken);
      clock.leap(30 * second);
      expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    },
  );

  it('costs callers nothing', async () => {
    await using metered = await startMeteredGateway();
    metered.registry.on('nic.example', taken);
    const customer = await metered.newCustomer({ credits: 10 });
    const response = await customer.fetch('/v1/status?domain=free.example');
    expect(costIn(response)).toMatchObject({ requested: 1, charged: 1, remaining: 9 });
    expect(metered.registry.asked('nic.example')).toBe(1);
  });
});

describe('a registry that loses all of its data', () => {
  it('is noticed at the first 404 after a name was found', async () => {
    registry.on(/./, taken);
    const gateway = await open();
    for (const name of numbered('taken', 'aa', 5)) await ask(gateway, name);
    registry.on(/./, lost);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 200))).toBe(0);
  });

  it('is noticed at once when its 404 contradicts what is cached', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    await ask(gateway, 'taken0.aa');
    registry.on(/./, lost);
    expect(await ask(gateway, 'taken0.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 200))).toBe(0);
  });

  it('is noticed after five minutes at the latest', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    registry.on(/./, lost);
    clock.leap(5 * minute);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 200))).toBe(0);
  });

  it('is noticed for all of its TLDs once it is noticed for one', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open({ registries: { aa: registry.baseUrl, bb: registry.baseUrl } });
    await ask(gateway, 'taken.aa');
    for (const tld of ['aa', 'bb']) expect(await ask(gateway, `free.${tld}`)).toMatchObject(free);
    registry.on(/./, lost);
    expect(await ask(gateway, 'taken.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'bb', 100))).toBe(0);
  });

  it('has its cached AVAILABLE answers discarded, also for the time after it has recovered', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    registry.on(/./, lost);
    // Nothing has contradicted it yet.
    expect(await ask(gateway, 'taken.aa')).toMatchObject(free);
    clock.leap(5 * minute);
    expect(await ask(gateway, 'free.aa')).toMatchObject(untrusted);
    expect(await cachedRow(gateway, 'taken.aa')).toMatchObject({ available: null, cached: false });
    registry.on(/^(?:nic|taken)/, taken);
    clock.leap(minute);
    await ask(gateway, 'free.aa');
    expect(await cachedRow(gateway, 'taken.aa')).toMatchObject({
      available: false,
      status: 'registered',
      cached: false,
    });
  });

  it('is trusted again within a minute of its recovery', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    registry.on(/./, lost);
    clock.leap(5 * minute);
    for (let passed = 0; passed < 10; passed += 1) {
      expect(await ask(gateway, 'free.aa')).toMatchObject(untrusted);
      clock.leap(minute);
    }
    expect(registry.asked('nic.aa')).toBeGreaterThan(5);
    registry.on(/^(?:nic|taken)/, taken);
    registry.on('free.aa', lost);
    clock.leap(minute);
    // The 404 came before the canary was found, so the next one is the first that counts.
    await ask(gateway, 'free.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('is trusted again when its canaries are gone for good but it finds other names', async () => {
    registry.on('only.aa', taken);
    const gateway = await open();
    await ask(gateway, 'only.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    registry.on('only.aa', lost);
    clock.leap(5 * minute);
    expect(await ask(gateway, 'free.aa')).toMatchObject(untrusted);
    registry.on('other.aa', taken);
    expect(await ask(gateway, 'other.aa')).toMatchObject({ status: 'REGISTERED' });
    await ask(gateway, 'free.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('stays distrusted over a restart', async () => {
    await using files = await scratch();
    const bootstrap = cleanup.use(await writeBootstrap(bootstrapOf({ aa: registry.baseUrl })));
    const env = { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url };
    registry.on('nic.aa', taken);
    async function afterRestart() {
      await using gateway = await startGateway({ env, clock });
      return await ask(gateway, 'free.aa');
    }
    expect(await afterRestart()).toMatchObject(free);
    expect(await afterRestart()).toMatchObject(free);
    expect(registry.asked('nic.aa')).toBe(1);
    registry.on('nic.aa', lost);
    clock.leap(hour);
    expect(await afterRestart()).toMatchObject(untrusted);
    expect(await afterRestart()).toMatchObject(untrusted);
    expect(registry.asked('nic.aa')).toBe(2);
  });
});

const expiring =
  (inMs: number): Script =>
  ({ name }) =>
    registered(name, { expiresAt: new Date(clock.now() + inMs).toISOString() });

describe('a 404 for a name that the cache holds as registered', () => {
  it('counts only once it has persisted for a day, as a registry may have lost a part of its data', async () => {
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', taken);
    const gateway = await open();
    await ask(gateway, 'dropped.aa');
    registry.on('dropped.aa', lost);
    expect(await ask(gateway, 'dropped.aa')).toMatchObject(untrusted);
    // A caller that sets no maximum age gets the stored answer meanwhile.
    clock.leap(day - minute);
    expect((await gateway.get('/v1/status?domain=dropped.aa')).results[0]).toMatchObject({
      available: false,
      cached: true,
    });
    expect(await ask(gateway, 'dropped.aa')).toMatchObject(untrusted);
    clock.leap(minute);
    expect(await ask(gateway, 'dropped.aa')).toMatchObject(free);
  });

  it('does not count for two 404s more than a day apart, which may belong to two outages', async () => {
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', taken);
    const gateway = await open();
    await ask(gateway, 'dropped.aa');
    registry.on('dropped.aa', lost);
    for (let days = 0; days < 3; days += 1) {
      expect(await ask(gateway, 'dropped.aa')).toMatchObject(untrusted);
      clock.leap(day + minute);
    }
  });

  it('does not gain from 404s of an outage in which the canaries were missing, too', async () => {
    registry.on(/^(?:nic|dropped)/, taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    await ask(gateway, 'dropped.aa');
    registry.on(/./, lost);
    for (let hours = 0; hours < 24; hours += 6) {
      expect(await ask(gateway, 'dropped.aa')).toMatchObject(untrusted);
      clock.leap(6 * hour);
    }
    registry.on(/^nic/, taken);
    await ask(gateway, 'free.aa');
    expect(await ask(gateway, 'dropped.aa')).toMatchObject(untrusted);
  });

  it('starts anew when the registry finds the name again', async () => {
    registry.on('nic.aa', taken);
    registry.on('flapping.aa', taken);
    const gateway = await open();
    await ask(gateway, 'flapping.aa');
    for (const script of [lost, taken]) {
      registry.on('flapping.aa', script);
      await ask(gateway, 'flapping.aa');
    }
    clock.leap(2 * day);
    registry.on('flapping.aa', lost);
    expect(await ask(gateway, 'flapping.aa')).toMatchObject(untrusted);
  });

  it.each<[string, Script]>([
    ['in its last weeks', expiring(20 * day)],
    ['past its expiry', expiring(-day)],
    ['pending deletion', ({ name }) => registered(name, { statuses: ['pending delete'] })],
  ])(
    'counts at once, with a canary that is found, if the registration was %s',
    async (_how, script) => {
      registry.on('nic.aa', taken);
      registry.on('dropped.aa', script);
      const gateway = await open();
      await ask(gateway, 'free.aa');
      await ask(gateway, 'dropped.aa');
      registry.on('dropped.aa', lost);
      expect(await ask(gateway, 'dropped.aa')).toMatchObject(free);
      expect(registry.asked('nic.aa')).toBe(2);
    },
  );

  it('counts for a name in redemption once that and the five days of pending deletion can be over', async () => {
    registry.on('nic.aa', taken);
    registry.on('dropped.aa', ({ name }) => registered(name, { statuses: ['redemption period'] }));
    const gateway = await open();
    await ask(gateway, 'dropped.aa');
    registry.on('dropped.aa', lost);
    expect(await ask(gateway, 'dropped.aa')).toMatchObject(untrusted);
    clock.leap(5 * day);
    expect(await ask(gateway, 'dropped.aa')).toMatchObject(free);
  });
});

describe('a registry that loses a part of its data', () => {
  it('is distrusted when it finds few of the names that it has found before, though it finds nic.<tld>', async () => {
    registry.on(/^(?:nic|taken)/, taken);
    const gateway = await open();
    for (const name of numbered('taken', 'aa', 6)) await ask(gateway, name);
    await ask(gateway, 'free.aa');
    registry.on(/^taken/, lost);
    expect(await ask(gateway, 'taken0.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 100))).toBe(0);
    clock.leap(minute);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 100))).toBe(0);
    registry.on(/^taken/, taken);
    clock.leap(minute);
    await ask(gateway, 'free.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });
});

describe('a second server of a TLD', () => {
  it('is checked with the names that the first one has found', async () => {
    await using other = await startFakeRegistry();
    other.on(/./, lost);
    registry.on('taken.aa', taken);
    const gateway = await open({ registries: { aa: [registry.baseUrl, other.baseUrl] } });
    await ask(gateway, 'taken.aa');
    registry.on(/./, reset());
    expect(await ask(gateway, 'new.aa')).toMatchObject(untrusted);
    expect(await countAvailable(gateway, numbered('taken', 'aa', 5))).toBe(0);
    expect(other.asked('taken.aa')).toBe(1);
  });
});

describe('a registry that finds nothing from the start', () => {
  it('is distrusted under a TLD whose canaries are certain to be registered', async () => {
    registry.on(/./, lost);
    const gateway = await open({ registries: { com: registry.baseUrl } });
    expect(await ask(gateway, 'taken.com')).toMatchObject(untrusted);
  });

  it('has its AVAILABLE answers discarded once it finds a name', async () => {
    registry.on(/./, lost);
    const gateway = await open();
    expect(await ask(gateway, 'taken.aa')).toMatchObject(unproven);
    registry.on(/^(?:nic|taken)/, taken);
    clock.leap(minute);
    await ask(gateway, 'other.aa');
    await ask(gateway, 'free.aa');
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
      const bootstrap = cleanup.use(await writeBootstrap(bootstrapOf({ aa: baseUrl })));
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
    const trusting = cleanup.use(
      await writeBootstrap({ ...bootstrapOf({ aa: registry.baseUrl }), trust404: ['aa'] }),
    );
    const distrusting = cleanup.use(await writeBootstrap(bootstrapOf({ aa: registry.baseUrl })));
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

describe('a server that the operator named', () => {
  it.each([
    ['is not believed, nor asked for a canary, when it says "not found"', {}, untrusted, 0],
    ['is believed when its 404 is to be trusted, canary and all', { trust404: ['aa'] }, free, 1],
  ])('%s', async (_what, extra, expected, canaries) => {
    registry.on('nic.aa', taken);
    const overrides = cleanup.use(
      await writeBootstrap({ ...bootstrapOf({ aa: registry.baseUrl }), ...extra }),
    );
    const gateway = await open({ env: { RDAP_OVERRIDES: overrides.path }, registries: {} });
    expect(await ask(gateway, 'free.aa')).toMatchObject(expected);
    expect(registry.asked('nic.aa')).toBe(canaries);
  });
});

const uk = () => ({ registries: { uk: registry.baseUrl } });

describe('a name two labels below a registry', () => {
  beforeEach(() => registry.on('nic.uk', taken));

  it.each(['free.co.uk', 'free.org.uk', 'free.me.uk'])(
    '%s is free when the registry that sells the suffix says so',
    async (name) => {
      expect(await ask(await open(uk()), name)).toMatchObject(free);
    },
  );

  it('is UNKNOWN under a suffix that somebody else may keep, until the registry has found a name under it', async () => {
    registry.on('taken.ac.uk', taken);
    const gateway = await open(uk());
    expect(await ask(gateway, 'free.ac.uk')).toMatchObject(untrusted);
    expect(await ask(gateway, 'taken.ac.uk')).toMatchObject({ status: 'REGISTERED' });
    expect(await ask(gateway, 'free.ac.uk')).toMatchObject(free);
    expect(await ask(gateway, 'free.gov.uk')).toMatchObject(untrusted);
  });

  it('stays known over a restart', async () => {
    await using files = await scratch();
    await using another = await startFakeRegistry();
    const bootstrap = cleanup.use(
      await writeBootstrap(
        bootstrapOf({ aa: another.baseUrl, uk: registry.baseUrl, zz: another.baseUrl }),
      ),
    );
    const env = { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url };
    registry.on('taken.ac.uk', taken);
    {
      await using gateway = await startGateway({ env });
      await ask(gateway, 'taken.ac.uk');
    }
    await using gateway = await startGateway({ env });
    expect(await ask(gateway, 'free.ac.uk')).toMatchObject(free);
  });

  it('is free under a suffix that is an entry itself', async () => {
    const gateway = await open({ registries: { uk: registry.baseUrl, 'ac.uk': registry.baseUrl } });
    registry.on('nic.ac.uk', taken);
    expect(await ask(gateway, 'free.ac.uk')).toMatchObject(free);
  });
});

describe('the built-in registry', () => {
  it('is believed as it is', async () => {
    expect(await ask(await open(), 'free.test')).toMatchObject(free);
  });
});

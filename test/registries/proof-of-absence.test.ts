import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeBootstrap, bootstrapOf } from '../support/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions } from '../support/gateway.ts';
import { hang } from '../support/hostile-replies.ts';
import { leapingClock, type LeapingClock } from '../support/leaping-clock.ts';
import { emptyNotFound, html, notFound, registered, status, type Script } from '../support/replies.ts';
import { scratch } from '../support/scratch.ts';

const hour = 60 * 60 * 1000;

let cleanup: AsyncDisposableStack;
let registry: FakeRegistry;
let clock: LeapingClock;
beforeEach(async () => {
  cleanup = new AsyncDisposableStack();
  registry = cleanup.use(await startFakeRegistry());
  clock = leapingClock();
});
afterEach(() => cleanup.disposeAsync());

/** A gateway whose registry answers for `.aa` and `.uk`. */
async function open(options: GatewayOptions = {}): Promise<Gateway> {
  return cleanup.use(await startGateway({ registries: { aa: registry.baseUrl, uk: registry.baseUrl }, clock, ...options }));
}

/** `maxAge` 0, so that the registry is asked. */
async function ask(gateway: Gateway, name: string) {
  const fields = 'available status reason evidence { httpStatus mediaType unproven attempts { phase ms code } }';
  const { data } = await gateway.graphql(`query ($name: String!) { domain(name: $name, maxAge: 0) { ${fields} } }`, { name });
  return data.domain;
}

const free = { available: true, status: 'AVAILABLE', reason: null, evidence: { unproven: false } };
const unproven = { available: true, status: 'AVAILABLE', reason: null, evidence: { unproven: true } };
const untrusted = { available: null, status: 'UNKNOWN', reason: 'untrusted_answer' };
const taken: Script = ({ name }) => registered(name);

describe('a "not found" of a registry that was never seen to find a name', () => {
  it('is believed once the registry has found its canary, nic.<tld>', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    const answer = await ask(gateway, 'free.aa');
    expect(answer).toMatchObject({ ...free, evidence: { httpStatus: 404, mediaType: 'application/rdap+json', unproven: false } });
    expect(answer.evidence.attempts.map(({ phase, code }: Record<string, string>) => [phase, code])).toEqual([
      ['queue', 'sent'],
      ['exchange', '404'],
      ['canary', 'found'],
    ]);
    expect(registry.requests.map(({ name }) => name)).toEqual(['free.aa', 'nic.aa']);
  });

  it.each<[string, Script]>([
    ['says so in RDAP terms', notFound()],
    ['has no body', emptyNotFound()],
  ])('needs no canary after any name was found, whether it %s', async (_how, reply) => {
    registry.fallback(reply);
    registry.on('taken.aa', taken);
    const gateway = await open();
    await ask(gateway, 'taken.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    expect(registry.asked('nic.aa')).toBe(0);
  });

  it('is believed, and marked, when no canary is found but it says so in RDAP terms', async () => {
    const gateway = await open();
    const answer = await ask(gateway, 'free.aa');
    expect(answer).toMatchObject(unproven);
    expect(answer.evidence.attempts).toContainEqual(expect.objectContaining({ phase: 'canary', code: 'not_found' }));
    expect((await gateway.graphql('{ domain(name: "free.aa") { cached evidence { unproven } } }')).data.domain).toEqual({
      cached: true,
      evidence: { unproven: true },
    });
  });

  it('is not believed when no canary is found and it has no body', async () => {
    registry.fallback(emptyNotFound());
    expect(await ask(await open(), 'free.aa')).toMatchObject(untrusted);
  });

  it('is believed without a body once the canary is found', async () => {
    registry.fallback(emptyNotFound());
    registry.on('nic.aa', taken);
    expect(await ask(await open(), 'free.aa')).toMatchObject(free);
  });

  it('makes the well-known names canaries one after the other, one an hour', async () => {
    registry.on('nominet.uk', taken);
    const gateway = await open();
    expect(await ask(gateway, 'free.uk')).toMatchObject(unproven);
    clock.leap(hour - 60_000);
    expect(await ask(gateway, 'free.uk')).toMatchObject(unproven);
    expect([registry.asked('nic.uk'), registry.asked('nominet.uk')]).toEqual([1, 0]);
    clock.leap(60_000);
    expect(await ask(gateway, 'free.uk')).toMatchObject(free);
    expect([registry.asked('nic.uk'), registry.asked('nominet.uk')]).toEqual([1, 1]);
  });

  it.each<[string, Script]>([
    ['is refused', status(403)],
    ['breaks', status(500)],
    ['gets no proper answer', html(404)],
  ])('is believed and marked when the canary %s', async (_how, reply) => {
    registry.on('nic.aa', reply);
    expect(await ask(await open(), 'free.aa')).toMatchObject(unproven);
    expect(registry.asked('nic.aa')).toBe(1);
  });

  it('waits for the canary no longer than the caller may wait', async () => {
    registry.on('nic.aa', hang());
    expect(await ask(await open({ env: { RDAP_TIMEOUT_MS: '200' } }), 'free.aa')).toMatchObject(unproven);
  });

  it('is not proved by the name that is asked for itself', async () => {
    registry.on('google.aa', taken);
    expect(await ask(await open(), 'nic.aa')).toMatchObject(free);
    expect(registry.requests.map(({ name }) => name)).toEqual(['nic.aa', 'google.aa']);
  });

  it('asks no canary when it is no RDAP answer, and is not believed', async () => {
    registry.fallback(html(404));
    expect(await ask(await open(), 'free.aa')).toMatchObject(untrusted);
    expect(registry.asked('nic.aa')).toBe(0);
  });

  it('holds for the whole world under an entry that is the root', async () => {
    registry.on(/^nic\./, taken);
    const gateway = await open({ registries: { '': registry.baseUrl } });
    expect(await ask(gateway, 'free.zz')).toMatchObject(free);
  });
});

describe('a canary', () => {
  it('is one request an hour for a base URL, however many names and TLDs wait for it', async () => {
    registry.on('nic.aa', status(500));
    registry.on('nic.uk', status(500));
    const gateway = await open();
    const names = Array.from({ length: 20 }, (_, index) => `free${index}.${index % 2 ? 'aa' : 'uk'}`);
    const { results } = await gateway.get(`/v1/status?domain=${names.join(',')}`);
    expect(results.every(({ available }: { available: boolean }) => available)).toBe(true);
    expect(registry.asked('nic.aa') + registry.asked('nic.uk')).toBe(1);
    clock.leap(hour);
    await ask(gateway, 'free.aa');
    expect(registry.asked('nic.aa') + registry.asked('nic.uk')).toBe(2);
  });

  it('is asked of each base URL, also on one host', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open({ registries: { aa: registry.url('aa/'), bb: registry.url('bb/') } });
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    expect(await ask(gateway, 'free.bb')).toMatchObject(unproven);
    expect(registry.requests.map(({ url }) => url)).toEqual([
      '/aa/domain/free.aa',
      '/aa/domain/nic.aa',
      '/bb/domain/free.bb',
      '/bb/domain/nic.bb',
    ]);
  });

  it('that could not be sent is asked the next time', async () => {
    registry.on('nic.aa', taken);
    registry.on('refused.aa', status(403));
    // Two requests at once, then one in 2.5 s.
    const gateway = await open({ env: { RDAP_RATE: '0.4', RDAP_TIMEOUT_MS: '300' } });
    await ask(gateway, 'refused.aa');
    expect(await ask(gateway, 'free.aa')).toMatchObject(unproven);
    expect(registry.asked('nic.aa')).toBe(0);
    clock.leap(60_000);
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });
});

/** A gateway whose registry found its canary an hour ago and does not any more. */
async function openWithLostCanary(): Promise<Gateway> {
  registry.on('nic.aa', taken);
  registry.on('taken.aa', taken);
  const gateway = await open();
  expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  registry.on('nic.aa', notFound());
  clock.leap(hour);
  return gateway;
}

describe('a registry that has lost its canary', () => {
  it('is not believed until the canary is found again', async () => {
    const gateway = await openWithLostCanary();
    const answer = await ask(gateway, 'free.aa');
    expect(answer).toMatchObject(untrusted);
    expect(answer.evidence.attempts.at(-1)).toMatchObject({ phase: 'canary', code: 'not_found' });
    registry.on('nic.aa', taken);
    clock.leap(hour - 60_000);
    expect(await ask(gateway, 'free.aa')).toMatchObject(untrusted);
    expect(registry.asked('nic.aa')).toBe(2);
    clock.leap(60_000);
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('is not believed in what it said shortly before either', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    await ask(gateway, 'other.aa');
    clock.leap(hour - 60_000);
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
    registry.on('nic.aa', notFound());
    clock.leap(60_000);
    expect(await ask(gateway, 'other.aa')).toMatchObject(untrusted);
    const kept = async () => (await gateway.get('/v1/status?domain=free.aa&max_age=3600')).results[0];
    expect(await kept()).toMatchObject({ available: null, status: 'unknown', reason: 'untrusted_answer' });
    registry.on('nic.aa', taken);
    expect(await ask(gateway, 'nic.aa')).toMatchObject({ available: false });
    expect(await kept()).toMatchObject({ available: true, cached: true });
  });

  it('is believed when it finds something', async () => {
    const gateway = await openWithLostCanary();
    await ask(gateway, 'free.aa');
    expect(await ask(gateway, 'taken.aa')).toMatchObject({ available: false, status: 'REGISTERED' });
    expect(await ask(gateway, 'free.aa')).toMatchObject(untrusted);
  });

  it('is known for it as soon as somebody asks for the canary itself, and is believed as soon as somebody finds it', async () => {
    registry.on('nic.aa', taken);
    const gateway = await open();
    await ask(gateway, 'free.aa');
    registry.on('nic.aa', notFound());
    expect(await ask(gateway, 'nic.aa')).toMatchObject(untrusted);
    expect(await ask(gateway, 'free.aa')).toMatchObject(untrusted);
    registry.on('nic.aa', taken);
    expect(await ask(gateway, 'nic.aa')).toMatchObject({ available: false });
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('is still believed when its canary gets no answer', async () => {
    const gateway = await openWithLostCanary();
    registry.on('nic.aa', status(500));
    expect(await ask(gateway, 'free.aa')).toMatchObject(free);
  });

  it('is believed again when the canary’s TLD has gone to another registry, once it finds one of those that it still serves', async () => {
    await using files = await scratch();
    await using another = await startFakeRegistry();
    registry.on('nic.aa', taken);
    const start = async (aa: FakeRegistry) => {
      const bootstrap = cleanup.use(await writeBootstrap(bootstrapOf({ aa: aa.baseUrl, bb: registry.baseUrl })));
      return startGateway({ env: { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url }, clock });
    };
    {
      await using gateway = await start(registry);
      expect(await ask(gateway, 'free.aa')).toMatchObject(free);
      registry.on('nic.aa', notFound());
      clock.leap(hour);
      expect(await ask(gateway, 'free.bb')).toMatchObject(untrusted);
    }
    registry.on('nic.bb', taken);
    await using gateway = await start(another);
    expect(await ask(gateway, 'free.bb')).toMatchObject(unproven);
    clock.leap(hour);
    expect(await ask(gateway, 'free.bb')).toMatchObject(free);
    expect([registry.asked('nic.aa'), registry.asked('nic.bb')]).toEqual([2, 1]);
  });

  it('is remembered over a restart', async () => {
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
    registry.on('nic.aa', notFound());
    clock.leap(hour);
    expect(await afterRestart()).toMatchObject(untrusted);
    expect(await afterRestart()).toMatchObject(untrusted);
    expect(registry.asked('nic.aa')).toBe(2);
  });
});

describe('a server that the operator named', () => {
  it.each([
    ['is not believed, nor asked for a canary, when it says "not found"', {}, untrusted, 0],
    ['is believed when its 404 is to be trusted, canary and all', { trust404: ['aa'] }, free, 1],
  ])('%s', async (_what, extra, expected, canaries) => {
    registry.on('nic.aa', taken);
    const overrides = cleanup.use(await writeBootstrap({ ...bootstrapOf({ aa: registry.baseUrl }), ...extra }));
    const gateway = await open({ env: { RDAP_OVERRIDES: overrides.path }, registries: {} });
    expect(await ask(gateway, 'free.aa')).toMatchObject(expected);
    expect(registry.asked('nic.aa')).toBe(canaries);
  });
});

describe('a name two labels below a registry', () => {
  beforeEach(() => registry.on('nic.uk', taken));

  it.each(['free.co.uk', 'free.org.uk', 'free.me.uk'])('%s is free when the registry that sells the suffix says so', async (name) => {
    expect(await ask(await open(), name)).toMatchObject(free);
  });

  it('is UNKNOWN under a suffix that somebody else may keep, until the registry has found a name under it', async () => {
    registry.on('taken.ac.uk', taken);
    const gateway = await open();
    expect(await ask(gateway, 'free.ac.uk')).toMatchObject(untrusted);
    expect(await ask(gateway, 'taken.ac.uk')).toMatchObject({ status: 'REGISTERED' });
    expect(await ask(gateway, 'free.ac.uk')).toMatchObject(free);
    expect(await ask(gateway, 'free.gov.uk')).toMatchObject(untrusted);
  });

  it('stays known over a restart', async () => {
    await using files = await scratch();
    await using another = await startFakeRegistry();
    const bootstrap = cleanup.use(await writeBootstrap(bootstrapOf({ aa: another.baseUrl, uk: registry.baseUrl, zz: another.baseUrl })));
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

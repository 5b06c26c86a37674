import { cp } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { problems } from '../../src/domain/problems.ts';
import { createHttpClient } from '../../src/sources/rdap/http/client.ts';
import { createDispatcher, type Resolve } from '../../src/sources/rdap/http/dispatcher.ts';
import { startBlackHole } from '../support/black-hole.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { jumpingClock } from '../support/jumping-clock.ts';
import { faults, type Fault } from '../support/registry-faults.ts';
import { registered } from '../support/replies.ts';
import { scratch, type Scratch } from '../support/scratch.ts';
import { testTls, expiredTls, otherNameTls } from '../support/tls.ts';

const minute = 60;
const day = 24 * 60 * minute;
/** Whatever the machine has to do meanwhile, an answer that takes so long does not keep to its deadline. */
const patienceMs = 10_000;
/** Makes callers wait for as long as they may. */
const isPatient = ({ outcome }: Fault) =>
  outcome === 'registry_timeout' || outcome === 'registry_busy';
/** A host that is busy is asked again after a second: too late for these. The others must not depend on how fast this machine is today. */
const deadlineOf = (fault: Fault) => (isPatient(fault) ? '900' : '5000');

const trusted = getCACertificates('default');
let stored: Scratch;

/** Stores, now, that `kept.aa` is registered and that `gone.aa` is free. */
beforeAll(async () => {
  setDefaultCACertificates([
    ...trusted,
    ...[testTls, expiredTls, otherNameTls].map(({ cert }) => cert),
  ]);
  stored = await scratch();
  await using registry = await startFakeRegistry();
  registry.on(/^(?:nic|kept)\./, ({ name }) => registered(name));
  await using gateway = await startGateway({
    registries: { aa: registry.baseUrl },
    env: { STORE_URL: stored.storeUrl },
  });
  await gateway.get('/v1/status?domain=kept.aa,gone.aa');
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await stored[Symbol.asyncDispose]();
});

type Check = (gateway: Gateway, outcome: Fault['outcome']) => Promise<void>;

/** What is checked, and how many seconds after the storing. */
interface Stage {
  readonly age: number;
  readonly check: Check;
}

/** Lets time pass, stage by stage, for a gateway whose registry has the fault. */
async function hold(
  fault: Fault,
  stages: readonly Stage[],
  outcome = fault.outcome,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const files = stack.use(await scratch());
  await cp(stored.path, files.path, { recursive: true });
  const clock = jumpingClock();
  const env = {
    RDAP_TIMEOUT_MS: deadlineOf(fault),
    QUEUE_TIMEOUT_MS: deadlineOf(fault),
    STORE_URL: files.storeUrl,
  };
  const [aa = '', ...others] = [await fault.open(stack)].flat();
  const registries = { aa, ...(others.length > 0 && { other: others }) };
  const gateway = stack.use(await startGateway({ registries, env, clock }));
  let passed = 0;
  for (const { age, check } of stages) {
    clock.leap((age - passed) * 1000);
    passed = age;
    await check(gateway, outcome);
  }
  // Whatever happened, it serves on.
  expect((await row(gateway, 'free.test')).status).toBe('available');
}

async function row(gateway: Gateway, name: string, rest = '') {
  const answer = await gateway.fetch(`/v1/status?domain=${name}${rest}`, {
    signal: AbortSignal.timeout(patienceMs),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()).results[0];
}

const unknown = (reason: string) => ({
  available: null,
  status: 'unknown',
  reason,
  cached: false,
  stale: false,
  checked_at: null,
});
const taken = (how: { cached: boolean; stale: boolean }) => ({
  available: false,
  status: 'registered',
  ...how,
});
const asked = { cached: false, stale: false };

const nothingStored: Check = async (gateway, outcome) => {
  const [answer, record, { data, errors }] = await Promise.all([
    row(gateway, 'new.aa'),
    gateway.fetch('/v1/rdap?domain=new.aa', { signal: AbortSignal.timeout(patienceMs) }),
    gateway.graphql('{ domain(name: "new.aa") { status problem { code } rdap { handle } } }'),
  ]);
  expect(errors).toBeUndefined();
  if (outcome === 'registered') {
    expect(answer).toMatchObject(taken(asked));
    expect([record.status, data.domain.problem]).toEqual([200, null]);
    return;
  }
  expect(answer).toMatchObject(unknown(outcome));
  expect([record.status, (await record.json()).code]).toEqual([problems[outcome].status, outcome]);
  expect(data.domain).toEqual({ status: 'UNKNOWN', problem: { code: outcome }, rdap: null });
};

const freshStored: Check = async (gateway, outcome) => {
  expect(await row(gateway, 'kept.aa')).toMatchObject(taken({ cached: true, stale: false }));
  // Another server has said that it is available, which does not serve the TLD any more.
  expect(await row(gateway, 'gone.aa')).toMatchObject(
    outcome === 'registered' ? taken(asked) : unknown(outcome),
  );
};

const staleStored: Check = async (gateway, outcome) => {
  const answered = outcome === 'registered';
  expect(await row(gateway, 'kept.aa')).toMatchObject(
    taken(answered ? asked : { cached: true, stale: true }),
  );
  // What was free two days ago may be anybody's today.
  expect(await row(gateway, 'gone.aa')).toMatchObject(answered ? taken(asked) : unknown(outcome));
  // Who says how old an answer may be gets none that is older.
  if (!answered)
    expect(await row(gateway, 'kept.aa', `&max_age=${day}`)).toMatchObject(unknown(outcome));
};

const tooOldStored: Check = async (gateway, outcome) => {
  expect(await row(gateway, 'kept.aa')).toMatchObject(
    outcome === 'registered' ? taken(asked) : unknown(outcome),
  );
};

const stages = {
  'nothing stored': { age: 0, check: nothingStored },
  'a fresh answer stored': { age: minute, check: freshStored },
  'an old answer stored': { age: 2 * day, check: staleStored },
  'an answer stored that is older than seven days': { age: 8 * day, check: tooOldStored },
} satisfies Record<string, Stage>;

const held = (fault: Fault) => hold(fault, Object.values(stages));

describe('with nothing stored, with a fresh answer, a stale and a very old one, the truth is told in time when the registry', () => {
  // Those whose deadline is short do not share the machine with those who keep it busy.
  describe('makes everybody wait:', () =>
    it.concurrent.each(faults().filter(isPatient))('$what', held));
  describe('fails:', () =>
    it.concurrent.each(faults().filter((fault) => !isPatient(fault)))('$what', held));
});

describe('the table', () => {
  const healthy: Fault = {
    what: 'is well',
    outcome: 'registered',
    async open(stack) {
      const registry = stack.use(await startFakeRegistry());
      registry.fallback(({ name }) => registered(name));
      return registry.baseUrl;
    },
  };

  it('has forty faults and more', () => expect(faults().length).toBeGreaterThan(40));

  it.each([
    'nothing stored',
    'an old answer stored',
    'an answer stored that is older than seven days',
  ] as const)('fails with %s when a registry does not do what its row says', async (stage) => {
    await hold(healthy, [stages[stage]]);
    await expect(hold(healthy, [stages[stage]], 'registry_error')).rejects.toThrow(/expected/);
  });
});

/** Two addresses for every name. */
const resolve: Resolve = (_hostname, _options, callback) =>
  callback(null, [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]);

describe('a registry whose IPv6 address swallows everything', () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );

  it.skipIf(!hasIPv6)(
    'is asked over IPv4 in good time (skipped where there is no ::1)',
    async () => {
      await using stack = new AsyncDisposableStack();
      const registry = stack.use(await startFakeRegistry());
      const { port } = new URL(registry.baseUrl);
      stack.use(await startBlackHole('::1', Number(port)));
      const dispatcher = createDispatcher({
        allowPrivate: true,
        connections: 1,
        connectTimeoutMs: 5000,
        resolve,
      });
      stack.defer(() => dispatcher.destroy());
      const client = createHttpClient({
        route: () => dispatcher,
        userAgent: 'gateway/1.0',
        clock: systemClock,
      });
      expect(await client.get(`http://rdap.test:${port}/domain/free.aa`, {}, 5000)).toMatchObject({
        status: 404,
      });
      expect(registry.asked('free.aa')).toBe(1);
    },
  );
});

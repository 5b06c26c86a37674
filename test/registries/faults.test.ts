import { cp } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import { problems } from '../../src/domain/problems.ts';
import { createHttpClient } from '../../src/outbound/client.ts';
import type { Resolve } from '../../src/outbound/public-address.ts';
import { createDispatcher } from '../../src/outbound/dispatcher.ts';
import { createLog } from '../../src/log.ts';
import { keyValueBackoffs, openAnswers, type Stores } from '../../src/storage/open.ts';
import { memoryAccounts } from '../../src/storage/sqlite/accounts.ts';
import { memorySql } from '../../src/storage/sqlite/sql-file.ts';
import { startBlackHole } from '../support/servers/black-hole.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { jumpingClock } from '../support/time/jumping-clock.ts';
import { faults, type Fault } from '../support/bodies/registry-faults.ts';
import { registered } from '../support/bodies/replies.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';
import { testTls, expiredTls, otherNameTls } from '../support/servers/tls.ts';

const minute = 60;
const day = 24 * 60 * minute;
/** A response that takes longer has missed its deadline, even on a loaded machine. */
const maxResponseMs = 10_000;
/** Returns whether callers wait until the deadline. */
const waitsForDeadline = ({ outcome }: Fault) =>
  outcome === 'registry_timeout' || outcome === 'registry_busy';
/**
 * Shorter than the second after which a busy host is retried. The other faults must not depend on
 * the speed of the machine.
 */
const deadlineOf = (fault: Fault) => (waitsForDeadline(fault) ? '600' : '5000');

const trusted = getCACertificates('default');
let stored: Scratch;
/** Stays open to hold its port: a registry with a fault on that port would inherit the stored answers. */
let healthyRegistry: FakeRegistry;

/** Stores `taken.aa` as registered and `free.aa` as available. */
beforeAll(async () => {
  setDefaultCACertificates([
    ...trusted,
    ...[testTls, expiredTls, otherNameTls].map(({ cert }) => cert),
  ]);
  stored = await scratch();
  healthyRegistry = await startFakeRegistry();
  healthyRegistry.on(/^(?:nic|taken)\./, ({ name }) => registered(name));
  await using gateway = await startGateway({
    registries: { aa: healthyRegistry.baseUrl },
    env: { STORE_URL: stored.storeUrl },
  });
  await gateway.get('/v1/status?domain=taken.aa,free.aa');
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await healthyRegistry[Symbol.asyncDispose]();
  await stored[Symbol.asyncDispose]();
});

type Check = (gateway: Gateway, outcome: Fault['outcome']) => Promise<void>;

/** A check, and the age of the stored answers in seconds at which it runs. */
interface Stage {
  readonly age: number;
  readonly check: Check;
}

/** Runs the checks of the stages against a gateway whose registry has the fault. */
async function runStages(
  fault: Fault,
  stages: readonly Stage[],
  outcome = fault.outcome,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const files = stack.use(await scratch());
  await cp(stored.path, files.path, { recursive: true });
  const clock = jumpingClock();
  const env = {
    // A busy registry responds at once; only the queue has the short limit.
    RDAP_TIMEOUT_MS: fault.outcome === 'registry_timeout' ? deadlineOf(fault) : '5000',
    QUEUE_TIMEOUT_MS: deadlineOf(fault),
  };
  const [aa = '', ...others] = [await fault.open(stack)].flat();
  const registries = { aa, ...(others.length > 0 && { other: others }) };
  const stores = withStoredAnswers(files.storeUrl, clock);
  const gateway = stack.use(await startGateway({ registries, env, clock, stores }));
  let passed = 0;
  for (const { age, check } of stages) {
    clock.advance((age - passed) * 1000);
    passed = age;
    await check(gateway, outcome);
  }
  // The gateway still works. On a loaded machine, the sandbox may exceed the time limit once.
  const isAvailable = async () => (await row(gateway, 'free.test')).status === 'available';
  await vi.waitUntil(isAvailable, { timeout: 10_000 });
}

/**
 * Opens the stored answers, and accounts in memory: the thread for those of a file takes longer to
 * start than the rest of a gateway.
 */
function withStoredAnswers(storeUrl: string, clock: Clock): Stores {
  const answers = openAnswers(storeUrl, createLog('silent'));
  return {
    answers,
    accounts: memoryAccounts({ clock, freeCredits: 0 }),
    watches: memorySql(),
    backoffs: keyValueBackoffs(answers, clock),
    close: () => answers.close(),
  };
}

async function row(gateway: Gateway, name: string, rest = '') {
  const answer = await gateway.fetch(`/v1/status?domain=${name}${rest}`, {
    signal: AbortSignal.timeout(maxResponseMs),
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
const taken = (origin: { cached: boolean; stale: boolean }) => ({
  available: false,
  status: 'registered',
  ...origin,
});
const lookedUp = { cached: false, stale: false };

const nothingStored: Check = async (gateway, outcome) => {
  const [answer, record, { data, errors }] = await Promise.all([
    row(gateway, 'new.aa'),
    gateway.fetch('/v1/rdap?domain=new.aa', { signal: AbortSignal.timeout(maxResponseMs) }),
    gateway.graphql('{ domain(name: "new.aa") { status problem { code } rdap { handle } } }'),
  ]);
  expect(errors).toBeUndefined();
  if (outcome === 'registered') {
    expect(answer).toMatchObject(taken(lookedUp));
    expect([record.status, data.domain.problem]).toEqual([200, null]);
    return;
  }
  expect(answer).toMatchObject(unknown(outcome));
  expect([record.status, (await record.json()).code]).toEqual([problems[outcome].status, outcome]);
  expect(data.domain).toEqual({ status: 'UNKNOWN', problem: { code: outcome }, rdap: null });
};

const freshStored: Check = async (gateway, outcome) => {
  expect(await row(gateway, 'taken.aa')).toMatchObject(taken({ cached: true, stale: false }));
  // The stored AVAILABLE is from a server that no longer serves the TLD.
  expect(await row(gateway, 'free.aa')).toMatchObject(
    outcome === 'registered' ? taken(lookedUp) : unknown(outcome),
  );
};

const staleStored: Check = async (gateway, outcome) => {
  const answered = outcome === 'registered';
  expect(await row(gateway, 'taken.aa')).toMatchObject(
    taken(answered ? lookedUp : { cached: true, stale: true }),
  );
  // A name that was available two days ago may be registered now.
  expect(await row(gateway, 'free.aa')).toMatchObject(
    answered ? taken(lookedUp) : unknown(outcome),
  );
  // With max_age, no older answer is returned as stale.
  if (!answered)
    expect(await row(gateway, 'taken.aa', `&max_age=${day}`)).toMatchObject(unknown(outcome));
};

const tooOldStored: Check = async (gateway, outcome) => {
  expect(await row(gateway, 'taken.aa')).toMatchObject(
    outcome === 'registered' ? taken(lookedUp) : unknown(outcome),
  );
};

const stages = {
  'nothing stored': { age: 0, check: nothingStored },
  'a fresh answer stored': { age: minute, check: freshStored },
  'an old answer stored': { age: 2 * day, check: staleStored },
  'an answer stored that is older than seven days': { age: 8 * day, check: tooOldStored },
} satisfies Record<string, Stage>;

const runAllStages = (fault: Fault) => runStages(fault, Object.values(stages));

describe('the gateway returns correct answers in time, for any age of the stored answer, if the registry', () => {
  // Faults with a short deadline do not run concurrently with those that load the machine.
  describe('delays responses:', () =>
    it.concurrent.each(faults().filter(waitsForDeadline))('$what', runAllStages));
  describe('fails:', () =>
    it.concurrent.each(faults().filter((fault) => !waitsForDeadline(fault)))(
      '$what',
      runAllStages,
    ));
});

describe('the table of faults', () => {
  const healthy: Fault = {
    what: 'is healthy',
    outcome: 'registered',
    async open(stack) {
      const registry = stack.use(await startFakeRegistry());
      registry.fallback(({ name }) => registered(name));
      return registry.baseUrl;
    },
  };

  it('has more than forty rows', () => expect(faults().length).toBeGreaterThan(40));

  it.each([
    'nothing stored',
    'an old answer stored',
    'an answer stored that is older than seven days',
  ] as const)('detects, with %s, a registry that does not behave as its row', async (stage) => {
    await runStages(healthy, [stages[stage]]);
    await expect(runStages(healthy, [stages[stage]], 'registry_error')).rejects.toThrow(/expected/);
  });
});

/** Resolves every name to two addresses. */
const resolve: Resolve = (_hostname, _options, callback) =>
  callback(null, [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]);

describe('a registry whose IPv6 address does not respond', () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );

  it.skipIf(!hasIPv6)(
    'is queried over IPv4 before the deadline (skipped without ::1)',
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
      expect(registry.requestCount('free.aa')).toBe(1);
    },
  );
});

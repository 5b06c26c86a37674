import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { hang, reset } from '../support/bodies/hostile-replies.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { json, registered, status, type Reply } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';

let metered: MeteredGateway;
let registry: FakeRegistry;
let clock: ManualClock;
let attacker: Customer;
let other: Customer;
beforeEach(async () => {
  clock = manualClock();
  metered = await forThisTest(startMeteredGateway, { clock, env: { RDAP_CONCURRENCY: '8' } });
  registry = metered.registry;
  registry.fallback(({ name }) => registered(name));
  attacker = await metered.newCustomer({ credits: 10 });
  other = await metered.newCustomer();
});

let serial = 0;
const names = (label: string, tld: string, count: number) =>
  Array.from({ length: count }, () => `${label}${serial++}.${tld}`);

async function lookUp(caller: Customer, domains: readonly string[]): Promise<readonly string[]> {
  const { results } = await (await caller.post('/v1/status/bulk', { domains, max_age: 0 })).json();
  return results.map(({ status: verdict, reason }: Json) => reason ?? verdict);
}

async function lookUpEach(
  caller: Customer,
  domains: readonly string[],
): Promise<readonly string[]> {
  const found = [];
  for (const domain of domains) found.push(...(await lookUp(caller, [domain])));
  return found;
}

const countLimited = (answers: readonly string[]) =>
  answers.filter((reason) => reason === 'registry_busy').length;
const requestCount = () => registry.requests.length;
const all = (count: number, result: string) => Array.from({ length: count }, () => result);

const serverError = json(500, { errorCode: 500, title: 'Internal Server Error' });

describe('a caller whose lookups fail', () => {
  it.each<[string, Reply]>([
    ['the registry returns 500', serverError],
    ['the registry returns 502', status(502)],
    ['the registry returns 504', status(504)],
    ['the registry resets the connection', reset()],
  ])('does not make the host unavailable to others when %s', async (_case, reply) => {
    registry.on(/^fail/, reply);
    const answers = [];
    for (let round = 0; round < 20; round += 1) {
      await lookUp(attacker, names('fail', 'tld0', 12));
      clock.advance(1000);
      answers.push(...(await lookUpEach(other, names('other', 'tld1', 2))));
    }
    expect(answers).toEqual(all(40, 'registered'));
    expect(await attacker.balance()).toMatchObject({ remaining: 10 });
  });

  it('does not make the host unavailable to an account that uses it for the first time', async () => {
    registry.on(/^fail/, reset());
    await lookUp(attacker, names('fail', 'tld0', 12));
    expect(await lookUpEach(other, names('other', 'tld1', 2))).toEqual(all(2, 'registered'));
  });

  it('does not occupy every slot of a host that others use', async () => {
    const hanging = paused(reset());
    registry.on(/^hang/, hanging);
    await lookUp(other, names('other', 'tld1', 1));
    const pending = lookUp(attacker, names('hang', 'tld0', 12));
    await registry.when(({ inFlight }) => inFlight >= 6);
    expect(await lookUp(other, names('other', 'tld1', 20))).toEqual(all(20, 'registered'));
    expect(hanging.waiting).toBe(6);
    hanging.release();
    await pending;
  });

  it('does not slow others down while its lookups time out', async () => {
    await metered[Symbol.asyncDispose]();
    metered = await startMeteredGateway({
      clock,
      env: { RDAP_CONCURRENCY: '8', RDAP_TIMEOUT_MS: '250' },
    });
    metered.registry.fallback(({ name }) => registered(name));
    metered.registry.on(/^hang/, hang());
    attacker = await metered.newCustomer();
    other = await metered.newCustomer();
    await lookUp(other, names('other', 'tld1', 1));
    for (let round = 0; round < 3; round += 1) {
      clock.advance(1000);
      const pending = lookUp(attacker, names('hang', 'tld0', 8));
      await metered.registry.when(({ inFlight }) => inFlight > 0);
      expect(await lookUpEach(other, names('other', 'tld1', 10))).toEqual(all(10, 'registered'));
      expect(await pending).toEqual(all(8, 'registry_timeout'));
    }
  });
});

describe('a host that is down', () => {
  it('is detected after ten names of its only caller', async () => {
    registry.fallback(reset());
    expect(await lookUpEach(other, names('down', 'tld0', 10))).toEqual(all(10, 'registry_error'));
    const sent = requestCount();
    expect(await lookUpEach(other, names('down', 'tld0', 20))).toEqual(all(20, 'registry_error'));
    expect(requestCount()).toBe(sent);
  });

  it('is detected for all callers after ten names of several callers', async () => {
    const third = await metered.newCustomer();
    registry.fallback(status(502));
    await lookUpEach(attacker, names('down', 'tld0', 5));
    await lookUpEach(other, names('down', 'tld1', 5));
    const sent = requestCount();
    for (const caller of [attacker, other, third]) {
      expect(await lookUpEach(caller, names('down', 'tld2', 5))).toEqual(all(5, 'registry_error'));
    }
    expect(requestCount()).toBe(sent);
  });

  it('is not detected by repeated lookups of one name', async () => {
    registry.on('down.tld0', reset());
    for (let times = 0; times < 12; times += 1) {
      await lookUp(other, ['down.tld0']);
      clock.advance(5000);
    }
    expect(await lookUp(other, ['other.tld0'])).toEqual(['registered']);
  });

  it('receives one probe after five seconds, and is used again when the probe succeeds', async () => {
    registry.fallback(reset());
    await lookUpEach(other, names('down', 'tld0', 10));
    clock.advance(5000);
    const sent = requestCount();
    expect(await lookUp(other, names('down', 'tld0', 5))).toEqual(all(5, 'registry_error'));
    expect(requestCount()).toBe(sent + 1);
    registry.fallback(({ name }) => registered(name));
    clock.advance(5000);
    expect(await lookUp(other, names('up', 'tld0', 1))).toEqual(['registered']);
    expect(await lookUp(other, names('up', 'tld0', 20))).toEqual(all(20, 'registered'));
  });

  it('is not one that returns 500 with a body', async () => {
    registry.on(/^fail/, serverError);
    await lookUp(other, names('fail', 'tld0', 30));
    expect(await lookUp(other, names('other', 'tld0', 1))).toEqual(['registered']);
  });
});

describe('a name whose lookup failed', () => {
  it.each<[string, Reply]>([
    ['a 500 response', serverError],
    ['a connection reset', reset()],
  ])('is not sent again for five seconds after %s, even with max_age=0', async (_case, reply) => {
    registry.on('fail.tld0', reply);
    const path = '/v1/status?domain=fail.tld0&max_age=0';
    const [first] = (await (await attacker.fetch(path)).json()).results;
    expect(first).toMatchObject({
      status: 'unknown',
      reason: 'registry_error',
      rdap_endpoint: registry.baseUrl,
      cached: false,
    });
    const sent = registry.requestCount('fail.tld0');
    for (const caller of [attacker, other]) {
      const [row] = (await (await caller.fetch(path)).json()).results;
      expect({ ...row, latency_ms: first.latency_ms }).toEqual(first);
    }
    expect(registry.requestCount('fail.tld0')).toBe(sent);
    registry.on('fail.tld0', registered('fail.tld0'));
    clock.advance(5000);
    expect(await lookUp(other, ['fail.tld0'])).toEqual(['registered']);
  });

  it('is sent again as soon as Retry-After allows it if the registry was busy', async () => {
    const env = { RDAP_TIMEOUT_MS: '1000' };
    await using gateway = await startGateway({ clock, registries: { aa: registry.baseUrl }, env });
    const lookUpBusy = async () => (await gateway.get('/v1/status?domain=busy.aa')).results[0];
    registry.on('busy.aa', status(429, { 'retry-after': '2' }));
    expect(await lookUpBusy()).toMatchObject({ reason: 'registry_busy' });
    registry.on('busy.aa', registered('busy.aa'));
    clock.advance(2000);
    expect(await lookUpBusy()).toMatchObject({ status: 'registered' });
  });

  it('is sent each time in the sandbox', async () => {
    for (let times = 0; times < 2; times += 1) {
      const query =
        '{ domain(name: "down.test", maxAge: 0) { status evidence { attempts { code } } } }';
      const { data } = await (await other.graphql(query)).json();
      expect(data.domain).toMatchObject({
        status: 'UNKNOWN',
        evidence: { attempts: expect.arrayContaining([{ code: '500' }]) },
      });
    }
  });
});

describe('the limit on failed lookups', () => {
  it('is 120 per minute and account; further lookups get Retry-After and are not charged', async () => {
    const caller = await metered.newCustomer({ credits: 1000 });
    registry.on(/^fail/, serverError);
    const answers = await lookUp(caller, names('fail', 'tld0', 400));
    // Lookups in flight when the limit is reached are still sent.
    expect(countLimited(answers)).toBeGreaterThanOrEqual(400 - 120 - 8);
    expect(requestCount()).toBeLessThanOrEqual(120 + 8);
    expect(await caller.balance()).toMatchObject({ remaining: 1000 });
    const rejected = await caller.fetch('/v1/rdap?domain=other.tld0');
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect((await rejected.json()).code).toBe('registry_busy');
    expect(await lookUp(other, names('other', 'tld0', 3))).toEqual(all(3, 'registered'));
    clock.advance(60_000);
    expect(await lookUp(caller, names('other', 'tld0', 3))).toEqual(all(3, 'registered'));
  });

  it('applies to each host separately', async () => {
    await using second = await startFakeRegistry();
    second.fallback(({ name }) => registered(name));
    registry.on(/^fail/, serverError);
    await using gateway = await startGateway({
      clock,
      registries: { aa: registry.baseUrl, bb: second.baseUrl },
      env: { RDAP_RATE: '0' },
    });
    const lookUpKeyless = async (domains: readonly string[]) => {
      const { results } = await (await gateway.post('/v1/status/bulk', { domains })).json();
      return results.map(({ status: verdict, reason }: Json) => reason ?? verdict);
    };
    expect(countLimited(await lookUpKeyless(names('fail', 'aa', 300)))).toBeGreaterThan(0);
    expect(await lookUpKeyless(names('other', 'bb', 20))).toEqual(all(20, 'registered'));
  });

  it('does not affect a caller if at most half of its lookups fail', async () => {
    registry.on(/^fail/, serverError);
    for (let round = 0; round < 20; round += 1) {
      const domains = Array.from({ length: 20 }, () => [
        ...names('fail', 'tld0', 1),
        ...names('other', 'tld0', 1),
      ]).flat();
      expect(countLimited(await lookUp(other, domains))).toBe(0);
    }
  });
});

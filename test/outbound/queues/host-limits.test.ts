import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config.ts';
import { hostLimits, parseHostLimits } from '../../../src/outbound/queues/host-limits.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../../support/time/jumping-clock.ts';
import { registered, status } from '../../support/bodies/replies.ts';
import { delayed } from '../../support/bodies/scripts.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';

const second = 1000;

let registry: FakeRegistry;
let files: Scratch;
let clock: JumpingClock;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
  files = await forThisTest(scratch);
  clock = jumpingClock();
});

async function open(env: Record<string, string> = {}): Promise<Gateway> {
  return forThisTest(startGateway, { registries: { aa: registry.baseUrl }, env, clock });
}

async function withLimits(limits: string | object): Promise<Record<string, string>> {
  const path = join(files.path, 'limits.json');
  await writeFile(path, typeof limits === 'string' ? limits : JSON.stringify(limits));
  return { RDAP_LIMITS: path, QUEUE_TIMEOUT_MS: '200' };
}

const host = () => new URL(registry.baseUrl).host;
const reasons = async (gateway: Gateway, ...names: string[]) => {
  const { results } = await gateway.get(
    `/v1/status?domain=${names.map((name) => `${name}.aa`).join(',')}`,
  );
  return results.map(
    ({ status: verdict, reason }: { status: string; reason?: string }) => reason ?? verdict,
  );
};
const at = (seconds: number) => new Date(clock.now() + seconds * second).toUTCString();

describe('the limits of a host', () => {
  const defaults = { rate: 10, concurrency: 8 };

  it('are the published ones, or else the defaults', () => {
    const limitsOf = hostLimits({}, defaults, 1);
    expect(limitsOf(new URL('https://rdap.centralnic.com'))).toMatchObject({
      rate: 2,
      burst: 60,
      concurrency: 8,
    });
    expect(limitsOf(new URL('https://rdap.nominet.uk'))).toMatchObject({
      rate: 5,
      burst: 25,
      concurrency: 8,
    });
    expect(limitsOf(new URL('whois://whois.nic.it:43/'))).toMatchObject({
      rate: 0.5,
      burst: 1,
      concurrency: 1,
    });
    // At most 10 in any minute: the burst and what is added in 60 seconds.
    expect(limitsOf(new URL('https://rdap.lacnic.net/rdap/'))).toMatchObject({
      rate: 0.1,
      burst: 4,
    });
    expect(limitsOf(new URL('https://rdap.db.ripe.net'))).toMatchObject({ perDay: 500 });
    expect(limitsOf(new URL('https://rdap.example'))).toMatchObject({
      rate: 10,
      burst: 50,
      concurrency: 8,
    });
  });

  it.each([
    'https://rdap.example',
    'rdap.example/',
    'rdap.example:443',
    'rdap.example:x',
    'someone@rdap.example',
    'bücher.example',
    'rdap example',
    '',
  ])('cannot be set for "%s", which is not a host as in a URL', (key) => {
    expect(() => parseHostLimits({ 'rdap.example': { rate: 1 }, [key]: { rate: 1 } })).toThrow(
      `"${key}" is not a host`,
    );
  });

  it.each(['RDAP.example', 'rdap.example:8443', '192.0.2.7', '[2001:db8::7]:8443'])(
    'can be set for %s, ignoring case',
    (key) => {
      expect(Object.keys(parseHostLimits({ [key]: { rate: 1 } }))).toEqual([key.toLowerCase()]);
    },
  );

  it('are those of RDAP_LIMITS if the file contains the host', () => {
    const limitsOf = hostLimits(
      { 'rdap.nominet.uk': { rate: 1, burst: 2, perDay: 3 } },
      defaults,
      1,
    );
    expect(limitsOf(new URL('https://rdap.nominet.uk'))).toMatchObject({
      rate: 1,
      burst: 2,
      perDay: 3,
      concurrency: 8,
    });
    expect(limitsOf(new URL('https://rdap.centralnic.com'))).toMatchObject({ rate: 2, burst: 60 });
  });

  it('are divided by the number of nodes behind one address', () => {
    const limitsOf = hostLimits(
      { 'rdap.own.test': { rate: 1, burst: 25, perDay: 1000 } },
      defaults,
      4,
    );
    expect(limitsOf(new URL('https://rdap.example'))).toMatchObject({
      rate: 2.5,
      burst: 12,
      concurrency: 2,
    });
    expect(limitsOf(new URL('https://rdap.centralnic.com'))).toMatchObject({
      rate: 0.5,
      burst: 15,
      concurrency: 2,
    });
    expect(limitsOf(new URL('https://rdap.own.test'))).toMatchObject({
      rate: 0.25,
      burst: 6,
      perDay: 250,
      concurrency: 2,
    });
  });

  it('allow each node at least one request', () => {
    const limitsOf = hostLimits(
      { 'rdap.own.test': { rate: 1, burst: 1, perDay: 5 } },
      defaults,
      1024,
    );
    expect(limitsOf(new URL('https://rdap.own.test'))).toMatchObject({
      rate: 1 / 1024,
      burst: 1,
      perDay: 1,
      concurrency: 1,
    });
  });

  it('include no rate limit at rate 0, for any number of nodes', () => {
    expect(
      hostLimits({}, { rate: 0, concurrency: 8 }, 4)(new URL('https://rdap.example')),
    ).toMatchObject({ rate: 0 });
  });
});

it.each([
  [10, { rate: 20, burst: 50 }],
  [40, { rate: 40, burst: 200 }],
  [0, { rate: 0 }],
])('the DNS keeps up with registries that have %i requests per second', (rate, expected) => {
  const limitsOf = (configured = {}) =>
    hostLimits(configured, { rate, concurrency: 8 }, 1)(new URL('dns://aa/'));
  expect(limitsOf()).toMatchObject({ ...expected, concurrency: 10 });
  expect(limitsOf({ dns: { rate: 5, burst: 7 } })).toMatchObject({ rate: 5, burst: 7 });
});

describe('a gateway', () => {
  it('applies RDAP_LIMITS, and immediately rejects lookups that it cannot send in time', async () => {
    const gateway = await open(await withLimits({ [host()]: { rate: 1, burst: 2 } }));
    expect(await reasons(gateway, 'a', 'b', 'c')).toEqual([
      'registered',
      'registered',
      'registry_busy',
    ]);
    expect(registry.requests.length).toBe(2);
    clock.advance(second);
    expect(await reasons(gateway, 'd', 'e')).toEqual(['registered', 'registry_busy']);
  });

  it('uses only its share of RDAP_CONCURRENCY in a cluster', async () => {
    registry.fallback(delayed(5, ({ name }) => registered(name)));
    const gateway = await open({ RDAP_CONCURRENCY: '6', RDAP_RATE: '0', CLUSTER_SIZE: '3' });
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    expect(await reasons(gateway, ...names)).toEqual(names.map(() => 'registered'));
    expect(registry.peakInFlight).toBe(2);
  });

  it('uses only its share of RDAP_LIMITS in a cluster', async () => {
    const gateway = await open({
      ...(await withLimits({ [host()]: { rate: 0.01, burst: 6 } })),
      CLUSTER_SIZE: '3',
    });
    expect((await reasons(gateway, 'a', 'b', 'c')).toSorted()).toEqual([
      'registered',
      'registered',
      'registry_busy',
    ]);
    expect(registry.requests.length).toBe(2);
  });

  it('sends at most perDay requests in any 24 hours', async () => {
    const hour = 3600 * second;
    // A single account may use half of them.
    const gateway = await open(await withLimits({ [host()]: { rate: 0, perDay: 6 } }));
    expect(await reasons(gateway, 'a', 'b')).toEqual(['registered', 'registered']);
    clock.advance(12 * hour);
    expect(await reasons(gateway, 'c', 'd')).toEqual(['registered', 'registry_busy']);
    const rejected = await gateway.fetch('/v1/rdap?domain=d.aa');
    expect(rejected.status).toBe(503);
    expect(Number(rejected.headers.get('retry-after')) / 3600).toEqual(expect.closeTo(12, 1));
    clock.advance(12 * hour);
    expect(await reasons(gateway, 'd', 'e', 'f')).toEqual([
      'registered',
      'registered',
      'registry_busy',
    ]);
    expect(registry.requests.length).toBe(5);
  });

  it.each([
    ['is not JSON', '{'],
    ['is an array', '[]'],
    ['has no rate', '{"rdap.test":{"burst":5}}'],
    ['has an array as the limits of "constructor"', '{"constructor":[],"rdap.test":{"rate":1}}'],
    ['has a negative rate', '{"rdap.test":{"rate":-1}}'],
    ['has an unknown member', '{"rdap.test":{"rate":1,"perHour":5}}'],
    ['allows no request per day', '{"rdap.test":{"rate":1,"perDay":0}}'],
    ['has a URL instead of a host', '{"https://rdap.test/":{"rate":1}}'],
  ])('does not start if the file of RDAP_LIMITS %s', async (_case, text) => {
    const starting = open(await withLimits(text));
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow(/^RDAP_LIMITS must/);
  });

  it('does not start if the file of RDAP_LIMITS does not exist', async () => {
    await expect(open({ RDAP_LIMITS: join(files.path, 'none.json') })).rejects.toThrow(
      /^RDAP_LIMITS must/,
    );
  });
});

it.each<[string, number, () => string, number]>([
  ['seconds in a 429', 429, () => '60', 60],
  ['a date in a 429', 429, () => at(60), 60],
  ['seconds in a 503', 503, () => '60', 60],
  ['a huge number', 429, () => '99999999999', 3600],
  ['a distant date', 503, () => 'Fri, 31 Dec 2199 23:59:59 GMT', 3600],
])(
  'a host that returns Retry-After as %s is not queried until then, even after a restart',
  async (_case, code, retryAfter, seconds) => {
    const bootstrap = await forThisTest(writeBootstrap, bootstrapOf({ aa: registry.baseUrl }));
    const env = { STORE_URL: files.storeUrl, RDAP_BOOTSTRAP_URL: bootstrap.url };
    registry.on('a.aa', status(code, { 'retry-after': retryAfter() }));
    {
      await using gateway = await startGateway({ env, clock });
      expect(await reasons(gateway, 'a', 'b')).toContain('registry_busy');
      expect(await reasons(gateway, 'c')).toEqual(['registry_busy']);
    }
    await using gateway = await startGateway({ env, clock });
    const requests = registry.requests.length;
    const rejected = await gateway.fetch('/v1/rdap?domain=d.aa');
    expect([rejected.status, (await rejected.json()).code]).toEqual([503, 'registry_busy']);
    const wait = Number(rejected.headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(seconds);
    expect(wait).toBeGreaterThan(seconds - 10);
    expect(registry.requests.length).toBe(requests);
    clock.advance(seconds * second);
    expect(await reasons(gateway, 'd')).toEqual(['registered']);
  },
);

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  bootstrapOf,
  startBootstrap,
  type BootstrapDocument,
  type FakeBootstrap,
} from '../../support/servers/fake-bootstrap.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { hang } from '../../support/bodies/hostile-replies.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { registered, status, type FakeRequest, type Script } from '../../support/bodies/replies.ts';
import { scratch } from '../../support/stores/scratch.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

let clock: ManualClock;
let registry: FakeRegistry;
let bootstrap: FakeBootstrap;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
  bootstrap = await forThisTest(startBootstrap, documentOf(['com', 'old']), { clock });
  lines = [];
});

const documentOf = (entries: readonly string[]): BootstrapDocument =>
  bootstrapOf(Object.fromEntries(entries.map((entry) => [entry, registry.baseUrl])));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `entry${index}`);

/** Starts a gateway that loads its bootstrap document from the server and logs to `lines`. */
async function open(storeUrl = 'memory:', url = bootstrap.documentUrl): Promise<Gateway> {
  const sink = new Writable({
    write: (chunk, _encoding, done) => (lines.push(JSON.parse(String(chunk))), done()),
  });
  const log = pino({ base: null }, sink);
  return forThisTest(startGateway, {
    clock,
    log,
    env: { RDAP_BOOTSTRAP_URL: url, STORE_URL: storeUrl },
  });
}

/** Starts a gateway and passes the two seconds that it waits for a bootstrap document. */
async function openWithoutWaiting(storeUrl: string): Promise<Gateway> {
  const before = bootstrap.requests.length;
  const opening = open(storeUrl);
  await bootstrap.when(({ requests }) => requests.length > before);
  clock.advance(2000);
  return opening;
}

const statusOf = async (gateway: Gateway, domain: string) =>
  (await gateway.get(`/v1/status?domain=${domain}`)).results[0].status;
const logged = (text: string) => lines.filter(({ msg }) => String(msg).includes(text));

/** Advances the clock to the next reload, and waits until its response is processed. */
async function reloaded(ms: number): Promise<FakeRequest | undefined> {
  const before = bootstrap.requests.length;
  const pending = clock.pending;
  clock.advance(ms);
  await bootstrap.when(({ requests }) => requests.length > before);
  // The next reload is set once this one is done.
  await clock.whenPending(pending);
  return bootstrap.requests.at(-1);
}

/** Waits long enough for an unexpected request to arrive: five round trips take longer. */
async function allowRequests(gateway: Gateway): Promise<void> {
  for (let trip = 0; trip < 5; trip += 1) await gateway.fetch('/health');
}

/** Serves the document with these headers. */
function serving(
  headers: Record<string, string>,
  entries: readonly string[] = ['com', 'old'],
): Script {
  return ({ headers: sent }) => {
    const isUnchanged = headers['etag'] !== undefined && sent['if-none-match'] === headers['etag'];
    return isUnchanged
      ? status(304, headers)
      : status(
          200,
          { 'content-type': 'application/json', ...headers },
          JSON.stringify(documentOf(entries)),
        );
  };
}

describe('the bootstrap document', () => {
  it.each<[string, number | undefined, number]>([
    ['when it expires', 5 * hour, 5 * hour],
    ['at most once an hour', 60_000, hour],
    ['at least once a day', 30 * day, day],
    ['once a day without Expires', undefined, day],
  ])('is reloaded %s', async (_when, freshForMs, after) => {
    bootstrap.answer(
      serving(
        freshForMs === undefined
          ? {}
          : { expires: new Date(clock.now() + freshForMs).toUTCString() },
      ),
    );
    const gateway = await open();
    clock.advance(after - 1);
    await allowRequests(gateway);
    expect(bootstrap.requests.length).toBe(1);
    await reloaded(1);
    expect(bootstrap.requests.length).toBe(2);
  });

  it('is reloaded with its ETag and date, and a 304 updates its Expires', async () => {
    const caching = (freshForMs: number) => ({
      etag: '"a"',
      'last-modified': 'Tue, 14 Jul 2026 22:00:03 GMT',
      expires: new Date(clock.now() + freshForMs).toUTCString(),
    });
    bootstrap.answer(serving(caching(2 * hour)));
    const gateway = await open();
    expect(bootstrap.requests[0]?.headers).not.toHaveProperty('if-none-match');
    bootstrap.answer(serving(caching(10 * hour)));
    const second = await reloaded(2 * hour);
    expect(second?.headers).toMatchObject({
      'if-none-match': '"a"',
      'if-modified-since': 'Tue, 14 Jul 2026 22:00:03 GMT',
    });
    expect(await statusOf(gateway, 'taken.old')).toBe('registered');
    clock.advance(8 * hour - 1);
    await allowRequests(gateway);
    expect(bootstrap.requests.length).toBe(2);
    expect((await reloaded(1))?.headers).toMatchObject({ 'if-none-match': '"a"' });
  });

  it('is reloaded an hour after a failure', async () => {
    bootstrap.answer(status(503));
    const gateway = await open();
    expect(await statusOf(gateway, 'taken.old')).toBe('unsupported_tld');
    bootstrap.publish(documentOf(['com', 'old']));
    await reloaded(hour);
    expect(await statusOf(gateway, 'taken.old')).toBe('registered');
  });
});

describe('the last good bootstrap document', () => {
  it.each<[string, Script]>([
    ['fails', status(503)],
    ['hangs', hang()],
    [
      'sends half of the document',
      status(200, { 'content-type': 'application/json' }, '{"version":"1.0","services":[[["com"'),
    ],
  ])('is used after a restart while its server %s', async (_what, failure) => {
    await using files = await scratch();
    {
      await using gateway = await open(files.storeUrl);
      expect(await statusOf(gateway, 'taken.old')).toBe('registered');
    }
    bootstrap.answer(failure);
    const again = await openWithoutWaiting(files.storeUrl);
    expect(await statusOf(again, 'taken.old')).toBe('registered');
    expect(await statusOf(again, 'taken.new')).toBe('unsupported_tld');
  });

  it('is revalidated after a restart', async () => {
    await using files = await scratch();
    await (await open(files.storeUrl))[Symbol.asyncDispose]();
    const gateway = await open(files.storeUrl);
    expect(bootstrap.requests[1]?.headers).toHaveProperty('if-none-match');
    expect(await statusOf(gateway, 'taken.old')).toBe('registered');
  });
});

describe('a new bootstrap document', () => {
  it.each<[string, Script]>([
    ['is an error', status(500)],
    ['is missing', status(404)],
    ['is not JSON', status(200, { 'content-type': 'text/html' }, '<html>')],
    [
      'is JSON of another type',
      status(200, { 'content-type': 'application/json' }, '{"services":{}}'),
    ],
    [
      'names no server',
      status(200, { 'content-type': 'application/json' }, '{"version":"1.0","services":[]}'),
    ],
    ['lacks com', serving({}, ['old', ...numbered(20), 'new'])],
    ['lost a tenth of the entries', serving({}, ['com', 'old', ...numbered(16), 'new'])],
  ])(
    'that %s is rejected, which is logged, and the last good copy stays in use',
    async (_what, script) => {
      bootstrap.publish(documentOf(['com', 'old', ...numbered(18)]));
      const gateway = await open();
      bootstrap.answer(script);
      await reloaded(day);
      expect(logged('Using the last good copy')).toMatchObject([
        { level: 40, reason: expect.any(String), serving: 20 },
      ]);
      expect(await statusOf(gateway, 'taken.entry17')).toBe('registered');
      expect(await statusOf(gateway, 'taken.new')).toBe('unsupported_tld');
      bootstrap.publish(documentOf(['com', 'old', ...numbered(18), 'new']));
      await reloaded(hour);
      expect(await statusOf(gateway, 'taken.new')).toBe('registered');
    },
  );

  it('replaces the old one even if it lost a few entries, and its changes are logged', async () => {
    await using moved = await startFakeRegistry();
    bootstrap.publish(documentOf(['com', 'old', ...numbered(18)]));
    const gateway = await open();
    expect(logged('Loaded the bootstrap document.')).toMatchObject([{ level: 30, entries: 20 }]);
    const fresh = documentOf(['com', ...numbered(18), 'new']);
    bootstrap.publish({
      ...fresh,
      services: [...fresh.services.slice(1), [['com'], [moved.baseUrl]]],
    });
    await reloaded(day);
    expect(logged('Loaded the bootstrap document.')[1]).toMatchObject({
      entries: 20,
      added: { count: 1, first: ['new'] },
      removed: { count: 1, first: ['old'] },
      moved: { count: 1, first: ['com'] },
    });
    expect(await statusOf(gateway, 'taken.old')).toBe('unsupported_tld');
    expect(await statusOf(gateway, 'free.com')).toBe('available');
    expect(moved.requestCount('free.com')).toBe(1);
  });

  it('in a file is accepted even if it lost many entries', async () => {
    await using files = await scratch();
    const path = join(files.path, 'dns.json');
    const serve = async (entries: readonly string[]) => {
      await writeFile(path, JSON.stringify(documentOf(entries)));
      return open(files.storeUrl, pathToFileURL(path).href);
    };
    await (await serve(['com', 'old', ...numbered(18)]))[Symbol.asyncDispose]();
    const gateway = await serve(['new']);
    expect(await statusOf(gateway, 'taken.new')).toBe('registered');
    expect(await statusOf(gateway, 'taken.com')).toBe('unsupported_tld');
    expect(logged('Failed to load')).toEqual([]);
  });

  it('that has never been loaded is replaced by the built-in content, which is logged', async () => {
    bootstrap.answer(status(500));
    await open();
    expect(logged('Failed to load the bootstrap document. Using the built-in one')).toHaveLength(1);
    expect(logged('last good copy')).toEqual([]);
  });

  it('that is unchanged is not logged', async () => {
    await open();
    await reloaded(day);
    expect(lines.filter(({ msg }) => /bootstrap/i.test(String(msg)))).toHaveLength(1);
  });
});

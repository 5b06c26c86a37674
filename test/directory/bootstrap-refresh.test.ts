import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bootstrapOf,
  startBootstrap,
  type BootstrapDocument,
  type FakeBootstrap,
} from '../support/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { hang } from '../support/hostile-replies.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { registered, status, type FakeRequest, type Script } from '../support/replies.ts';
import { scratch } from '../support/scratch.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

let cleanup: AsyncDisposableStack;
let clock: ManualClock;
let registry: FakeRegistry;
let bootstrap: FakeBootstrap;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  cleanup = new AsyncDisposableStack();
  clock = manualClock();
  registry = cleanup.use(await startFakeRegistry());
  registry.fallback(({ name }) => registered(name));
  bootstrap = cleanup.use(await startBootstrap(listOf(['com', 'old']), { clock }));
  lines = [];
});
afterEach(() => cleanup.disposeAsync());

const listOf = (entries: readonly string[]): BootstrapDocument =>
  bootstrapOf(Object.fromEntries(entries.map((entry) => [entry, registry.baseUrl])));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `entry${index}`);

/** A gateway that loads its list from the server, and whose log is kept in `lines`. */
async function open(storeUrl = 'memory:', url = bootstrap.documentUrl): Promise<Gateway> {
  const sink = new Writable({
    write: (chunk, _encoding, done) => (lines.push(JSON.parse(String(chunk))), done()),
  });
  const log = pino({ base: null }, sink);
  return cleanup.use(
    await startGateway({ clock, log, env: { RDAP_BOOTSTRAP_URL: url, STORE_URL: storeUrl } }),
  );
}

/** Two seconds are the most that anybody waits for a list. */
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

/** Goes on to the next request for the list, and to the time when its answer has been heard. */
async function reloaded(ms: number): Promise<FakeRequest | undefined> {
  const before = bootstrap.requests.length;
  const pending = clock.pending;
  clock.advance(ms);
  await bootstrap.when(({ requests }) => requests.length > before);
  // The next reload is set once this one is done.
  await clock.whenPending(pending);
  return bootstrap.requests.at(-1);
}

/** Lets a request that should not have been sent arrive: round trips of our own take longer. */
async function overheard(gateway: Gateway): Promise<void> {
  for (let trip = 0; trip < 5; trip += 1) await gateway.fetch('/health');
}

/** Serves the list with headers of the test's choice. */
function serving(
  headers: Record<string, string>,
  entries: readonly string[] = ['com', 'old'],
): Script {
  return ({ headers: asked }) => {
    const same = headers['etag'] !== undefined && asked['if-none-match'] === headers['etag'];
    return same
      ? status(304, headers)
      : status(
          200,
          { 'content-type': 'application/json', ...headers },
          JSON.stringify(listOf(entries)),
        );
  };
}

describe('the list of registries is asked for again', () => {
  it.each<[string, number | undefined, number]>([
    ['when its Expires says so', 5 * hour, 5 * hour],
    ['not more than once an hour', 60_000, hour],
    ['at least once a day', 30 * day, day],
    ['once a day where nothing is said', undefined, day],
  ])('%s', async (_when, freshForMs, after) => {
    bootstrap.answer(
      serving(
        freshForMs === undefined
          ? {}
          : { expires: new Date(clock.now() + freshForMs).toUTCString() },
      ),
    );
    const gateway = await open();
    clock.advance(after - 1);
    await overheard(gateway);
    expect(bootstrap.requests.length).toBe(1);
    await reloaded(1);
    expect(bootstrap.requests.length).toBe(2);
  });

  it('by its ETag and its date, and 304 keeps it and its new Expires', async () => {
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
    await overheard(gateway);
    expect(bootstrap.requests.length).toBe(2);
    expect((await reloaded(1))?.headers).toMatchObject({ 'if-none-match': '"a"' });
  });

  it('an hour after it could not be had', async () => {
    bootstrap.answer(status(503));
    const gateway = await open();
    expect(await statusOf(gateway, 'taken.old')).toBe('unsupported_tld');
    bootstrap.publish(listOf(['com', 'old']));
    await reloaded(hour);
    expect(await statusOf(gateway, 'taken.old')).toBe('registered');
  });
});

describe('the last good list', () => {
  it.each<[string, Script]>([
    ['is down', status(503)],
    ['hangs', hang()],
    [
      'sends half of it',
      status(200, { 'content-type': 'application/json' }, '{"version":"1.0","services":[[["com"'),
    ],
  ])('serves after a restart while its server %s', async (_what, failure) => {
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

  it('is not sent again after a restart when it is still the newest', async () => {
    await using files = await scratch();
    await (await open(files.storeUrl))[Symbol.asyncDispose]();
    const gateway = await open(files.storeUrl);
    expect(bootstrap.requests[1]?.headers).toHaveProperty('if-none-match');
    expect(await statusOf(gateway, 'taken.old')).toBe('registered');
  });
});

describe('a new list', () => {
  it.each<[string, Script]>([
    ['is no JSON', status(200, { 'content-type': 'text/html' }, '<html>')],
    [
      'is JSON of another kind',
      status(200, { 'content-type': 'application/json' }, '{"services":{}}'),
    ],
    [
      'names no server',
      status(200, { 'content-type': 'application/json' }, '{"version":"1.0","services":[]}'),
    ],
    ['has no com', serving({}, ['old', ...numbered(20), 'new'])],
    ['has lost a tenth of its entries', serving({}, ['com', 'old', ...numbered(16), 'new'])],
  ])(
    'that %s is rejected, which is logged, and the last good copy stays in use',
    async (_what, script) => {
      bootstrap.publish(listOf(['com', 'old', ...numbered(18)]));
      const gateway = await open();
      bootstrap.answer(script);
      await reloaded(day);
      expect(logged('Using the last good copy')).toMatchObject([
        { level: 40, err: { message: expect.any(String) }, serving: 20 },
      ]);
      expect(await statusOf(gateway, 'taken.entry17')).toBe('registered');
      expect(await statusOf(gateway, 'taken.new')).toBe('unsupported_tld');
      bootstrap.publish(listOf(['com', 'old', ...numbered(18), 'new']));
      await reloaded(hour);
      expect(await statusOf(gateway, 'taken.new')).toBe('registered');
    },
  );

  it('takes the place of the old one, also when it has lost a few entries, and what changed is logged', async () => {
    await using moved = await startFakeRegistry();
    bootstrap.publish(listOf(['com', 'old', ...numbered(18)]));
    const gateway = await open();
    expect(logged('Bootstrap document loaded.')).toMatchObject([{ level: 30, entries: 20 }]);
    const fresh = listOf(['com', ...numbered(18), 'new']);
    bootstrap.publish({
      ...fresh,
      services: [...fresh.services.slice(1), [['com'], [moved.baseUrl]]],
    });
    await reloaded(day);
    expect(logged('Bootstrap document loaded.')[1]).toMatchObject({
      entries: 20,
      added: { count: 1, first: ['new'] },
      removed: { count: 1, first: ['old'] },
      moved: { count: 1, first: ['com'] },
    });
    expect(await statusOf(gateway, 'taken.old')).toBe('unsupported_tld');
    expect(await statusOf(gateway, 'free.com')).toBe('available');
    expect(moved.asked('free.com')).toBe(1);
  });

  it('in a file is what the operator wrote: it is taken as it is, whatever it has lost', async () => {
    await using files = await scratch();
    const path = join(files.path, 'dns.json');
    const serve = async (entries: readonly string[]) => {
      await writeFile(path, JSON.stringify(listOf(entries)));
      return open(files.storeUrl, pathToFileURL(path).href);
    };
    await (await serve(['com', 'old', ...numbered(18)]))[Symbol.asyncDispose]();
    const gateway = await serve(['new']);
    expect([await statusOf(gateway, 'taken.new'), await statusOf(gateway, 'taken.com')]).toEqual([
      'registered',
      'unsupported_tld',
    ]);
    expect(logged('Failed to load')).toEqual([]);
  });

  it('that is the same says nothing', async () => {
    await open();
    await reloaded(day);
    expect(lines.filter(({ msg }) => /bootstrap/i.test(String(msg)))).toHaveLength(1);
  });
});

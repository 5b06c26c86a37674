import dns from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import tls from 'node:tls';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { memorySql } from '../../../src/storage/sqlite/sql-file.ts';
import type { Difference } from '../../../src/watches/observation.ts';
import { sharedAccount, type Change, type Webhook } from '../../../src/watches/types.ts';
import { Watches } from '../../../src/watches/watches.ts';
import { WebhookSender } from '../../../src/watches/webhooks/webhook-sender.ts';
import { CertificateAuthority } from '../../support/servers/certificate-authority.ts';
import { loopbackSpellings, otherSpellings } from '../../support/bodies/forbidden-urls.ts';
import { startHttpProxy } from '../../support/servers/http-proxy.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import {
  startWebhookReceiver,
  type ReceivedWebhook,
  type WebhookReceiver,
} from '../../support/stores/webhook-receiver.ts';
import { withoutWebhooks } from '../stores.ts';

const clock = manualClock(Date.UTC(2026, 11, 1));
const [second, minute, hour] = [1000, 60_000, 3_600_000];
const watcher = sharedAccount;
let parts: AsyncDisposableStack;
let receiver: WebhookReceiver;
let watches: Watches;
let database: ReturnType<typeof memorySql>;

const senderWith = (allow: readonly string[], proxy?: string) =>
  parts.adopt(
    new WebhookSender({
      allow,
      proxy: proxy === undefined ? undefined : { url: new URL(proxy), isDirect: () => false },
      userAgent: 'gateway/1',
      clock,
    }),
    (sockets) => sockets.destroy(),
  );
const node = (sender = senderWith(['localhost'])) =>
  new Watches({
    ...withoutWebhooks,
    database,
    ledger: undefined as never,
    directory: { resolve: () => ({}) } as never,
    clock,
    onDue: () => undefined,
    sender,
  });

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());
beforeEach(async () => {
  parts = new AsyncDisposableStack();
  database = parts.adopt(memorySql(), (open) => open.close());
  receiver = parts.use(await startWebhookReceiver());
  watches = node();
  await watches.changeLog.open();
  watches.deliverer.start();
  await watches.watch(watcher, ['a.example', 'b.example']);
});
afterEach(async () => {
  await watches.stop();
  await parts.disposeAsync();
});

const urlOf = ({ port }: WebhookReceiver, host = '127.0.0.1') => `http://${host}:${port}/hook`;
const create = (to = receiver, types?: Change['type'][]) =>
  watches.webhooks.create(watcher, urlOf(to), types);
const stateOf = async ({ id }: Pick<Webhook, 'id'>) => {
  const found = (await watches.webhooks.list(watcher)).find((each) => each.id === id);
  if (!found) throw new Error('no webhook');
  return found;
};

/** Appends a change and returns its id. */
async function change(name = 'a.example', of: Partial<Difference> = {}): Promise<string> {
  const [seenAt, notBefore] = [clock.now(), clock.now() - hour];
  const difference = { seenAt, notBefore, before: {}, after: {}, evidence: null, ...of };
  await database.transaction((query) =>
    watches.changeLog.append(query, name, [{ type: 'AVAILABLE', ...difference }]),
  );
  watches.changeLog.announce();
  return watches.head();
}

async function pass(ms: number): Promise<void> {
  await watches.deliverer.idle();
  clock.advance(ms);
  await watches.deliverer.idle();
}

function verify({ text, headers }: ReceivedWebhook, secret: string): unknown {
  vi.setSystemTime(clock.now());
  return new Verifier(secret).verify(text, headers as Record<string, string>);
}

const idsOf = ({ received }: WebhookReceiver) => received.map(({ body }) => body.data.change_id);

it('sends a signed change that names the domain', async () => {
  const { secret } = await create();
  const after = {
    verdict: 'AVAILABLE',
    phase: null,
    updatedAt: '2026-11-30T23:30:00.000Z',
  } as const;
  const id = await change('a.example', { before: { verdict: 'REGISTERED' }, after });
  await watches.deliverer.idle();
  const [received] = receiver.received;
  if (!received) throw new Error('nothing was received');
  expect(verify(received, secret)).toEqual({
    type: 'domain.available',
    timestamp: '2026-12-01T00:00:00.000Z',
    data: {
      domain: 'a.example',
      change_id: id,
      not_before: '2026-11-30T23:00:00.000Z',
      before: { verdict: 'registered' },
      after: { verdict: 'available', phase: null, updated_at: '2026-11-30T23:30:00.000Z' },
    },
  });
  expect(received.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'gateway/1',
  });
  expect(() => verify({ ...received, text: `${received.text} ` }, secret)).toThrow();
  const forged = { ...received.headers, 'webhook-id': 'msg_other' };
  expect(() => verify({ ...received, headers: forged }, secret)).toThrow();
  // Receivers refuse a delivery that is sent again after five minutes.
  clock.advance(6 * minute);
  vi.setSystemTime(clock.now());
  expect(() => verify(received, secret)).toThrow('too old');
});

it('leaves out what differs if the body would have 2 KB', async () => {
  await create();
  const nameservers = Array.from(
    { length: 40 },
    (_, index) => `ns${index}.${'x'.repeat(50)}.example`,
  );
  const id = await change('a.example', { type: 'NAMESERVERS', after: { nameservers } });
  await watches.deliverer.idle();
  expect(receiver.received[0]?.body.data).toMatchObject({
    change_id: id,
    before: null,
    after: null,
  });
});

it('signs with both secrets for a day after a rotation', async () => {
  const { id, secret: old } = await create();
  const { secret } = await watches.webhooks.update(watcher, id, { rotateSecret: true });
  for (const [passed, secrets] of [
    [0, [old, secret]],
    [24 * hour - 1, [old, secret]],
    [1, [secret]],
  ] as const) {
    await pass(passed);
    await change();
    await watches.deliverer.idle();
    const received = receiver.received.at(-1);
    if (!received) throw new Error('nothing was received');
    for (const each of secrets) expect(verify(received, each)).toBeTruthy();
    if (secrets.length === 1) expect(() => verify(received, old)).toThrow('No matching signature');
  }
  expect(receiver.received).toHaveLength(3);
});

it('repeats a failed delivery for 72 hours, then disables the webhook', async () => {
  const other = parts.use(await startWebhookReceiver());
  const { id, secret } = await create();
  await create(other);
  receiver.reply = () => [500];
  const failing = await change();
  const next = await change('b.example');
  const delays = [5 * second, 5 * minute, 30 * minute].concat(
    [2, 5, 10, 14, 20, 20].map((hours) => hours * hour),
  );
  const failingSince = clock.now();
  for (const [index, delay] of delays.entries()) {
    await pass(delay - 1);
    expect(receiver.received).toHaveLength(index + 1);
    expect(await stateOf({ id })).toMatchObject({ failingSince, lastProblem: 'HTTP 500.' });
    await pass(1);
  }
  expect(receiver.received).toHaveLength(10);
  for (const received of receiver.received.slice(-1)) verify(received, secret);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(idsOf(other)).toEqual([failing, next]);
  const disabled = await stateOf({ id });
  expect(disabled).toMatchObject({ isDisabled: true, failingSince });
  expect(disabled.lastProblem).toBe('HTTP 500. The webhook is disabled: 10 attempts have failed.');
  await pass(100 * hour);
  expect(receiver.received).toHaveLength(10);

  receiver.reply = () => [200];
  await watches.webhooks.update(watcher, id, { after: failing });
  await watches.deliverer.idle();
  expect(idsOf(receiver).slice(10)).toEqual([next]);
  expect(await stateOf({ id })).toMatchObject({
    isDisabled: false,
    failingSince: null,
    lastProblem: null,
    cursor: next,
  });
});

it.each([
  [410, {}, 'HTTP 410. The webhook is disabled: it is gone.', true],
  [302, { location: '/x' }, 'HTTP 302: redirects (to "/x") are not followed.', false],
  [308, { location: 'http://10.0.0.1/' }, 'redirects (to "http://10.0.0.1/")', false],
  [304, {}, 'HTTP 304: redirects are not followed.', false],
  [404, {}, 'HTTP 404.', false],
  [0, {}, 'closed the connection', false],
])('says why a delivery failed: %s %j', async (status, headers, problem, isDisabled) => {
  const hook = await create();
  receiver.reply = () => [status, headers];
  await change();
  await watches.deliverer.idle();
  const state = await stateOf(hook);
  expect([state.isDisabled, receiver.received.length]).toEqual([isDisabled, 1]);
  expect(state.lastProblem).toContain(problem);
});

it('repeats a failed delivery although the clock was set back by a year', async () => {
  await create();
  receiver.reply = () => [500];
  const id = await change();
  await watches.stop();
  receiver.reply = () => [200];
  clock.advance(-365 * 24 * hour);
  watches = node();
  watches.deliverer.start();
  await watches.deliverer.idle();
  expect(idsOf(receiver)).toEqual([id, id]);
});

it('waits for 15 seconds, and sends nothing else to the host meanwhile', async () => {
  const [first, same] = [await create(), await create()];
  receiver.reply = () => new Promise(() => undefined);
  await change();
  await receiver.arrived(1);
  await expect(watches.deliverer.deliverTest(watcher, same.id)).rejects.toMatchObject({
    code: 'rate_limited',
  });
  clock.advance(15 * second - 1);
  receiver.reply = () => [204];
  clock.advance(1);
  await watches.deliverer.idle();
  const states = [await stateOf(first), await stateOf(same)].map(({ lastProblem }) => lastProblem);
  expect(states.toSorted()).toEqual([
    `127.0.0.1:${receiver.port} did not respond within 15 seconds.`,
    null,
  ]);
  expect(receiver.maxInFlight).toBe(1);
});

it('is held up neither by the backlog of another account at its host nor by its tests', async () => {
  const other = { ...watcher, id: 'other' };
  await watches.watch(other, ['c.example']);
  const start = await watches.head();
  for (let count = 0; count < 40; count += 1) await change();

  const answer = Promise.withResolvers<readonly [number]>();
  receiver.reply = () => answer.promise;
  const { id } = await watches.webhooks.create(watcher, urlOf(receiver), [], start);
  await receiver.arrived(1);
  await watches.webhooks.create(other, urlOf(receiver));
  const due = await change('c.example');
  answer.resolve([204]);
  await watches.deliverer.idle();
  expect(idsOf(receiver).indexOf(due)).toBeLessThan(40);

  const tested = Promise.withResolvers<readonly [number]>();
  receiver.reply = () => tested.promise;
  const test = watches.deliverer.deliverTest(watcher, id);
  await receiver.arrived(42);
  const next = await change('c.example');
  await clock.whenPending(2);
  tested.resolve([204]);
  await test;
  await watches.deliverer.deliverTest(watcher, id).catch(() => undefined);
  await watches.deliverer.idle();
  expect(idsOf(receiver)[42]).toBe(next);
});

it('neither repeats nor loses a change if the webhook is updated meanwhile', async () => {
  const { id } = await create();
  const skipped = await change();
  await watches.deliverer.idle();
  const answer = Promise.withResolvers<readonly [number]>();
  receiver.reply = () => answer.promise;
  const [during, next] = [await change('b.example'), await change()];
  await receiver.arrived(2);
  for (const update of [{ types: [] }, { rotateSecret: true }, { after: skipped }])
    await watches.webhooks.update(watcher, id, update);
  answer.resolve([200]);
  await watches.deliverer.idle();
  expect(idsOf(receiver)).toEqual([skipped, during, next]);
});

it('stops after the requests in flight, and repeats those that it aborts', async () => {
  await create();
  receiver.reply = () => new Promise(() => undefined);
  const id = await change();
  await receiver.arrived(1);
  const stopped = watches.stop();
  await clock.whenPending(2);
  clock.advance(5 * second);
  await stopped;
  receiver.reply = () => [200];
  watches = node();
  watches.deliverer.start();
  await watches.deliverer.idle();
  expect(idsOf(receiver)).toEqual([id, id]);
  const messages = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(messages[0]).toBe(messages[1]);
});

it('delivers a change once from several nodes', async () => {
  const others = [node(), node()];
  for (const each of others) each.deliverer.start();
  const hosts = ['127.0.0.1', '127.0.0.2', 'localhost'];
  for (const host of hosts) await watches.webhooks.create(watcher, urlOf(receiver, host));
  const ids = [];
  for (let index = 0; index < 10; index += 1) {
    ids.push(await change());
    for (const each of others) each.deliverer.wake();
  }
  for (const each of [watches, ...others, watches]) await each.deliverer.idle();
  const byHook = Map.groupBy(receiver.received, ({ headers }) => headers.host);
  for (const received of byHook.values())
    expect(received.map(({ body }) => body.data.change_id)).toEqual(ids);
  for (const each of others) await each.stop();
});

it('sends a test without a change', async () => {
  const { id, secret } = await create(receiver, ['EXPIRY']);
  expect(await watches.deliverer.deliverTest(watcher, id)).toEqual({ status: 204, problem: null });
  const [received] = receiver.received;
  if (!received) throw new Error('nothing was received');
  expect(verify(received, secret)).toMatchObject({ type: 'domain.expiry' });
  expect(Object.keys(received.body.data)).toEqual(['domain', 'not_before', 'before', 'after']);
  receiver.reply = () => [503];
  expect(await watches.deliverer.deliverTest(watcher, id)).toMatchObject({ problem: 'HTTP 503.' });
  const unknown = watches.deliverer.deliverTest(watcher, 'wh_0');
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
});

it('connects to no private address', { timeout: 120_000 }, async () => {
  const trap = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let connections = 0;
  trap.listen(0);
  await once(trap, 'listening');
  const { port } = trap.address() as { port: number };
  const sender = senderWith([]);
  const { signal } = new AbortController();
  for (const scheme of ['http', 'https'] as const)
    for (const spell of [...loopbackSpellings, ...otherSpellings]) {
      const url = spell(scheme, port);
      const refused = await sender.check(url).then(
        () => undefined,
        (error: unknown) => error,
      );
      // A name without an address may get one.
      if (refused) expect(refused, url).toMatchObject({ code: 'invalid_parameter', param: 'url' });
      if (URL.canParse(url) && /^https?:/i.test(url))
        expect(await sender.send(url, {}, '', signal), url).toMatchObject({ status: null });
    }
  for (const url of ['http://example.com/', 'ftp://example.com/', 'https://a:b@example.com/', 'x'])
    await expect(sender.check(url), url).rejects.toMatchObject({ param: 'url' });
  expect(connections).toBe(0);
  trap.close();
});

it('connects to the address that it has checked, whatever the name resolves to next', async () => {
  const systemLookup = dns.lookup;
  const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1'];
  const rebound = (_name: string, _options: object, callback: (...of: unknown[]) => void) =>
    callback(null, [{ address: answers.shift() ?? '10.0.0.1', family: 4 }]);
  dns.lookup = rebound as typeof dns.lookup;
  syncBuiltinESMExports();
  try {
    const sender = senderWith(['localhost']);
    const url = `http://rebound.example:${receiver.port}/`;
    const { signal } = new AbortController();
    const first = await sender.send(url, {}, '{}', signal);
    const next = await senderWith(['localhost']).send(url, {}, '{}', signal);
    expect([first.status, next.status]).toEqual([204, null]);
    // One connection asks once: there is no time between the check and the use.
    expect([answers, receiver.received.length]).toEqual([['127.0.0.1'], 1]);
  } finally {
    dns.lookup = systemLookup;
    syncBuiltinESMExports();
  }
});

it('verifies certificates, and gives a proxy only addresses that it has checked', async () => {
  const authority = new CertificateAuthority('Test', Date.UTC(2026, 0, 1));
  const valid = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2050, 0, 1) };
  const secure = parts.use(
    await startWebhookReceiver(authority.issue({ names: ['localhost'], ...valid })),
  );
  const proxy = parts.use(await startHttpProxy());
  const { signal } = new AbortController();
  const url = `https://localhost:${secure.port}/`;
  const send = (sender: WebhookSender, to = url) => sender.send(to, {}, '{}', signal);
  expect((await send(senderWith(['localhost']))).problem).toContain('trusted CA');
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, authority.certificate]);
  expect(await send(senderWith(['localhost']))).toEqual({ status: 204, problem: null });
  expect(await send(senderWith(['localhost'], proxy.url))).toEqual({ status: 204, problem: null });
  expect(proxy.authorities).toEqual([`127.0.0.1:${secure.port}`]);
  tls.setDefaultCACertificates(trusted);
  for (const to of [url, 'https://10.0.0.1/', 'https://[::1]/', 'http://127.0.0.1/'])
    expect((await send(senderWith([], proxy.url), to)).status).toBeNull();
  expect(proxy.authorities).toHaveLength(1);
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { prices } from '../../../src/execution/prices.ts';
import { defaultTimeouts, type Timeouts } from '../../../src/server/send-response.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { longTimeouts, startMeteredGateway } from '../../support/metered-gateway.ts';
import { registered } from '../../support/replies.ts';

const record = ({ name }: { name: string }) =>
  registered(name, { members: { lang: 'x'.repeat(900_000) } });
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `long${index}.example`);
const query = (count: number) =>
  `(domains: ${JSON.stringify(names(count))}) { domain rdap { raw } }`;
// 40 MB take long on a busy machine.
const env = { RATE_LIMIT: '0', RDAP_RATE: '0', ...longTimeouts };

describe('a GraphQL response of more than 32 MB', () => {
  it('is rejected, charged for what was sent, and the message suggests smaller requests', async () => {
    await using metered = await startMeteredGateway({ env: longTimeouts });
    metered.registry.fallback(record);
    const customer = await metered.newCustomer();
    const response = await customer.graphql(`{ domains${query(40)} }`);
    const { errors, data } = await response.json();
    expect([data, errors[0].extensions.code]).toEqual([undefined, 'query_too_large']);
    expect(errors[0].message).toMatch(
      /^The response would have more than 32000000 characters\. Request fewer names or fields, or use a subscription/,
    );
    const sent = metered.registry.requests.filter(({ name }) => name.startsWith('long')).length;
    expect((await customer.balance()).used).toBe(prices.record(sent));
    const before = (await customer.balance()).used;
    const copies = Array.from({ length: 50 }, (_, index) => `r${index}: raw`).join(' ');
    const copied = await (
      await customer.graphql(`{ domain(name: "long0.example") { rdap { ${copies} } } }`)
    ).json();
    expect(copied.errors[0].extensions.code).toBe('query_too_large');
    expect((await customer.balance()).used).toBe(before + prices.record(1));
    const parts = await customer.graphql(
      `subscription { availability${query(40)} }`,
      {},
      { accept: 'text/event-stream' },
    );
    expect((await parts.text()).match(/^event: next$/gm)).toHaveLength(40);
    expect((await customer.balance()).used).toBe(before + prices.record(41));
  });

  it('is rejected before its price if the records are stored', async () => {
    await using metered = await startMeteredGateway({ env: longTimeouts });
    metered.registry.fallback(record);
    const customer = await metered.newCustomer();
    const accept = { accept: 'text/event-stream' };
    await (await customer.graphql(`subscription { availability${query(40)} }`, {}, accept)).text();
    const { used } = await customer.balance();
    const requests = metered.registry.requests.length;
    const response = await customer.graphql(`{ domains${query(40)} }`);
    expect((await response.json()).errors[0].extensions.code).toBe('query_too_large');
    expect([(await customer.balance()).used, metered.registry.requests.length]).toEqual([
      used,
      requests,
    ]);
  });

  it.each(['multipart/mixed', 'multipart/mixed;incrementalSpec=v0.2', 'text/event-stream'])(
    'is delivered by @defer, even if all records are resolved together: %s',
    async (accept) => {
      await using metered = await startMeteredGateway({ env: longTimeouts });
      metered.registry.fallback(record);
      const customer = await metered.newCustomer();
      const deferred = `{ domains(domains: ${JSON.stringify(names(40))}) { domain ... @defer { rdap { raw } } } }`;
      const text = async () => (await customer.graphql(deferred, {}, { accept })).text();
      await text();
      const stored = await text();
      expect(stored.match(/"lang":"x/g)).toHaveLength(40);
      expect(stored.match(/"hasNext":false/g)).toHaveLength(1);
      const end = stored.slice(stored.indexOf('"hasNext":false'));
      const price = prices.record(40);
      expect(end).toContain(`"extensions":{"cost":{"requested":${price},"charged":${price},`);
    },
  );
});

const abortedMessage = 'Response aborted: client too slow.';
const { log, lines } = memoryLog();
const aborts = () => lines.filter(({ msg }) => msg === abortedMessage).length;

async function openReader(gateway: Gateway, document: string, accept: string): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `GET /graphql?query=${encodeURIComponent(document)} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`,
  );
  return socket;
}

describe('slow readers', () => {
  let registry: FakeRegistry;
  beforeAll(async () => {
    registry = await startFakeRegistry();
    registry.fallback(record);
  });
  afterAll(() => registry.close());

  const start = (timeouts: Partial<Timeouts>) =>
    startGateway({
      registries: { example: registry.baseUrl },
      env,
      log,
      timeouts: { ...defaultTimeouts, drainTimeoutMs: 0, ...timeouts },
    });

  it.each([
    ['a buffered response', `{ domains${query(25)} }`, 'application/json'],
    ['a stream', `subscription { availability${query(25)} }`, 'text/event-stream'],
  ])(
    'have a limited total time, however long the response is: %s',
    async (_what, document, accept) => {
      const before = aborts();
      await using gateway = await start({ minBytesPerMs: 1, totalReadTimeoutMs: 500 });
      const socket = await openReader(gateway, document, accept);
      // Reads now and then, so that a stream continues.
      const timer = setInterval(() => socket.read(400_000), 20);
      socket.pause();
      await vi.waitFor(() => expect(aborts()).toBe(before + 1), { timeout: 10_000, interval: 20 });
      clearInterval(timer);
      socket.destroy();
    },
  );

  it('leave a limited number of bytes unread: above it, the oldest response is aborted', async () => {
    const before = aborts();
    await using gateway = await start({ maxUnreadBytes: 40_000_000 });
    const first = await openReader(gateway, `{ domains${query(25)} }`, 'application/json');
    await once(first, 'readable');
    const second = await openReader(gateway, `{ domains${query(25)} }`, 'application/json');
    await vi.waitFor(() => expect(aborts()).toBe(before + 1), { timeout: 10_000, interval: 20 });
    let bytes = 0;
    second.on('data', (chunk: Buffer) => void (bytes += chunk.length));
    await vi.waitFor(() => expect(bytes).toBeGreaterThan(25 * 900_000), {
      timeout: 10_000,
      interval: 20,
    });
    first.resume();
    await once(first, 'close');
    second.destroy();
    expect(aborts()).toBe(before + 1);
  });
});

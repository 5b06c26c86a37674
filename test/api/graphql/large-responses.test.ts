import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { defaultTimeouts, type Timeouts } from '../../../src/server/send-response.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import {
  longTimeouts,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

const record = ({ name }: { name: string }) =>
  registered(name, { members: { lang: 'x'.repeat(900_000) } });
const names = (count: number, label = 'long') =>
  Array.from({ length: count }, (_, index) => `${label}${index}.example`);
const query = (count: number, label?: string) =>
  `(domains: ${JSON.stringify(names(count, label))}) { domain rdap { raw } }`;
// 40 MB take long on a busy machine.
const env = { RATE_LIMIT: '0', RDAP_RATE: '0', ...longTimeouts };

describe('a GraphQL response of more than 32 MB', () => {
  const eventStream = { accept: 'text/event-stream' };
  let metered: MeteredGateway;
  let customer: Customer;
  let delivered: string;
  // The records are stored once: each time, 36 MB are sent, parsed and written.
  beforeAll(async () => {
    metered = await startMeteredGateway({ env: longTimeouts });
    metered.registry.fallback(record);
    customer = await metered.newCustomer();
    const subscription = `subscription { availability${query(40)} }`;
    delivered = await (await customer.graphql(subscription, {}, eventStream)).text();
  });
  afterAll(() => metered[Symbol.asyncDispose]());

  const used = async () => (await customer.balance()).used;
  const requests = () => metered.registry.requests.length;

  it('is delivered by a subscription', () => {
    expect(delivered.match(/^event: next$/gm)).toHaveLength(40);
    const price = prices.record(40);
    expect(delivered).toContain(`"extensions":{"cost":{"requested":${price},"charged":${price},`);
  });

  it('is rejected, charged for what was sent, and the message suggests smaller requests', async () => {
    const [usedBefore, requestsBefore] = [await used(), requests()];
    const response = await customer.graphql(`{ domains${query(40, 'new')} }`);
    const { errors, data } = await response.json();
    expect([data, errors[0].extensions.code]).toEqual([undefined, 'query_too_large']);
    expect(errors[0].message).toMatch(
      /^The response would have more than 32000000 characters\. Request fewer names or fields, or use a subscription/,
    );
    expect(requests()).toBeGreaterThan(requestsBefore);
    expect((await used()) - usedBefore).toBe(prices.record(requests() - requestsBefore));
  });

  it('is rejected, and charged, if it has many copies of a stored record', async () => {
    const before = await used();
    const copies = Array.from({ length: 50 }, (_, index) => `r${index}: raw`).join(' ');
    const copied = await (
      await customer.graphql(`{ domain(name: "long0.example") { rdap { ${copies} } } }`)
    ).json();
    expect(copied.errors[0].extensions.code).toBe('query_too_large');
    expect(await used()).toBe(before + prices.record(1));
  });

  it('is rejected before its price if the records are stored', async () => {
    const before = [await used(), requests()];
    const response = await customer.graphql(`{ domains${query(40)} }`);
    expect((await response.json()).errors[0].extensions.code).toBe('query_too_large');
    expect([await used(), requests()]).toEqual(before);
  });

  it.each(['multipart/mixed', 'multipart/mixed;incrementalSpec=v0.2', 'text/event-stream'])(
    'is delivered by @defer, even if all records are resolved together: %s',
    async (accept) => {
      const deferred = `{ domains(domains: ${JSON.stringify(names(40))}) { domain ... @defer { rdap { raw } } } }`;
      const text = await (await customer.graphql(deferred, {}, { accept })).text();
      expect(text.match(/"lang":"x/g)).toHaveLength(40);
      expect(text.match(/"hasNext":false/g)).toHaveLength(1);
      const end = text.slice(text.indexOf('"hasNext":false'));
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

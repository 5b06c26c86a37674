import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseDomainName, splitName } from '../../src/domain/names/domain-name.ts';
import type { AttemptRequest, Source } from '../../src/domain/source.ts';
import type { HttpClient } from '../../src/outbound/client.ts';
import { createParserErrorLogger } from '../../src/registries/rdap/rdap-exchange.ts';
import { rdapSource } from '../../src/registries/rdap/rdap-source.ts';
import { throttledSource } from '../../src/registries/throttled.ts';
import { HostQueue } from '../../src/outbound/queues/host-queue.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { unlimited } from '../support/stores/open-queue.ts';
import { registered } from '../support/bodies/replies.ts';

const baseUrl = 'https://rdap.registry.example/v1/';
const name = splitName(parseDomainName('secret.example'));
const request: AttemptRequest = {
  signal: new AbortController().signal,
  account: 'me',
  queueDeadline: Infinity,
  priority: 'single',
};
/** Creates an error whose message contains a name and a contact. */
const sensitiveError = () => new TypeError(`cannot read ${name.ascii}\n    at Ada Lovelace`);

const failures: readonly (readonly [
  stage: string,
  source: (onParserError: ReturnType<typeof createParserErrorLogger>) => Source,
])[] = [
  [
    'while classifying a response',
    (onParserError) => rdapSource(server, { ...options, onParserError }),
  ],
  ['in any source', (onParserError) => throttledSource(broken, { ...throttle, onParserError })],
];

const server = {
  baseUrl,
  trustsNotFound: () => true,
  recordFound: () => {},
  recordMismatch: () => {},
};
const unreadable: HttpClient = {
  get: async () => ({
    status: 200,
    mediaType: 'application/rdap+json',
    get body(): never {
      throw sensitiveError();
    },
    url: new URL(baseUrl),
    header: () => undefined,
    isDelimited: true,
    retryAfter: undefined,
    ageSeconds: 0,
    heldSeconds: 0,
  }),
};
const options = {
  client: unreadable,
  clock: systemClock,
  timeoutMs: 5000,
  sendPriority: { yieldToSends: () => undefined },
};
const queue = new HostQueue({
  host: 'rdap.registry.example',
  limits: unlimited,
  clock: systemClock,
});
const throttle = { queueOf: () => queue, redirectQueueOf: () => queue, clock: systemClock };
const broken: Source = { id: baseUrl, lookup: () => Promise.reject(sensitiveError()) };

it.each(failures)(
  'a parser error %s returns UNKNOWN, and is logged with its location but without its message',
  async (_, source) => {
    const { log, lines } = memoryLog();
    expect(
      await source(createParserErrorLogger(log)).lookup({ name, detail: 'verdict' }, request),
    ).toMatchObject({ data: undefined, problem: { code: expect.any(String) } });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        host: 'rdap.registry.example',
        err: {
          type: 'TypeError',
          stack: expect.stringMatching(/^at .*parser-errors\.test\.ts:\d+/),
        },
      }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|Ada/);
  },
);

it('a parser error while reading a registration is logged in the same way', async () => {
  const { log, lines } = memoryLog();
  await using registry = await startFakeRegistry();
  registry.fallback(({ name: taken }) => registered(taken));
  await using gateway = await startGateway({ log, registries: { example: registry.baseUrl } });
  // The first document loads modules, which sort, too.
  await gateway.graphql('{ __typename }');
  const sorted = vi.spyOn(Array.prototype, 'toSorted').mockImplementation(function (
    this: readonly unknown[],
  ) {
    if (this.length > 0) throw sensitiveError();
    return [];
  });
  onTestFinished(() => sorted.mockRestore());
  const { data } = await gateway.graphql(
    `{ domain(name: "${name.ascii}") { status rdap { updatedAt } } }`,
  );
  // The end of the gateway sorts, too.
  sorted.mockRestore();
  expect(data.domain).toEqual({ status: 'REGISTERED', rdap: { updatedAt: null } });
  const failed = lines.filter(({ level }) => level === 'error');
  expect(failed.map(({ host, err }) => [host, err.type])).toEqual([
    [new URL(registry.baseUrl).host, 'TypeError'],
  ]);
  expect(JSON.stringify(failed)).not.toMatch(/secret|Ada/);
});

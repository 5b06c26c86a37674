import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseDomainName, splitName } from '../../src/domain/names/domain-name.ts';
import type { Answer } from '../../src/domain/answer.ts';
import type { Priority } from '../../src/domain/source.ts';
import { createHttpClient } from '../../src/outbound/client.ts';
import { registryRoute } from '../../src/outbound/routes.ts';
import { createDispatcher } from '../../src/outbound/dispatcher.ts';
import { rdapSource } from '../../src/registries/rdap/rdap-source.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { registered, status } from '../support/bodies/replies.ts';

const dispatcher = createDispatcher({ allowPrivate: true, connections: 8, connectTimeoutMs: 5000 });
const client = createHttpClient({
  route: registryRoute(dispatcher, true),
  userAgent: 'gateway/1.0',
  clock: systemClock,
});
let registry: FakeRegistry;
beforeEach(async () => {
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
});

/**
 * Looks up a name while other requests are being sent. `first` is the answer if it did not wait for
 * them.
 */
async function lookUpDuringSends(priority: Priority, name = 'a.test') {
  const sent = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const calls: boolean[] = [];
  const yieldToSends = (sends: boolean) => {
    calls.push(sends);
    waits.resolve();
    return sent.promise;
  };
  const server = {
    baseUrl: registry.url(''),
    trustsNotFound: () => true,
    recordFound: () => {},
    recordMismatch: () => {},
  };
  const source = rdapSource(server, {
    client,
    clock: systemClock,
    timeoutMs: 5000,
    sendPriority: { yieldToSends },
    onParserError: () => {},
  });
  const request = {
    signal: new AbortController().signal,
    account: 'me',
    queueDeadline: Infinity,
    priority,
    onAnswered: () => priority === 'bulk',
  };
  const read: Answer[] = [];
  const done = source
    .lookup({ name: splitName(parseDomainName(name)), detail: 'verdict' }, request)
    .then((answer) => read.push(answer));
  await Promise.race([waits.promise, done]);
  // After another full exchange, the answer is there if the lookup does not wait.
  await client.get(registry.url('domain/other.test'), {}, 5000);
  const [first] = read;
  sent.resolve();
  await done;
  return { calls, first, answer: read[0] };
}

test.each<[Priority, boolean]>([
  ['search', false],
  ['bulk', true],
])(
  'a response to a %s request is parsed after other requests are sent',
  async (priority, sends) => {
    const { calls, first, answer } = await lookUpDuringSends(priority);
    expect([calls, first, answer?.data?.verdict]).toEqual([[sends], undefined, 'REGISTERED']);
  },
);

test('a response to a single-name request is parsed before other requests are sent', async () => {
  const { calls, first } = await lookUpDuringSends('single');
  expect([calls, first?.data?.verdict]).toEqual([[], 'REGISTERED']);
});

test('a 403 response does not wait, because its body is not parsed', async () => {
  registry.on('a.test', status(403));
  const { calls, first } = await lookUpDuringSends('search');
  expect([calls, first?.problem?.code]).toEqual([[], 'registry_error']);
});

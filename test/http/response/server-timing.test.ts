import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';
import { registered } from '../../support/replies.ts';

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  registry = await startFakeRegistry();
  registry.fallback(({ name }) => {
    clock.advance(40);
    return registered(name);
  });
  gateway = await startGateway({
    clock,
    registries: { example: registry.baseUrl },
    env: { RDAP_CONCURRENCY: '1' },
  });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const graphql = (query: string, accept = 'application/json') =>
  gateway.post('/graphql', { query }, { accept });

/** Both doors, asking for so many names that nobody asked for before. */
const doors: readonly (readonly [
  door: string,
  ask: (labels: readonly string[]) => Promise<Response>,
])[] = [
  [
    'GraphQL',
    (labels) =>
      graphql(
        `{ domains(domains: ${JSON.stringify(labels.map((label) => `${label}.example`))}) { status } }`,
      ),
  ],
  [
    '/v1/status',
    (labels) => gateway.fetch(`/v1/status?domain=${labels.map((label) => `${label}.example`)}`),
  ],
  [
    '/v1/status/bulk',
    (labels) =>
      gateway.post('/v1/status/bulk', { domains: labels.map((label) => `${label}.example`) }),
  ],
];

/** Milliseconds, by what they were spent on. */
function timingsOf({ headers }: Response): Record<string, number> {
  const metrics = headers.get('server-timing')?.matchAll(/(\w+);dur=([\d.]+)(?:, |$)/g) ?? [];
  return Object.fromEntries(Array.from(metrics, ([, name = '', ms]) => [name, Number(ms)]));
}

describe.each(doors)('an answer in one piece of %s', (_door, ask) => {
  it('says how long the registry took, and how long the last name waited for its turn', async () => {
    expect(timingsOf(await ask(['first', 'second', 'third']))).toEqual({
      cache: 0,
      queue: 80,
      registry: 40,
    });
  });

  it('has nothing to say of a registry that was not asked', async () => {
    await ask(['kept']);
    expect(timingsOf(await ask(['kept']))).toEqual({ cache: 0, queue: 0, registry: 0 });
  });

  it('lets the pages of other sites read it', async () => {
    const { headers } = await ask(['not a name']);
    expect(headers.get('timing-allow-origin')).toBeNull();
    expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('Server-Timing');
  });
});

it.each([
  [
    '@defer',
    () =>
      graphql('{ domain(name: "taken.test") { domain ... @defer { status } } }', 'multipart/mixed'),
  ],
  [
    'a subscription',
    () =>
      graphql(
        'subscription { availability(domains: ["taken.test"]) { status } }',
        'text/event-stream',
      ),
  ],
  [
    'lines',
    () =>
      gateway.post(
        '/v1/status/bulk',
        { domains: ['taken.test'] },
        { accept: 'application/x-ndjson' },
      ),
  ],
  ['a problem', () => gateway.fetch('/v1/status')],
])('%s carries none: when its headers leave, nothing is known', async (_what, ask) => {
  const answer = await ask();
  await answer.text();
  expect(answer.headers.has('server-timing')).toBe(false);
});

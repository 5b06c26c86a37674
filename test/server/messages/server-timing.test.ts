import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { registered } from '../../support/bodies/replies.ts';

let clock: ManualClock;
let registry: FakeRegistry;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => {
    clock.advance(40);
    return registered(name);
  });
  gateway = await forThisTest(startGateway, {
    clock,
    registries: { example: registry.baseUrl },
    env: { RDAP_CONCURRENCY: '1' },
  });
});

const graphql = (query: string, accept = 'application/json') =>
  gateway.post('/graphql', { query }, { accept });

/** One request for several names in each API. */
const endpoints: readonly (readonly [
  endpoint: string,
  send: (labels: readonly string[]) => Promise<Response>,
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
    (labels) =>
      gateway.fetch(`/v1/status?domain=${labels.map((label) => `${label}.example`).join(',')}`),
  ],
  [
    '/v1/status/bulk',
    (labels) =>
      gateway.post('/v1/status/bulk', { domains: labels.map((label) => `${label}.example`) }),
  ],
];

/** Returns the durations in `Server-Timing`, in milliseconds. */
function timingsOf({ headers }: Response): Record<string, number> {
  const metrics = headers.get('server-timing')?.matchAll(/(\w+);dur=([\d.]+)(?:, |$)/g) ?? [];
  return Object.fromEntries(Array.from(metrics, ([, name = '', ms]) => [name, Number(ms)]));
}

describe.each(endpoints)('a buffered response of %s', (_endpoint, send) => {
  it('reports how long the registry took, and how long the last name was queued', async () => {
    expect(timingsOf(await send(['first', 'second', 'third']))).toEqual({
      cache: 0,
      queue: 80,
      registry: 40,
    });
  });

  it('reports no time of a registry that was not queried', async () => {
    await send(['cached']);
    expect(timingsOf(await send(['cached']))).toEqual({ cache: 0, queue: 0, registry: 0 });
  });

  it('exposes Server-Timing to pages of other origins', async () => {
    const { headers } = await send(['not a name']);
    expect(headers.get('timing-allow-origin')).toBeNull();
    expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('Server-Timing');
  });
});

it.each(
  Object.entries({
    '@defer': () =>
      graphql('{ domain(name: "taken.test") { domain ... @defer { status } } }', 'multipart/mixed'),
    'a subscription': () =>
      graphql(
        'subscription { availability(domains: ["taken.test"]) { status } }',
        'text/event-stream',
      ),
    NDJSON: () =>
      gateway.post(
        '/v1/status/bulk',
        { domains: ['taken.test'] },
        { accept: 'application/x-ndjson' },
      ),
    'a problem': () => gateway.fetch('/v1/status'),
  }),
)(
  '%s has no Server-Timing, because its headers are sent before the lookups end',
  async (_case, send) => {
    const response = await send();
    await response.text();
    expect(response.headers.has('server-timing')).toBe(false);
  },
);

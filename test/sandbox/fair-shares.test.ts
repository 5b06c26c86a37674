import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { scrapeUntil } from '../support/checks/scrape.ts';

/** Queue timeout of bulk requests. */
const queueTimeoutMs = 60_000;

let clock: ManualClock;
let metered: MeteredGateway;
let attacker: Customer;
let other: Customer;

/** Starts a gateway. Its lookups time out by the time of the machine, not by the clock. */
async function start(lookupTimeoutMs: number): Promise<void> {
  clock = manualClock();
  const env = { RDAP_TIMEOUT_MS: String(lookupTimeoutMs) };
  metered = await startMeteredGateway({ clock, env });
  attacker = await metered.newCustomer({ credits: 1 });
  other = await metered.newCustomer({ credits: 1 });
}

afterEach(() => metered[Symbol.asyncDispose]());

async function lookUp(
  caller: Customer,
  domains: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { results } = await (await caller.post('/v1/status/bulk', { domains }, {}, signal)).json();
  return results.map(({ status, reason }: Json) => reason ?? status);
}

const hanging = (request: number) =>
  Array.from({ length: 100 }, (_, index) => `hang${request}x${index}.test`);
const lookUpHanging = (signal?: AbortSignal) =>
  [0, 1, 2].map((request) => lookUp(attacker, hanging(request), signal));

const countOf = (statuses: readonly string[], status: string) =>
  statuses.filter((each) => each === status).length;

describe('.test names that hang', { timeout: 60_000 }, () => {
  it('do not block lookups of other callers', async () => {
    await start(60_000);
    const disconnected = new AbortController();
    const pending = Promise.allSettled(lookUpHanging(disconnected.signal));
    await scrapeUntil(
      metered.gateway,
      ({ sum }) => sum('rdap_gateway_http_requests_in_flight') === 3,
    );
    const statuses = await lookUp(
      other,
      Array.from({ length: 490 }, (_, index) => `taken${index}.test`),
    );
    expect(countOf(statuses, 'registered')).toBe(490);
    disconnected.abort();
    await pending;
  });

  it('get half of the connections if one caller looks them up; the others fail with registry_busy after the queue timeout', async () => {
    // Long enough for a busy machine to queue all names before the first lookup times out.
    await start(3000);
    const idle = clock.pending;
    const pending = Promise.all(lookUpHanging());
    await clock.whenPending(idle + 300 - 128);
    clock.advance(queueTimeoutMs + 1);
    const statuses = (await pending).flat();
    expect(countOf(statuses, 'registry_timeout')).toBe(128);
    expect(countOf(statuses, 'registry_busy')).toEqual(300 - 128);
    expect(await lookUp(attacker, ['taken.test', 'down.test'])).toEqual([
      'registered',
      'registry_error',
    ]);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startFleet, type FleetOfGateways } from '../support/fleet.ts';
import type { Gateway } from '../support/gateway.ts';
import { postgresMissing, startPostgres, type Postgres } from '../support/postgres.ts';
import { registered, replyOf, status, type Script } from '../support/replies.ts';
import { scratch } from '../support/scratch.ts';
import { delayed, held } from '../support/scripts.ts';
import { sql, untilFound } from '../support/sql.ts';

/** On a machine that has much to do, what left first may be the later to arrive. */
const underWayMs = 300;

const taken: Script = ({ name }) => registered(name);

describe.skipIf(postgresMissing)(`manners of a fleet${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`, () => {
  let postgres: Postgres;
  let registry: FakeRegistry;
  let cleanup: AsyncDisposableStack;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(async () => {
    cleanup = new AsyncDisposableStack();
    registry = cleanup.use(await startFakeRegistry());
    registry.fallback(taken);
  });
  afterEach(() => cleanup.disposeAsync());

  async function openFleet(count: number, env: Record<string, string> = {}): Promise<FleetOfGateways> {
    return cleanup.use(await startFleet(postgres, count, { registries: { aa: registry.baseUrl }, env }));
  }

  it('never have more in flight than RDAP_CONCURRENCY, and every node gets its turns', async () => {
    registry.fallback(delayed(5, taken));
    const { nodes } = await openFleet(3, { RDAP_CONCURRENCY: '2' });
    const outcomes = await Promise.all(nodes.map((node, index) => ask(node, names(`n${index}`, 20))));
    expect(outcomes.flat()).toEqual(Array.from({ length: 60 }, () => 'registered'));
    expect(registry.requests).toHaveLength(60);
    expect(registry.peakInFlight).toBe(2);
  });

  it('count what a node has in flight for as long as it lasts', async () => {
    const { nodes, storeUrl } = await openFleet(2, { RDAP_CONCURRENCY: '1', QUEUE_TIMEOUT_MS: '15000', RDAP_TIMEOUT_MS: '15000' });
    const slow = held(taken);
    registry.on('slow.aa', slow);
    const first = ask(nodes[0], ['slow.aa']);
    await registry.whenAsked('slow.aa');
    const second = ask(nodes[1], ['second.aa']);
    const [lane] = await untilFound(storeUrl, 'SELECT held_until FROM fleet_lanes WHERE held = 1');
    await untilFound(storeUrl, 'SELECT 1 FROM fleet_lanes WHERE held = 1 AND epoch_ms() > $1', [Number(lane.held_until) + 100]);
    expect(registry.asked('second.aa')).toBe(0);
    slow.release();
    expect(await Promise.all([first, second])).toEqual([['registered'], ['registered']]);
  });

  it('let through no more than a burst and RDAP_RATE, in any stretch of time', async () => {
    const rate = 10;
    const { nodes } = await openFleet(3, { RDAP_RATE: String(rate), RDAP_CONCURRENCY: '100' });
    await Promise.all(nodes.map((node, index) => ask(node, names(`n${index}`, 21))));
    const times = registry.requests.map(({ at }) => at);
    expect(times).toHaveLength(63);
    for (const [first, from] of times.entries()) {
      for (const [index, to] of times.slice(first).entries()) {
        expect(index + 1).toBeLessThanOrEqual(5 * rate + ((to - from + underWayMs) / 1000) * rate);
      }
    }
  });

  it('send no more in a day than a host allows, all together', async () => {
    const files = cleanup.use(await scratch());
    const limits = join(files.path, 'limits.json');
    await writeFile(limits, JSON.stringify({ [new URL(registry.baseUrl).host]: { rate: 0, perDay: 5 } }));
    const { nodes } = await openFleet(3, { RDAP_LIMITS: limits, QUEUE_TIMEOUT_MS: '500' });
    const outcomes = await Promise.all(nodes.map((node, index) => ask(node, names(`n${index}`, 4))));
    expect(outcomes.flat().toSorted()).toEqual([...Array(5).fill('registered'), ...Array(7).fill('registry_busy')]);
    expect(registry.requests).toHaveLength(5);
  });

  it('leave a host alone for as long as it told any one of them', async () => {
    const { nodes, storeUrl } = await openFleet(3);
    registry.on('first.aa', status(429, { 'retry-after': '100' }));
    expect(await ask(nodes[0], ['first.aa'])).toEqual(['registry_busy']);
    await untilFound(storeUrl, 'SELECT 1 FROM fleet_hosts WHERE closed_until > epoch_ms()');
    for (const node of nodes) expect(await ask(node, names('later', 3))).toEqual(Array(3).fill('registry_busy'));
    expect(registry.requests).toHaveLength(1);
  });

  it('forget a host that nobody asks any more, but no pause that lasts and no burst that is spent', async () => {
    const answering = async (script: Script) => {
      const added = cleanup.use(await startFakeRegistry());
      added.fallback(script);
      return added.baseUrl;
    };
    const [past, spent] = [await answering(taken), await answering(taken)];
    const closed = await answering(status(429, { 'retry-after': '100' }));
    const files = cleanup.use(await scratch());
    const limits = join(files.path, 'limits.json');
    await writeFile(limits, JSON.stringify({ [new URL(spent).host]: { rate: 0.001, burst: 1 } }));
    // One after the other, so that each name is a turn of its own: now and then one looks for what can be forgotten.
    const env = { RDAP_LIMITS: limits, RDAP_CONCURRENCY: '1' };
    const fleet = cleanup.use(await startFleet(postgres, 2, { registries: { aa: registry.baseUrl, past, spent, closed }, env }));
    const { nodes, storeUrl } = fleet;
    expect(await ask(nodes[0], ['a.past', 'a.spent', 'a.closed'])).toEqual(['registered', 'registered', 'registry_busy']);
    await untilFound(
      storeUrl,
      'SELECT 1 FROM fleet_lanes HAVING count(*) = 3 AND coalesce(max(held) FILTER (WHERE held_until > epoch_ms()), 0) = 0',
    );
    await passSeconds(storeUrl, 80);
    for (let asked = 0; (await originsIn(storeUrl, 'fleet_hosts')).includes(new URL(past).origin); asked += 1) {
      await ask(nodes[1], names(`n${asked}`, 50));
    }
    expect(await originsIn(storeUrl, 'fleet_hosts')).toEqual(
      [registry.baseUrl, spent, closed].map((url) => new URL(url).origin).toSorted(),
    );
    expect(await originsIn(storeUrl, 'fleet_lanes')).not.toContain(new URL(past).origin);
    expect(await ask(nodes[1], ['b.past', 'b.spent', 'b.closed'])).toEqual(['registered', 'registry_busy', 'registry_busy']);
  });

  it('pay no heed to notices that others send', async () => {
    const { nodes, storeUrl, acquainted } = await openFleet(2);
    await acquainted();
    for (const said of ['', 'hello', 'null', '1']) await sql(storeUrl, `SELECT pg_notify('fleet', '${said}')`);
    for (const node of nodes) expect(await ask(node, names('first', 1))).toEqual(['registered']);
  });

  it('turn those away at once who wait at another node and cannot wait so long', async () => {
    const { nodes } = await openFleet(2, { RDAP_CONCURRENCY: '1', QUEUE_TIMEOUT_MS: '60000', RDAP_TIMEOUT_MS: '60000' });
    const [node, other] = nodes;
    const first = held(status(429, { 'retry-after': '100' }));
    registry.on('first.aa', first);
    const told = ask(node, ['first.aa']);
    await registry.whenAsked('first.aa');
    const waiting = ask(other, ['second.aa']);
    first.release();
    expect(await Promise.all([told, waiting])).toEqual([['registry_busy'], ['registry_busy']]);
    expect(registry.requests).toHaveLength(1);
  });

  it('give what nobody waits for any more to those who do', async () => {
    const { nodes } = await openFleet(2, { RDAP_CONCURRENCY: '1' });
    const [node, other] = nodes;
    const first = held(taken);
    registry.on('first.aa', first);
    const asked = ask(node, ['first.aa']);
    await registry.whenAsked('first.aa');
    const leaver = new AbortController();
    const left = node.fetch('/v1/status?domain=left.aa', { signal: leaver.signal }).catch(() => 'left');
    const waits = ask(other, ['second.aa']);
    leaver.abort();
    expect(await left).toBe('left');
    first.release();
    expect(await Promise.all([asked, waits])).toEqual([['registered'], ['registered']]);
    expect(registry.asked('left.aa')).toBe(0);
  });

  it('let one name of a node go before the rest of the long list of another', async () => {
    const { nodes } = await openFleet(2, { RDAP_CONCURRENCY: '1' });
    const [node, other] = nodes;
    registry.fallback(delayed(10, taken));
    const leaver = new AbortController();
    const list = post({ domains: names('list', 300) }, leaver.signal);
    const left = node.fetch('/v1/status/bulk', list).catch(() => 'left');
    await registry.when(({ requests }) => requests.length > 5);
    expect(await ask(other, ['single.aa'])).toEqual(['registered']);
    expect(registry.requests.length).toBeLessThan(200);
    leaver.abort();
    expect(await left).toBe('left');
  });

  it('keep RDAP_RATE also while each goes on with a share of it', async () => {
    const rate = 2;
    const { nodes, acquainted } = await openFleet(2, { RDAP_RATE: String(rate), RDAP_CONCURRENCY: '100', QUEUE_TIMEOUT_MS: '500' });
    await acquainted();
    await postgres.freeze();
    try {
      await Promise.all(nodes.map((node, index) => node.get(`/v1/status?domain=${names(`n${index}`, 30).join(',')}`)));
    } finally {
      await postgres.thaw();
    }
    const times = registry.requests.map(({ at }) => at);
    const lastedMs = Math.max(...times) - Math.min(...times) + underWayMs;
    expect(times.length).toBeGreaterThanOrEqual(5 * rate);
    expect(times.length).toBeLessThanOrEqual(5 * rate + nodes.length + (lastedMs / 1000) * rate);
  });

  it('go on with a share of RDAP_CONCURRENCY each while nobody can be asked for leave, and together again afterwards', async () => {
    const counted = countingPeak(delayed(20, taken));
    registry.fallback(counted.script);
    const { nodes, acquainted } = await openFleet(2, { RDAP_CONCURRENCY: '4' });
    await acquainted();
    const askAll = async (phase: string, count: number) => {
      const outcomes = await Promise.all(nodes.map((node, index) => ask(node, names(`${phase}${index}`, count))));
      expect(outcomes.flat()).toEqual(Array(nodes.length * count).fill('registered'));
      return counted.peak();
    };
    expect(await askAll('before', 20)).toBe(4);
    await postgres.freeze();
    try {
      expect(await askAll('away', 20)).toBeLessThanOrEqual(4);
    } finally {
      await postgres.thaw();
    }
    for (const node of nodes) await untilReady(node);
    await askAll('back', 1);
    expect(await askAll('after', 20)).toBe(4);
  });
});

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}.aa`);
}

async function originsIn(storeUrl: string, table: string): Promise<readonly string[]> {
  return (await sql(storeUrl, `SELECT DISTINCT origin FROM ${table} ORDER BY origin`)).map(({ origin }) => origin);
}

/** All that the fleet remembers of hosts is older by so much. */
async function passSeconds(storeUrl: string, seconds: number): Promise<void> {
  const moments = { fleet_hosts: ['filled_at', 'closed_until', 'whole_at'], fleet_lanes: ['held_until', 'due_at'] };
  for (const [table, columns] of Object.entries(moments)) {
    await sql(storeUrl, `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} - ${seconds * 1000}`).join(', ')}`);
  }
}

/** What came of each name: a status, or why there is none. */
async function ask(node: Gateway, domains: readonly string[]): Promise<string[]> {
  const { results } = await (await node.post('/v1/status/bulk', { domains })).json();
  return results.map((row: { status: string; reason?: string }) => row.reason ?? row.status);
}

function post(body: object, signal: AbortSignal): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal };
}

async function untilReady(node: Gateway): Promise<void> {
  while (!(await node.fetch('/ready')).ok);
}

/** How many were in flight at once, at most, since that was last asked. */
function countingPeak(script: Script): { script: Script; peak(): number } {
  let inFlight = 0;
  let most = 0;
  return {
    script: {
      async send(response, request, clock) {
        inFlight += 1;
        most = Math.max(most, inFlight);
        response.once('close', () => (inFlight -= 1));
        await (await replyOf(script, request)).send(response, request, clock);
      },
    },
    peak() {
      const peak = most;
      most = inFlight;
      return peak;
    },
  };
}

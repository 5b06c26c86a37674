import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  postgresAt,
  processorSeconds,
  processTree,
} from '../../support/requests/processor-time.ts';
import { startPostgres } from '../../support/stores/postgres.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { compare, plain, type Figure, type Scale } from '../figures.ts';
import { getRequest, postRequest, startLoad, type Load, type LoadResult } from '../load.ts';
import { evenPlan, startRegistries, type Plan } from '../servers/registries.ts';

/** What one size costs. */
interface Cost {
  readonly size: number;
  readonly ms: number;
  readonly processorMs: number;
  readonly megabytes: number;
}

const warmUpNames = 2000;
/** The default of `MAX_LOOKUPS`. */
const namesPerCall = 500;
const streamsPerKey = 400;
const afterBurstMs = 5000;

/**
 * Bulk calls of 10 to 10,000 names that are not cached, at 10 registries with a latency of 20 ms and
 * without a rate limit: several calls one after another if there are more than 500 names.
 */
export async function growthOfNames({ seconds }: Scale): Promise<readonly Figure[]> {
  const plan = evenPlan(10, 10);
  await using registries = await startRegistries({ plan, latencyMs: 20 });
  await using gateway = await startBenchGateway({ registries, env: { RDAP_RATE: '0' } });
  const look = coldNames(gateway, plan);
  await look(warmUpNames);
  const costs: Cost[] = [];
  for (const size of [10, 100, 1000, 10_000]) {
    // Processor time is counted in hundredths of a second.
    const repetitions = Math.max(1, Math.round((300 * seconds) / size));
    const [before, startedAt] = [processorSeconds([gateway.pid]), performance.now()];
    for (let index = 0; index < repetitions; index += 1) await look(size);
    costs.push({
      size,
      ms: (performance.now() - startedAt) / repetitions,
      processorMs: ((processorSeconds([gateway.pid]) - before) * 1000) / repetitions,
      megabytes: residentMegabytes(gateway),
    });
  }
  const what = '10 to 10,000 names in bulk calls, 10 registries at 20 ms, none cached';
  return [figureOf('names', what, costs, { atMost: 1.1 })];
}

/** The memory of a gateway five seconds after 10,000 names that are not cached, and before them. */
export async function burstMemory({ rounds }: Scale): Promise<readonly Figure[]> {
  const plan = evenPlan(10, 10);
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) {
    await using registries = await startRegistries({ plan, latencyMs: 20 });
    await using gateway = await startBenchGateway({ registries, env: { RDAP_RATE: '0' } });
    const look = coldNames(gateway, plan);
    await look(10);
    const before = residentMegabytes(gateway);
    await look(10_000);
    await setTimeout(afterBurstMs);
    pairs.push([residentMegabytes(gateway), before]);
  }
  const what = 'memory 5 s after 10,000 names that are not cached: after ten';
  return [compare({ id: 'burst-memory', what, unit: 'MB', target: { atMost: 1.25 } }, pairs)];
}

/** Returns a function that looks up so many names that are not cached. */
function coldNames(gateway: BenchGateway, plan: Plan): (count: number) => Promise<void> {
  let names = 0;
  return async (count) => {
    for (let left = count; left > 0; left -= namesPerCall) {
      const domains = Array.from(
        { length: Math.min(left, namesPerCall) },
        (_, index) => `grow${names++}.${plan[index % plan.length]?.[0]}`,
      );
      const answer = await gateway.text('/v1/status/bulk', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ domains }),
      });
      if (JSON.parse(answer).meta.unknown > 0) throw new Error('Some names have no verdict.');
    }
  };
}

/**
 * One, three and nine gateways on one PostgreSQL, all under load: cached, metered lookups. The
 * processor time includes that of PostgreSQL. Latencies grow as soon as all cores are busy.
 */
export async function growthOfNodes({ seconds }: Scale): Promise<readonly Figure[]> {
  await using postgres = await startPostgres({ max_connections: '200' });
  await using registries = await startRegistries({ plan: evenPlan(1, 1), latencyMs: 0 });
  const [tld = ''] = registries.baseUrls.keys();
  const costs: Cost[] = [];
  const shares: string[] = [];
  for (const size of [1, 3, 9]) {
    await using parts = new AsyncDisposableStack();
    const storeUrl = await postgres.database();
    const gateways: BenchGateway[] = [];
    const loads: Load[] = [];
    for (let index = 0; index < size; index += 1) {
      gateways.push(
        parts.use(await startBenchGateway({ registries, storeUrl, env: { RDAP_RATE: '0' } })),
      );
      loads.push(parts.use(await startLoad()));
    }
    const database = postgresAt(new URL(storeUrl).port);
    const pids = gateways.map(({ pid }) => pid);
    const path = `/v1/status?name=held&tlds=${tld}`;
    for (const gateway of gateways) await gateway.text(path);
    const loadOn = async (index: number) => {
      const { port = 0, headers = {} } = gateways[index] ?? {};
      const order = { port, requests: [getRequest(path, headers)], seconds, connections: 2 };
      return loads[index]?.measure(order);
    };
    // One at a time: nodes that share two cores would hardly warm up together.
    for (const index of gateways.keys()) await loadOn(index);
    const before = [processorSeconds(pids), processorSeconds(processTree(database))] as const;
    const results = await Promise.all(Array.from(gateways.keys(), loadOn));
    const sum = (of: (result: LoadResult) => number) =>
      results.reduce((total, result) => total + (result ? of(result) : 0), 0);
    const answers = sum((result) => result.answers);
    const inGateways = processorSeconds(pids) - before[0];
    const inDatabase = processorSeconds(processTree(database)) - before[1];
    const perAnswer = (time: number) => (time * 1000) / answers;
    shares.push(`${size}: ${perAnswer(inDatabase).toFixed(3)} ms`);
    costs.push({
      size,
      ms: sum(({ p50Ms }) => p50Ms) / size,
      processorMs: perAnswer(inGateways + inDatabase),
      megabytes: gateways.reduce((total, each) => total + residentMegabytes(each), 0),
    });
  }
  const what = '1 to 9 gateways on one PostgreSQL, cached, metered, per answer';
  const note = `; of it in PostgreSQL ${shares.join(', ')}`;
  return [figureOf('nodes', what, costs, { atMost: 0.3, note })];
}

/**
 * Open subscriptions, each of which waits for a name of a slow registry. A process has at most 5,000
 * requests in flight, and a key 500 of them.
 */
export async function growthOfStreams({ stored }: Scale): Promise<readonly Figure[]> {
  const sizes = stored < 100_000 ? [10, 100, 1000] : [10, 100, 1000, 4500];
  const costs: Cost[] = [];
  for (const size of sizes) {
    const latencyMs = 2000 + size;
    await using registries = await startRegistries({ plan: evenPlan(1, 1), latencyMs });
    const env = { RDAP_RATE: '0', RDAP_CONCURRENCY: '1000', RDAP_TIMEOUT_MS: '60000' };
    await using gateway = await startBenchGateway({ registries, env });
    const [tld = ''] = registries.baseUrls.keys();
    const memory = residentMegabytes(gateway);
    const before = processorSeconds([gateway.pid]);
    const streams: Stream[] = [];
    const keys = Array.from({ length: Math.ceil(size / streamsPerKey) }, () =>
      gateway.newHeaders(),
    );
    const headers = await Promise.all(keys);
    for (let index = 0; index < size; index += 1) {
      const key = headers[index % headers.length] ?? {};
      streams.push(await openStream(gateway.port, key, `held${index % 100}.${tld}`, index));
    }
    await Promise.all(streams.map(({ opened }) => opened));
    const open = residentMegabytes(gateway);
    const ends = await Promise.all(streams.map(({ ended }) => ended));
    costs.push({
      size,
      ms: Math.max(...ends) - Math.min(...ends),
      processorMs: (processorSeconds([gateway.pid]) - before) * 1000,
      megabytes: open - memory,
    });
  }
  const what = 'open subscriptions, from the first to the last row';
  return [figureOf('streams', what, costs, { atMost: 1.1 })];
}

interface Stream {
  /** Resolves with the head of the response. */
  readonly opened: Promise<unknown>;
  /** When the row and the end of the stream had arrived. */
  readonly ended: Promise<number>;
}

async function openStream(
  port: number,
  headers: Readonly<Record<string, string>>,
  domain: string,
  index: number,
): Promise<Stream> {
  // One address may open only a share of all connections.
  const localAddress = `127.0.${1 + (index % 100)}.1`;
  const socket: Socket = connect({ host: '127.0.0.1', port, localAddress });
  const opened = once(socket, 'data');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  const query = `subscription { availability(domains: ["${domain}"]) { domain available } }`;
  socket.write(
    postRequest(
      '/graphql',
      { query },
      { ...headers, accept: 'text/event-stream', connection: 'close' },
    ),
  );
  const ended = once(socket, 'close').then(() => {
    if (!text.includes('"available":false')) throw new Error(`No verdict: ${text.slice(0, 500)}`);
    return performance.now();
  });
  ended.catch(() => undefined);
  await once(socket, 'connect');
  return { opened, ended };
}

/** The exponent of the processor time: 1 if twice the size costs twice as much. */
function figureOf(
  id: string,
  what: string,
  costs: readonly Cost[],
  { atMost, note = '' }: { readonly atMost: number; readonly note?: string },
): Figure {
  const exponent = (of: (cost: Cost) => number) =>
    slope(costs.map((cost) => [cost.size, of(cost)]));
  const each = costs.map(
    ({ size, ms, processorMs, megabytes }) =>
      `${size.toLocaleString('en')}: ${processorMs.toPrecision(3)} ms of processor time, ${ms.toPrecision(3)} ms, ${Math.round(megabytes)} MB`,
  );
  const [time, memory] = [exponent(({ ms }) => ms), exponent(({ megabytes }) => megabytes)];
  return plain(
    {
      id: `growth-${id}`,
      what: `${what}: exponent of the processor time`,
      unit: '',
      target: { atMost },
      note: `${each.join('; ')}; exponents of time ${time.toFixed(2)}, of memory ${memory.toFixed(2)}${note}`,
    },
    [exponent(({ processorMs }) => processorMs)],
  );
}

/** Returns the slope of the line through the logarithms of points (least squares). */
function slope(points: readonly (readonly [size: number, cost: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(Math.max(y, 1e-3))] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const above = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Returns the resident set size. Linux only. */
function residentMegabytes({ pid }: BenchGateway): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { processorSeconds } from '../../support/requests/processor-time.ts';
import { plain, spreadOf, type Figure, type Scale } from '../figures.ts';
import { getRequest, startLoad, type Load, type LoadResult } from '../load.ts';
import { startWarmGateway, type WarmGateway } from '../warm-gateway.ts';

/** Enough addresses that none reaches its share of connections or requests in flight. */
const addresses = 64;
/** Enough keys that none reaches its share. */
const keys = 8;
const unloaded = 16;
const overloads = [10, 100];
/** All connections send at once at the start; afterwards, a closed loop is even. */
const settleSeconds = 2;
const minSeconds = 3 * settleSeconds;

interface Measured extends LoadResult {
  /** Responses with status 200 per second of the gateway's CPU time. */
  readonly perCpuSecond: number;
  readonly rejectedPerSecond: number;
  readonly healthMs: readonly number[];
}

/**
 * Closed loops with 10 and 100 times the connections that keep the gateway busy, with one and with
 * twenty names per request.
 */
export async function overload({ rounds, seconds }: Scale): Promise<readonly Figure[]> {
  await using gateway = await startWarmGateway();
  await using load = await startLoad();
  const figures: Figure[] = [];
  const headers = await Promise.all(Array.from({ length: keys }, () => gateway.newHeaders()));
  for (const names of [1, 20]) {
    // Keys alternate between requests, and each name is equally frequent.
    const requests = gateway.names.map((_, index) => {
      const requested = Array.from(
        { length: names },
        (__, offset) => gateway.names[(index + offset) % gateway.names.length],
      );
      return getRequest(`/v1/status?domain=${requested.join(',')}`, headers[index % keys]);
    });
    figures.push(...(await overloadWith(names, requests, gateway, load, { rounds, seconds })));
  }
  return figures;
}

async function overloadWith(
  names: number,
  requests: readonly string[],
  gateway: WarmGateway,
  load: Load,
  { rounds, seconds }: Pick<Scale, 'rounds' | 'seconds'>,
): Promise<Figure[]> {
  const measure = (connections: number) =>
    measured(gateway, load, { requests, connections, seconds: Math.max(seconds, minSeconds) });
  const byTimes = new Map(
    overloads.map((times) => [times, { ratios: [] as number[], all: [] as Measured[] }]),
  );
  const bases: Measured[] = [];
  for (let round = -1; round < rounds; round++) {
    const base = await measure(unloaded);
    if (round >= 0) bases.push(base);
    for (const [times, { ratios, all }] of byTimes) {
      const result = await measure(unloaded * times);
      if (round < 0) continue;
      ratios.push(result.perCpuSecond / base.perCpuSecond);
      all.push(result);
    }
  }
  const what = names === 1 ? 'one name' : `${names} names`;
  const figures = Array.from(byTimes, ([times, { ratios, all }]) => [
    plain(
      {
        id: `goodput-${names}-${times}`,
        what: `overload ${times}×, ${what}: share of the unloaded goodput per CPU second`,
        unit: '',
        target: { atLeast: 0.9 },
        note: `unloaded: ${described(bases)}; ${times}×: ${described(all)}`,
      },
      ratios,
    ),
    plain(
      {
        id: `overload-p99-${names}-${times}`,
        what: `overload ${times}×, ${what}: p99 of accepted`,
        unit: 'ms',
        target: { atMost: 1000 },
      },
      all.map(({ p99Ms }) => p99Ms),
    ),
    plain(
      {
        id: `overload-health-${names}-${times}`,
        what: `overload ${times}×, ${what}: median of /health`,
        unit: 'ms',
        target: { atMost: 50 },
      },
      all.map(({ healthMs }) => spreadOf(healthMs).median),
    ),
  ]);
  return figures.flat();
}

async function measured(
  gateway: WarmGateway,
  load: Load,
  order: {
    readonly requests: readonly string[];
    readonly connections: number;
    readonly seconds: number;
  },
): Promise<Measured> {
  const before = processorSeconds([gateway.pid]);
  const probing = new AbortController();
  const probes = probeHealth(gateway.port, probing.signal);
  const result = await load.overload({ port: gateway.port, addresses, settleSeconds, ...order });
  probing.abort();
  const used = processorSeconds([gateway.pid]) - before;
  return {
    ...result,
    perCpuSecond: result.answers / used,
    rejectedPerSecond: (result.failures * result.perSecond) / result.answers,
    healthMs: await probes,
  };
}

/**
 * Measures `/health` in milliseconds, on new connections from another address, about 20 per second.
 */
async function probeHealth(port: number, signal: AbortSignal): Promise<readonly number[]> {
  const tookMs: number[] = [];
  while (!signal.aborted) {
    const sentAt = performance.now();
    const answer = await health(port);
    if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`/health under load: ${answer}`);
    tookMs.push(performance.now() - sentAt);
    await delay(50);
  }
  return tookMs;
}

function health(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.1.0.1' });
    socket.on('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data));
    });
    socket.write(getRequest('/health'));
  });
}

function described(all: readonly Measured[]): string {
  const median = (of: (measured: Measured) => number) =>
    Math.round(spreadOf(all.map(of)).median).toLocaleString('en');
  const healthMs = all.flatMap((each) => each.healthMs).toSorted((a, b) => a - b);
  const healthAt = (share: number) =>
    Math.round(healthMs[Math.floor(healthMs.length * share)] ?? NaN);
  return [
    `${median(({ perSecond }) => perSecond)}/s`,
    `${median(({ perCpuSecond }) => perCpuSecond)} per CPU s`,
    `p50 ${median(({ p50Ms }) => p50Ms)} ms, p99 ${median(({ p99Ms }) => p99Ms)} ms`,
    `${median(({ rejectedPerSecond }) => rejectedPerSecond)} rejected/s`,
    `/health p50 ${healthAt(0.5)} ms, p99 ${healthAt(0.99)} ms`,
  ].join(', ');
}

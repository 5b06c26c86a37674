import { join } from 'node:path';
import type { BareAnswer } from '../servers/bare-http-process.ts';
import { scratch } from '../../support/stores/scratch.ts';
import { compare, alternate, warmUpRounds, type Figure, type Scale } from '../figures.ts';
import { getRequest, processorTime, startLoad } from '../load.ts';
import { startChildProcess } from '../part.ts';
import { startWarmGateway, type WarmGateway } from '../warm-gateway.ts';

const connections = 32;

/**
 * `GET /v1/status` compared with Node's HTTP server and the same bytes: its throughput without
 * charges, its processor time with the same charges, for distinct names and for one, and its tail
 * latency at half its throughput.
 */
export async function status({ rounds, seconds }: Scale): Promise<readonly Figure[]> {
  await using gateway = await startWarmGateway();
  const bareFile = join(import.meta.dirname, '../servers/bare-http-process.ts');
  await using bare = await startChildProcess<number>(bareFile);
  await using folder = await scratch();
  await using charging = await startChildProcess<number>(bareFile, folder.path);
  await using load = await startLoad();
  const paths = gateway.names.map(
    (name) => `/v1/status?name=${name.split('.')[0]}&tlds=${gateway.tld}`,
  );
  const requests = paths.map((path) => getRequest(path, gateway.headers));
  const answer = await sameBytes(gateway, paths[0] ?? '');
  await bare.request(answer);
  await charging.request(answer);

  const put = (port: number, rate?: number) =>
    load.measure({ port, requests, seconds, connections, ...(rate !== undefined && { rate }) });
  const before = await creditsLeft(gateway);
  let answers = 1; // the next request for the credits
  const measureGateway = async (rate?: number) => {
    const result = await put(gateway.port, rate);
    answers += result.answers;
    return result;
  };
  const pairs = await alternate(
    rounds,
    async () => (await measureGateway()).perSecond,
    async () => (await put(bare.ready)).perSecond,
    warmUpRounds,
  );
  const processor = (sent: readonly string[]) => {
    const order = { requests: sent, seconds, connections };
    return alternate(
      rounds,
      async () => {
        const taken = await processorTime(load, gateway.pid, { ...order, port: gateway.port });
        answers += taken.answers;
        return taken.perAnswer;
      },
      async () =>
        (await processorTime(load, charging.pid, { ...order, port: charging.ready })).perAnswer,
    );
  };
  const hotPairs = await processor(requests);
  const repeatPairs = await processor(requests.slice(0, 1));
  const highest = Math.max(...pairs.map(([perSecond]) => perSecond));
  const halves = [];
  for (let round = 0; round < rounds; round++) halves.push(await measureGateway(highest / 2));
  const charged = before - (await creditsLeft(gateway));
  if (charged !== answers) throw new Error(`${charged} credits for ${answers} answers`);
  return [
    compare(
      {
        id: 'status',
        what: 'GET /v1/status, warm, key checked, charged: bare node:http',
        unit: '/s',
        target: { atLeast: 0.3, aim: 0.5 },
      },
      pairs,
    ),
    compare(
      {
        id: 'hot',
        what: 'GET /v1/status, warm, distinct names: bare node:http that commits each charge',
        unit: 'µs',
        target: { atMost: 3 },
      },
      hotPairs,
    ),
    compare(
      {
        id: 'repeat',
        what: 'GET /v1/status, warm, one name: bare node:http that commits each charge',
        unit: 'µs',
        target: { atMost: 2 },
      },
      repeatPairs,
    ),
    compare(
      {
        id: 'tail',
        what: 'p99 at half the highest throughput: p50',
        unit: 'ms',
        target: { atMost: 8 },
        note: `at ${Math.round(highest / 2)} requests per second`,
      },
      halves.map(({ p99Ms, p50Ms }) => [p99Ms, p50Ms]),
    ),
  ];
}

async function sameBytes(gateway: WarmGateway, path: string): Promise<BareAnswer> {
  const response = await fetch(new URL(path, gateway.url), { headers: gateway.headers });
  // Headers that Node's server adds.
  const nodeHeaders = ['date', 'connection', 'keep-alive'];
  const headers = Object.fromEntries(
    Array.from(response.headers).filter(([name]) => !nodeHeaders.includes(name)),
  );
  return { headers, body: await response.text() };
}

async function creditsLeft(gateway: WarmGateway): Promise<number> {
  const path = `/v1/status?domain=${gateway.names[0]}`;
  const response = await fetch(new URL(path, gateway.url), { headers: gateway.headers });
  await response.text();
  return Number(response.headers.get('x-credits-remaining'));
}

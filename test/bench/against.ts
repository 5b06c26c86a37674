import { alternate, compare, type Figure } from './figures.ts';
import { getRequest, postRequest, processorTime, startLoad, type Load } from './load.ts';
import { openOtherTree, type NotComparable } from './other-tree.ts';
import { fullRecord, manyNames, request, twoFields, variablesOf } from './rows/graphql.ts';
import { startWarmGateway, type WarmGateway } from './warm-gateway.ts';

const rounds = 3;
/** Duration of the load on each side per round. */
const seconds = 0.7;
/** Rounds in which V8 compiles the hot code of a row. */
const discardedRounds = 2;
/** A row that takes this many times as long in every round has lost speed: noise varies. */
const maxRatio = 1.6;

/** What is measured. It is short, so that it can run with the checks of a commit. */
interface Row {
  readonly what: string;
  /** Of each request; the processor time is divided by it. */
  readonly names: number;
  readonly connections: number;
  readonly requests: (gateway: WarmGateway) => readonly string[];
}

const rows: readonly Row[] = [
  {
    what: 'GET /v1/status, cached',
    names: 1,
    connections: 32,
    requests: ({ names, tld, headers }) =>
      names.map((name) => getRequest(`/v1/status?name=${name.split('.')[0]}&tlds=${tld}`, headers)),
  },
  {
    what: 'GraphQL, two fields, cached',
    names: 1,
    connections: 32,
    requests: (gateway) =>
      gateway.names.map((name) => request(gateway, twoFields, variablesOf(name))),
  },
  {
    what: 'GraphQL, full record, cached',
    names: 1,
    connections: 32,
    requests: (gateway) =>
      gateway.names.map((name) => request(gateway, fullRecord, variablesOf(name))),
  },
  {
    what: 'GraphQL, 100 names, cached, per name',
    names: 100,
    connections: 8,
    requests: (gateway) => [request(gateway, manyNames, { domains: gateway.names })],
  },
  {
    what: 'bulk call, 10 names, not cached, per name',
    names: 10,
    connections: 4,
    requests: ({ names, headers }) =>
      Array.from({ length: names.length / 10 }, (_, index) =>
        postRequest(
          '/v1/status/bulk',
          { domains: names.slice(index * 10, index * 10 + 10), max_age: 0 },
          headers,
        ),
      ),
  },
];

/**
 * Measures the working tree and another commit alternately, so that other load on the machine
 * affects both: microseconds of processor time per request or name. Linux only.
 */
export async function measureAgainst(revision: string): Promise<readonly Figure[] | NotComparable> {
  if (process.platform !== 'linux') return { reason: 'Processor time is read on Linux only.' };
  const other = await openOtherTree(revision);
  if ('reason' in other) return other;
  await using parts = new AsyncDisposableStack();
  parts.use(other);
  const [here, there] = [
    parts.use(await startWarmGateway()),
    parts.use(await startWarmGateway(other.path)),
  ];
  const load = parts.use(await startLoad());
  const figures: Figure[] = [];
  for (const row of rows) {
    const pairs = await alternate(
      rounds,
      () => measureRow(load, here, row),
      () => measureRow(load, there, row),
      discardedRounds,
    );
    figures.push(
      compare({ id: row.what, what: row.what, unit: 'µs', target: { atMost: maxRatio } }, pairs),
    );
  }
  return figures;
}

/** Returns the rows that took too long in every round. */
export function slowerRows(figures: readonly Figure[]): readonly Figure[] {
  return figures.filter(({ ratio }) => ratio.min > maxRatio);
}

async function measureRow(
  load: Load,
  gateway: WarmGateway,
  { names, connections, requests }: Row,
): Promise<number> {
  const order = { port: gateway.port, requests: requests(gateway), seconds, connections };
  return (await processorTime(load, gateway.pid, order)).perAnswer / names;
}

import { Agent, request, type IncomingMessage } from 'node:http';
import type { BenchGateway } from './bench-gateway.ts';
import { isTaken, type Plan } from './registries.ts';

/** When the rows of a search came, in milliseconds from the asking. */
export interface SearchTimes {
  readonly first: number;
  readonly last: number;
  /** Names whose verdict is not what the registries hold; unknown ones are apart. */
  readonly wrong: number;
  readonly unknown: number;
}

/** Searches that do not count, whoever searches: he runs for months, and code that has run a few times only is slower than it will ever be again. */
export const warmUps = 25;

const query =
  'subscription ($name: String, $tlds: [String!]) { availability(name: $name, tlds: $tlds) { domain available } }';

// A page that searches again has its connection, as whoever asks registries directly has.
const agent = new Agent({ keepAlive: true });

/** Searches for a label under all TLDs of a plan, as the search page does. */
export async function search(
  gateway: BenchGateway,
  label: string,
  plan: Plan,
): Promise<SearchTimes> {
  const body = JSON.stringify({
    query,
    variables: { name: label, tlds: plan.map(([tld]) => tld) },
  });
  const startedAt = performance.now();
  const chunks: Chunk[] = [];
  const response = await post(gateway, body);
  for await (const text of response) chunks.push({ text, atMs: performance.now() - startedAt });
  if (response.statusCode !== 200)
    throw new Error(`the search was refused: ${chunks.map(({ text }) => text).join('')}`);
  const rows = rowsOf(chunks);
  if (rows.length !== plan.length)
    throw new Error(`${rows.length} rows in place of ${plan.length}`);
  return {
    first: rows[0]?.atMs ?? NaN,
    last: rows.at(-1)?.atMs ?? NaN,
    wrong: rows.filter(
      ({ domain, available }) => available !== null && available === isTaken(domain),
    ).length,
    unknown: rows.filter(({ available }) => available === null).length,
  };
}

/** A search in which every verdict must be right. */
export async function validSearch(
  gateway: BenchGateway,
  label: string,
  plan: Plan,
): Promise<SearchTimes> {
  const times = await search(gateway, label, plan);
  if (times.wrong + times.unknown > 0)
    throw new Error(`${times.wrong} wrong and ${times.unknown} unknown verdicts`);
  return times;
}

interface Chunk {
  readonly text: string;
  readonly atMs: number;
}

interface Row {
  readonly domain: string;
  readonly available: boolean | null;
  readonly atMs: number;
}

/** By node:http, as the direct client asks: the global fetch takes more of the machine for 300 rows than some gateways would. */
function post({ url, headers }: BenchGateway, body: string): Promise<IncomingMessage> {
  const wanted = { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' };
  return new Promise((resolve, reject) => {
    request(new URL('/graphql', url), { method: 'POST', agent, headers: wanted }, (response) =>
      resolve(response.setEncoding('utf8')),
    )
      .on('error', reject)
      .end(body);
  });
}

/** The rows, read when all have come: they share the machine with the gateway. Each came with the chunk that ends its event. */
function rowsOf(chunks: readonly Chunk[]): readonly Row[] {
  const rows: Row[] = [];
  let rest = '';
  for (const { text, atMs } of chunks) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^event: next\ndata: (.*)$/.exec(event) ?? [];
      if (data !== undefined) rows.push({ ...JSON.parse(data).data.availability, atMs });
    }
  }
  return rows;
}

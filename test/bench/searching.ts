import policies from '../../src/registries/directory/policies.json' with { type: 'json' };
import { Agent, request, type IncomingMessage } from 'node:http';
import type { BenchGateway } from './bench-gateway.ts';
import { isTaken, type Plan } from './servers/registries.ts';

/** When the rows of a search arrived, in milliseconds from its start. */
export interface SearchTimes {
  readonly first: number;
  /** When half of the rows had arrived. */
  readonly half: number;
  readonly last: number;
  /** Names with a wrong verdict, without unknown ones. */
  readonly wrong: number;
  readonly unknown: number;
  /** Why names are unknown, each reason once. */
  readonly reasons: readonly string[];
}

/**
 * Discarded searches at the start: code that has run only a few times is slower than in a
 * long-running process.
 */
export const warmUpSearches = 25;

const query =
  'subscription ($name: String, $tlds: [String!]) { availability(name: $name, tlds: $tlds, confirm: AVAILABLE) { domain available reason } }';

// Later searches of a page reuse its connection, as clients of registries do.
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
    throw new Error(`The search was rejected: ${chunks.map(({ text }) => text).join('')}`);
  const rows = rowsOf(chunks);
  if (rows.length !== plan.length)
    throw new Error(`Expected ${plan.length} rows, got ${rows.length}.`);
  return {
    first: rows[0]?.atMs ?? NaN,
    half: rows[Math.ceil(rows.length / 2) - 1]?.atMs ?? NaN,
    last: rows.at(-1)?.atMs ?? NaN,
    wrong: rows.filter(
      ({ domain, available }) =>
        available !== null && available === (isTaken(domain) || isWithheld(domain)),
    ).length,
    unknown: rows.filter(({ available }) => available === null).length,
    reasons: Array.from(new Set(rows.flatMap(({ reason }) => reason ?? []))),
  };
}

const withheldTlds = new Set([
  ...policies.brand.flatMap((line) => line.split(' ')),
  ...Object.keys(policies.closed),
]);

/** Returns whether an unregistered name would be RESERVED. */
function isWithheld(domain: string): boolean {
  return withheldTlds.has(domain.slice(domain.lastIndexOf('.') + 1));
}

/** Searches for a label. Rejects if a verdict is wrong or unknown. */
export async function validSearch(
  gateway: BenchGateway,
  label: string,
  plan: Plan,
): Promise<SearchTimes> {
  const times = await search(gateway, label, plan);
  if (times.wrong + times.unknown > 0)
    throw new Error(
      `${times.wrong} wrong and ${times.unknown} unknown verdicts (${times.reasons.join(', ')})`,
    );
  return times;
}

interface Chunk {
  readonly text: string;
  readonly atMs: number;
}

interface Row {
  readonly domain: string;
  readonly available: boolean | null;
  readonly reason: string | null;
  readonly atMs: number;
}

/**
 * Uses node:http, like the direct client: for 300 rows, the global fetch takes more CPU time than
 * some gateways.
 */
function post({ url, headers }: BenchGateway, body: string): Promise<IncomingMessage> {
  const requestHeaders = {
    ...headers,
    'content-type': 'application/json',
    accept: 'text/event-stream',
  };
  return new Promise((resolve, reject) => {
    request(
      new URL('/graphql', url),
      { method: 'POST', agent, headers: requestHeaders },
      (response) => resolve(response.setEncoding('utf8')),
    )
      .on('error', reject)
      .end(body);
  });
}

/**
 * Parses the rows after all have arrived, as the client shares the machine with the gateway. Each
 * row arrived with the chunk that completes its event.
 */
function rowsOf(chunks: readonly Chunk[]): readonly Row[] {
  const rows: Row[] = [];
  let rest = '';
  for (const { text, atMs } of chunks) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^event: next\n(?:id: .*\n)?data: (.*)$/.exec(event) ?? [];
      if (data !== undefined) rows.push({ ...JSON.parse(data).data.availability, atMs });
    }
  }
  return rows;
}

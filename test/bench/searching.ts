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

const query = 'subscription ($name: String, $tlds: [String!]) { availability(name: $name, tlds: $tlds) { domain available } }';

/** Searches for a label under all TLDs of a plan, as the search page does, and reads the rows as they come. */
export async function search({ url, headers }: BenchGateway, label: string, plan: Plan): Promise<SearchTimes> {
  const startedAt = performance.now();
  const times: number[] = [];
  const rows: { domain: string; available: boolean | null }[] = [];
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables: { name: label, tlds: plan.map(([tld]) => tld) } }),
  });
  for await (const event of eventsOf(response)) {
    times.push(performance.now() - startedAt);
    rows.push(JSON.parse(event).data.availability);
  }
  if (rows.length !== plan.length) throw new Error(`${rows.length} rows in place of ${plan.length}`);
  const wrong = rows.filter(({ domain, available }) => available !== null && available === isTaken(domain)).length;
  const unknown = rows.filter(({ available }) => available === null).length;
  return { first: times[0] ?? NaN, last: times.at(-1) ?? NaN, wrong, unknown };
}

/** A search in which every verdict must be right. */
export async function soundSearch(gateway: BenchGateway, label: string, plan: Plan): Promise<SearchTimes> {
  const times = await search(gateway, label, plan);
  if (times.wrong + times.unknown > 0) throw new Error(`${times.wrong} wrong and ${times.unknown} unknown verdicts`);
  return times;
}

/** The data of the events of a subscription. */
async function* eventsOf(response: Response): AsyncGenerator<string, void, void> {
  if (response.status !== 200) throw new Error(`the search was refused: ${await response.text()}`);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^event: next\ndata: (.*)$/.exec(event) ?? [];
      if (data !== undefined) yield data;
    }
  }
}

import { baselinePart } from '../baselines.ts';
import { compare, alternate, warmUpRounds, type Figure, type Scale } from '../figures.ts';
import { postRequest, processorTime, startLoad } from '../load.ts';
import { startWarmGateway, type WarmGateway } from '../warm-gateway.ts';

const connections = 32;
export const twoFields =
  'query ($name: String!, $tld: String) { domain(name: $name, tld: $tld) { available status } }';
const contact =
  'roles handle kind name organization email phone fax url address { street city region postalCode country countryCode }';
export const fullRecord = `query ($name: String!, $tld: String) { domain(name: $name, tld: $tld) {
  id domain unicodeName name tld available status reason source rdapEndpoint cached stale checkedAt
  rdap {
    id handle ldhName unicodeName nameservers hosts { name ipv4 ipv6 } statuses
    registrar { name ianaId url abuseEmail abusePhone }
    registrant { ${contact} } contacts { ${contact} }
    createdAt updatedAt expiresAt events { action date }
    dnssec { signed dsRecords { keyTag algorithm digestType digest } } redacted { name method reason } raw
  }
} }`;
export const manyNames =
  'query ($domains: [String!]) { domains(domains: $domains) { available status } }';

/** Two fields of one name: the processor time of Mercurius and its JIT, which reads from a Map. */
export async function graphql(scale: Scale): Promise<readonly Figure[]> {
  const labels = {
    id: 'graphql',
    what: 'GraphQL, two fields with variables, warm, charged: Mercurius JIT',
    unit: 'µs',
  } as const;
  return [await againstMercurius({ ...labels, target: { atMost: 3.3 } }, twoFields, scale)];
}

/** A full record, with the same comparison. */
export async function record(scale: Scale): Promise<readonly Figure[]> {
  const labels = {
    id: 'record',
    what: 'GraphQL, full record, warm, charged: Mercurius JIT',
    unit: 'µs',
  } as const;
  return [await againstMercurius({ ...labels, target: { atMost: 2 } }, fullRecord, scale)];
}

/** A hundred names in one operation, per name, compared with single-name operations. */
export async function many({ rounds, seconds }: Scale): Promise<readonly Figure[]> {
  await using gateway = await startWarmGateway();
  await using load = await startLoad();
  const single = gateway.names.map((name) => request(gateway, twoFields, variablesOf(name)));
  const hundred = [request(gateway, manyNames, { domains: gateway.names })];
  const put = async (requests: readonly string[], connectionCount: number) =>
    (await load.measure({ port: gateway.port, requests, seconds, connections: connectionCount }))
      .perSecond;
  const pairs = await alternate(
    rounds,
    // More connections would be rejected as overload.
    async () => (await put(hundred, 8)) * gateway.names.length,
    () => put(single, connections),
  );
  const what = 'GraphQL, 100 names in one operation, a name: single-name operation';
  return [compare({ id: 'many', what, unit: 'names/s', target: { atLeast: 8 } }, pairs)];
}

async function againstMercurius(
  labels: Parameters<typeof compare>[0],
  query: string,
  { rounds, seconds }: Scale,
): Promise<Figure> {
  await using gateway = await startWarmGateway();
  await using mercurius = await baselinePart<number>('mercurius.mjs');
  await using load = await startLoad();
  const answers = await Promise.all(gateway.names.map((name) => answerOf(gateway, query, name)));
  await mercurius.request(answers.map(({ domain }, index) => [gateway.names[index], domain]));
  const requests = gateway.names.map((name) => request(gateway, query, variablesOf(name)));
  await assertSameResponse(mercurius.ready, query, gateway.names[0] ?? '', answers[0]);
  const put = async (pid: number, port: number) =>
    (await processorTime(load, pid, { port, requests, seconds, connections })).perAnswer;
  const pairs = await alternate(
    rounds,
    () => put(gateway.pid, gateway.port),
    () => put(mercurius.pid, mercurius.ready),
    warmUpRounds,
  );
  return compare(labels, pairs);
}

/** Returns the text of a GraphQL request with the gateway's key. */
export function request(gateway: WarmGateway, query: string, variables: object): string {
  return postRequest('/graphql', { query, variables }, gateway.headers);
}

/** Returns the variables of the queries about one name. */
export function variablesOf(domain: string): object {
  const [name, tld] = domain.split('.');
  return { name, tld };
}

async function answerOf(
  gateway: WarmGateway,
  query: string,
  name: string,
): Promise<{ readonly domain: object }> {
  const body = JSON.stringify({ query, variables: variablesOf(name) });
  const text = await gateway.text('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return JSON.parse(text).data;
}

/** Throws if the baseline's response differs from the gateway's. */
async function assertSameResponse(
  port: number,
  query: string,
  name: string,
  answer: object | undefined,
): Promise<void> {
  const body = JSON.stringify({ query, variables: variablesOf(name) });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers,
    body,
  });
  const text = await response.text();
  if (text !== JSON.stringify({ data: answer }))
    throw new Error(`Mercurius returns a different response: ${text}`);
}

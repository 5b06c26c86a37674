import type { Gateway, Json } from '../../support/gateways/gateway.ts';
import type { Random } from '../../support/time/random.ts';
import { randomName, randomSpelling } from './names.ts';
import type { Tally } from './tally.ts';

const maxPerStatus = 50;

/** Looks up some names in one of the ways that a client has, and checks the answer. */
export async function oneCall(gateway: Gateway, random: Random, tally: Tally): Promise<void> {
  const names = Array.from({ length: 1 + random.below(random.pick([1, 10, 60])) }, () =>
    randomName(random),
  );
  const expected = [...new Set(names)];
  const age = random.pick(['', '', '', '0', '60', '3600', '2592000']);
  const confirm = random.pick(['all', 'available']);
  const call = random.pick([status, status, bulk, graphql, record, abort]);
  try {
    await call(
      gateway,
      {
        names,
        expected,
        age,
        confirm,
        spellings: names.map((name) => randomSpelling(name, random)),
      },
      tally,
    );
  } catch (error) {
    tally.addWrong(`${call.name} failed: ${String(error)}`);
  }
}

interface Call {
  readonly names: readonly string[];
  /** Distinct names, in order. */
  readonly expected: readonly string[];
  /** The names in various spellings. */
  readonly spellings: readonly string[];
  readonly age: string;
  readonly confirm: string;
}

async function status(
  gateway: Gateway,
  { names, spellings, age, confirm }: Call,
  tally: Tally,
): Promise<void> {
  const query = new URLSearchParams({
    confirm,
    domain: spellings.slice(0, maxPerStatus).join(','),
    ...(age && { max_age: age }),
  });
  const body = await gateway.get(`/v1/status?${query}`);
  checkRows([...new Set(names.slice(0, maxPerStatus))], body.results, body, tally);
}

async function bulk(
  gateway: Gateway,
  { names, spellings, age, confirm }: Call,
  tally: Tally,
): Promise<void> {
  const answer = await gateway.post('/v1/status/bulk', {
    domains: spellings,
    confirm,
    // The clock is not advanced during a call, so a lookup would wait a minute for a back-off to end.
    budget_ms: 5000,
    ...(age && { max_age: Number(age) }),
  });
  const body = await answer.json();
  checkRows(names, body.results, body, tally);
}

async function graphql(
  gateway: Gateway,
  { expected, spellings, age, confirm }: Call,
  tally: Tally,
): Promise<void> {
  const fields = 'domain available status reason source cached stale checkedAt rdap { handle }';
  const operation = `query ($domains: [String!], $maxAge: Int, $confirm: Confirm) { domains(domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${fields} } }`;
  const body = await gateway.graphql(operation, {
    domains: spellings,
    maxAge: age ? Number(age) : null,
    confirm: confirm.toUpperCase(),
  });
  checkRows(expected, body.data?.domains, body, tally);
}

async function record(
  gateway: Gateway,
  { names, spellings, age }: Call,
  tally: Tally,
): Promise<void> {
  const [name = ''] = names;
  const query = new URLSearchParams({ domain: spellings[0] ?? '', ...(age && { max_age: age }) });
  const answer = await gateway.fetch(`/v1/rdap?${query}`);
  const body = await answer.json();
  if (body.code === 'overloaded') return tally.addRejected();
  // A name without a record.
  if (body.code === 'no_rdap' && body.domain === undefined) return;
  const failed = [502, 503, 504].includes(answer.status);
  tally.check(
    name,
    failed ? { domain: name, status: 'unknown', available: null, reason: body.code } : body,
  );
}

/** Sends a request and aborts it, which must not affect other requests. */
async function abort(gateway: Gateway, { spellings }: Call): Promise<void> {
  const client = new AbortController();
  const response = gateway.fetch(
    `/v1/status?domain=${encodeURIComponent(spellings.slice(0, maxPerStatus).join(','))}&max_age=0`,
    { signal: client.signal },
  );
  setTimeout(() => client.abort(), 2);
  await response.then((answer) => answer.arrayBuffer()).catch(() => undefined);
}

function checkRows(
  expected: readonly string[],
  rows: readonly Json[] | undefined,
  body: Json,
  tally: Tally,
): void {
  if (JSON.stringify(body).includes('"code":"overloaded"')) return tally.addRejected();
  if (rows?.length !== expected.length)
    return tally.addWrong(
      `expected ${expected.length} rows: ${JSON.stringify(body).slice(0, 300)}`,
    );
  for (const [index, name] of expected.entries()) tally.check(name, rows[index]);
}

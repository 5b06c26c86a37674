// Looks up random names in every way, at a gateway whose registries often fail but otherwise return
// known verdicts: `node test/soak/oracle.ts [ANSWERS] [SEED] [OUTAGES]`.
import { domainToASCII, domainToUnicode } from 'node:url';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { jumpingClock } from '../support/jumping-clock.ts';
import { seededRandom, type Random } from '../support/random.ts';
import {
  handleOf,
  startTruthfulRegistry,
  truthOf,
  type Outage,
  type TruthfulRegistry,
} from './truthful-registry.ts';

/** The outcome of a run. */
export interface OracleReport {
  readonly seed: number;
  readonly checked: number;
  /** Rows by verdict, including stale and cached ones. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly cached: number;
  readonly stale: number;
  /**
   * Calls that the gateway rejected as `overloaded`: it shares its thread with all registries and
   * clients of this test.
   */
  readonly refused: number;
  /** Requests that reached the registries. */
  readonly requests: number;
  /** Outages that started. */
  readonly outages: number;
  /**
   * The share of UNKNOWN rows: during an outage of their registry, in the rounds after it, and
   * otherwise.
   */
  readonly unknown: Readonly<Record<Phase, string>>;
  /** One line per wrong answer; must be empty. */
  readonly wrong: readonly string[];
}

/** The options of a run. */
export interface OracleOptions {
  readonly answers: number;
  readonly seed: number;
  readonly faults?: number;
  readonly lies?: number;
  /** The probability per round that a registry loses data. */
  readonly outages?: number;
}

type Phase = 'normal' | 'outage' | 'recovery';

const tlds = ['aa', 'bb', 'cc', 'dd'] as const;
/** The first registry serves two TLDs, the others one each. */
const registryOfTld = { aa: 0, bb: 0, cc: 1, dd: 2 } as const;
type Tld = (typeof tlds)[number];
const namesPerTld = 1500;
const recoveryRounds = 5;
const allLabels = labels();
const clients = 24;
const maxPerStatus = 50;
const minute = 60_000;

/** Runs until `answers` answers have been checked. */
export async function runOracle({
  answers,
  seed,
  faults = 0.3,
  lies = 0,
  outages = 0,
}: OracleOptions): Promise<OracleReport> {
  const random = seededRandom(seed);
  const clock = jumpingClock();
  await using stack = new AsyncDisposableStack();
  const registries = await Promise.all(
    [0, 1, 2].map(() => startTruthfulRegistry({ faults, lies, random })),
  );
  for (const registry of registries) stack.use(registry);
  const baseUrlOf = (tld: Tld) => registries[registryOfTld[tld]]?.baseUrl ?? '';
  // Some responses redirect to these hosts at private addresses, so the bootstrap document must
  // contain them.
  const redirectTargets = registries.map(({ baseUrl }) =>
    baseUrl.replace('127.0.0.1', 'localhost'),
  );
  const gateway = stack.use(
    await startGateway({
      clock,
      registries: Object.fromEntries([
        ...tlds.map((tld) => [tld, baseUrlOf(tld)]),
        ...redirectTargets.map((target, index) => [`redirect-target${index}`, target]),
      ]),
      env: {
        RDAP_TIMEOUT_MS: '400',
        RDAP_RATE: '0',
        RDAP_CONCURRENCY: '32',
        RATE_LIMIT: '0',
        AUTH: 'open',
      },
    }),
  );
  const phases = createPhases(registries, random, outages);
  const tally = createTally(phases.of);
  if (outages > 0) await fillCache(gateway);
  while (tally.checked < answers) {
    await Promise.all(Array.from({ length: clients }, () => oneCall(gateway, random, tally)));
    const isLongLeap = random.chance(0.02);
    phases.next(isLongLeap);
    clock.advance(isLongLeap ? random.below(3 * 24 * 60) * minute : random.below(2 * minute));
  }
  const requests = registries.reduce((sum, registry) => sum + registry.requestCount, 0);
  const { checked, verdicts, cached, stale, refused, wrong } = tally;
  return {
    seed,
    requests,
    checked,
    verdicts,
    cached,
    stale,
    refused,
    outages: phases.begun,
    unknown: tally.unknownShares(),
    wrong,
  };
}

/**
 * Looks up every name until it has a verdict: an outage that starts within five minutes of a canary
 * check is detected only by contradicting stored answers.
 */
async function fillCache(gateway: Gateway): Promise<void> {
  let missing = tlds.flatMap((tld) => labels().map((label) => `${label}.${tld}`));
  while (missing.length > 0) {
    const body = await (
      await gateway.post('/v1/status/bulk', { domains: missing.slice(0, 500) })
    ).json();
    const unknown = new Set(
      (body.results ?? [])
        .filter(({ available }: Json) => available === null)
        .map(({ domain }: Json) => domain),
    );
    missing = [
      ...missing.slice(500),
      ...(body.results ? unknown : missing.slice(0, 500)),
    ] as string[];
  }
}

function labels(): readonly string[] {
  return Array.from({ length: namesPerTld }, (_, index) =>
    index % 10 === 0 ? domainToASCII(`bücher${index}`) : `name${index}`,
  );
}

/**
 * Starts and ends outages of the registries, each within a day, and returns the phase of each name.
 */
function createPhases(registries: readonly TruthfulRegistry[], random: Random, chance: number) {
  const recovering = registries.map(() => 0);
  let begun = 0;
  return {
    get begun() {
      return begun;
    },
    of(name: string): Phase {
      const index = registryOfTld[name.split('.')[1] as Tld];
      if (registries[index]?.outage !== undefined) return 'outage';
      return (recovering[index] ?? 0) > 0 ? 'recovery' : 'normal';
    },
    next(isLongLeap: boolean) {
      for (const [index, registry] of registries.entries()) {
        recovering[index] = Math.max(0, (recovering[index] ?? 0) - 1);
        if (registry.outage !== undefined && (isLongLeap || random.chance(0.1))) {
          registry.outage = undefined;
          recovering[index] = recoveryRounds;
        } else if (registry.outage === undefined && !isLongLeap && random.chance(chance)) {
          registry.outage = random.pick<Outage>([
            'everything',
            `.${random.pick(tlds)}`,
            'a canary',
            'a tenth',
          ]);
          begun += 1;
        }
      }
    },
  };
}

function createTally(phaseOf: (name: string) => Phase) {
  const byPhase = {
    normal: { rows: 0, unknown: 0 },
    outage: { rows: 0, unknown: 0 },
    recovery: { rows: 0, unknown: 0 },
  };
  const tally = {
    checked: 0,
    verdicts: {} as Record<string, number>,
    cached: 0,
    stale: 0,
    refused: 0,
    wrong: [] as string[],
  };
  return Object.assign(tally, {
    /** Compares an answer with the expected verdict. */
    check(expected: string, row: Json): void {
      const verdict = String(row?.status).toLowerCase();
      tally.checked += 1;
      tally.verdicts[verdict] = (tally.verdicts[verdict] ?? 0) + 1;
      tally.cached += Number(row?.cached === true);
      tally.stale += Number(row?.stale === true);
      const phase = byPhase[phaseOf(expected)];
      phase.rows += 1;
      phase.unknown += Number(verdict === 'unknown');
      for (const fault of faultsOf(expected, row, verdict))
        tally.wrong.push(`${expected}: ${fault} in ${JSON.stringify(row)}`);
    },
    unknownShares(): Record<Phase, string> {
      const share = (phase: Phase) =>
        `${((100 * byPhase[phase].unknown) / Math.max(1, byPhase[phase].rows)).toFixed(1)} %`;
      return { normal: share('normal'), outage: share('outage'), recovery: share('recovery') };
    },
    addWrong: (text: string) => void tally.wrong.push(text),
    addRejected: () => void (tally.refused += 1),
  });
}

type Tally = ReturnType<typeof createTally>;

function faultsOf(name: string, row: Json, verdict: string): readonly string[] {
  const truth = truthOf(name);
  const available = verdict === 'unknown' ? null : verdict === 'available';
  const handle = row?.registration?.handle ?? row?.rdap?.handle;
  return [
    row?.domain !== name && 'another name',
    verdict !== 'unknown' && verdict !== truth && `a wrong verdict, not ${truth}`,
    row?.available !== available && 'a verdict that contradicts itself',
    row?.available === true && row.stale && 'a stale AVAILABLE',
    verdict === 'unknown' && !row?.reason && 'no reason',
    verdict === 'unknown' && row?.cached && 'a cached UNKNOWN',
    typeof handle === 'string' && handle !== handleOf(name) && "another name's record",
    row?.rdap?.ldhName !== undefined &&
      String(row.rdap.ldhName).toLowerCase() !== name &&
      "another name's object",
  ].filter((fault) => typeof fault === 'string');
}

async function oneCall(gateway: Gateway, random: Random, tally: Tally): Promise<void> {
  const names = Array.from({ length: 1 + random.below(random.pick([1, 10, 60])) }, () =>
    randomName(random),
  );
  const expected = [...new Set(names)];
  const age = random.pick(['', '', '', '0', '60', '3600', '2592000']);
  const call = random.pick([status, status, bulk, graphql, record, abort]);
  try {
    await call(
      gateway,
      { names, expected, age, spellings: names.map((name) => randomSpelling(name, random)) },
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
}

async function status(
  gateway: Gateway,
  { names, spellings, age }: Call,
  tally: Tally,
): Promise<void> {
  const query = new URLSearchParams({
    domain: spellings.slice(0, maxPerStatus).join(','),
    ...(age && { max_age: age }),
  });
  const body = await gateway.get(`/v1/status?${query}`);
  checkRows([...new Set(names.slice(0, maxPerStatus))], body.results, body, tally);
}

async function bulk(
  gateway: Gateway,
  { names, spellings, age }: Call,
  tally: Tally,
): Promise<void> {
  const answer = await gateway.post('/v1/status/bulk', {
    domains: spellings,
    ...(age && { max_age: Number(age) }),
  });
  const body = await answer.json();
  checkRows(names, body.results, body, tally);
}

async function graphql(
  gateway: Gateway,
  { expected, spellings, age }: Call,
  tally: Tally,
): Promise<void> {
  const fields = 'domain available status reason cached stale rdap { handle }';
  const operation = `query ($domains: [String!], $maxAge: Int) { domains(domains: $domains, maxAge: $maxAge) { ${fields} } }`;
  const body = await gateway.graphql(operation, {
    domains: spellings,
    maxAge: age ? Number(age) : null,
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
    {
      signal: client.signal,
    },
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

function randomName(random: Random): string {
  return `${allLabels[random.below(allLabels.length)]}.${random.pick(tlds)}`;
}

function randomSpelling(name: string, random: Random): string {
  return random.pick([
    name,
    name,
    name.toUpperCase(),
    domainToUnicode(name),
    ` ${name}`,
    `${name}.`,
    name.replace('.', '。'),
  ]);
}

if (import.meta.main) {
  const [answers = '200000', seed = String(Date.now() % 2 ** 32), outages = '0.05'] =
    process.argv.slice(2);
  const startedAt = performance.now();
  const { wrong, ...report } = await runOracle({
    answers: Number(answers),
    seed: Number(seed),
    outages: Number(outages),
  });
  console.log({
    ...report,
    wrong: wrong.length,
    seconds: Math.round((performance.now() - startedAt) / 1000),
  });
  for (const line of wrong.slice(0, 20)) console.log(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

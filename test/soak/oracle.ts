// Looks up random names in every way, at a gateway whose registries often fail but otherwise return
// known verdicts: `node test/soak/oracle.ts [ANSWERS] [SEED] [OUTAGES]`.
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import { seededRandom } from '../support/time/random.ts';
import { oneCall } from './oracle/calls.ts';
import {
  allNames,
  dasTlds,
  dnsOnlyTld,
  listedTlds,
  namesUnder,
  tlds,
  unlistedTlds,
  whoisTlds,
} from './oracle/names.ts';
import { Outages } from './oracle/outages.ts';
import { createTally, type Phase, type Tally } from './oracle/tally.ts';
import { startTruthfulDas } from './truthful-das.ts';
import { startTruthfulRegistry, type TruthfulRegistry } from './truthful-registry.ts';
import { startTruthfulWhois } from './truthful-whois.ts';
import { startTruthfulZones } from './truthful-zones.ts';

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
  /** Rows by source. */
  readonly sources: Readonly<Record<string, number>>;
  /** Rows of names with a WHOIS server, by verdict, and by source or by reason. */
  readonly whois: Readonly<Record<string, number>>;
  /** Requests that reached the RDAP servers. */
  readonly requests: number;
  readonly queries: { readonly dns: number; readonly das: number; readonly whois: number };
  /** Outages of RDAP servers that started. */
  readonly outages: number;
  /** The states that zones, availability services and WHOIS servers had. */
  readonly states: readonly string[];
  /**
   * The share of UNKNOWN rows: during an outage of their registry, in the rounds after it, and
   * otherwise.
   */
  readonly unknown: Readonly<Record<Phase, string>>;
  /**
   * False "available" answers after a DAS or WHOIS server lost its data, which are possible until its
   * next controls: their number, and the most after one loss.
   */
  readonly bound: { readonly used: number; readonly most: number; readonly losses: number };
  /** One line per wrong answer beyond the bound; must be empty. */
  readonly wrong: readonly string[];
}

/** The options of a run. */
export interface OracleOptions {
  readonly answers: number;
  readonly seed: number;
  readonly faults?: number;
  readonly lies?: number;
  /** The probability per round that an RDAP server loses data, or that another source fails or is wrong. */
  readonly outages?: number;
}

const clients = 48;
const minute = 60_000;

/** Runs until `answers` answers have been checked, some of them during an outage if there are any. */
export async function runOracle({
  answers,
  seed,
  faults = 0.3,
  lies = 0,
  outages = 0,
}: OracleOptions): Promise<OracleReport> {
  const random = seededRandom(seed);
  /** The share of failing queries at RDAP servers; a third of it at the others. */
  let share = 0;
  const clock = jumpingClock();
  await using stack = new AsyncDisposableStack();
  const registries = await Promise.all(
    [0, 1, 2, 3, 4].map(() => startTruthfulRegistry({ faults: () => share, lies, random })),
  );
  for (const registry of registries) stack.use(registry);
  const startedAt = clock.now();
  const zones = stack.use(
    await startTruthfulZones({ zones: tlds, faults: () => share / 3, outages, random, startedAt }),
  );
  const das = stack.use(await startTruthfulDas({ faults: () => share / 3, outages, random }));
  // Texts also change while no registry fails.
  const textChanges = Math.max(outages, 0.1);
  const whois = stack.use(
    await startTruthfulWhois({ faults: () => share / 3, outages: textChanges, random }),
  );
  const sources = stack.use(
    await writeBootstrap(sourcesOf(registries, zones.servers, das.server, whois.server)),
  );
  const limits = stack.use(
    await writeBootstrap({ dns: { rate: 0, burst: 1000 }, [whois.server]: { rate: 0 } }),
  );
  const gateway = stack.use(
    await startGateway({
      clock,
      registries: listedRegistries(registries),
      env: {
        SOURCES_FILE: sources.path,
        RDAP_TIMEOUT_MS: '400',
        RDAP_RATE: '0',
        RDAP_LIMITS: limits.path,
        RDAP_CONCURRENCY: '32',
        RATE_LIMIT: '0',
        AUTH: 'open',
      },
    }),
  );
  const phases = new Outages(registries, random, outages);
  const tally = createTally((name) => phases.phaseOf(name), { zones, das, whois });
  await fillCache(gateway, clock, outages > 0 ? allNames : namesUnder(whoisTlds));
  share = faults;
  const isMissingOutage = () => outages > 0 && tally.rowsIn('outage') === 0;
  while (tally.checked < answers || isMissingOutage()) {
    await Promise.all(Array.from({ length: clients }, () => oneCall(gateway, random, tally)));
    const isLongLeap = random.chance(0.02);
    phases.nextRound(isLongLeap, zones.isEmpty);
    clock.advance(isLongLeap ? random.below(3 * 24 * 60) * minute : random.below(2 * minute));
    das.nextRound(clock.now());
    whois.nextRound(clock.now());
    zones.nextRound(clock.now(), (zone) => phases.phaseOf(`.${zone}`) !== 'outage');
  }
  const { checked, verdicts, sources: bySource, cached, stale, refused, wrong } = tally;
  return {
    seed,
    requests: registries.reduce((sum, registry) => sum + registry.requestCount, 0),
    queries: { dns: zones.queryCount, das: das.queryCount, whois: whois.queryCount },
    checked,
    verdicts,
    sources: bySource,
    whois: tally.whois,
    cached,
    stale,
    refused,
    outages: phases.begun,
    states: [...zones.states, ...das.states, ...whois.states],
    unknown: tally.unknownShares(),
    bound: boundOf(tally),
    wrong,
  };
}

function boundOf({ falseByLoss }: Tally): OracleReport['bound'] {
  const counts = Array.from(falseByLoss.values(), (names) => names.size);
  const used = counts.reduce((sum, count) => sum + count, 0);
  return { used, most: Math.max(0, ...counts), losses: counts.length };
}

/**
 * Returns the entries of the bootstrap document. Some responses redirect to other hosts at private
 * addresses, so it must contain them.
 */
function listedRegistries(registries: readonly TruthfulRegistry[]): Record<string, string> {
  const targets = registries.map(({ baseUrl }) => baseUrl.replace('127.0.0.1', 'localhost'));
  return Object.fromEntries([
    ...Object.entries(listedTlds).map(([tld, index]) => [tld, registries[index]?.baseUrl ?? '']),
    ...targets.map((target, index) => [`redirect-target${index}`, target]),
  ]);
}

function sourcesOf(
  registries: readonly TruthfulRegistry[],
  dns: readonly string[],
  das: string,
  whois: string,
) {
  const rdapOf = (tld: string) => {
    const index = Object.entries(unlistedTlds).find(([other]) => other === tld)?.[1];
    return index === undefined ? null : [registries[index]?.baseUrl];
  };
  const unlisted = [...Object.keys(unlistedTlds), ...dasTlds, dnsOnlyTld];
  return {
    suffixes: {
      '': { dns },
      ...Object.fromEntries(unlisted.map((tld) => [tld, { rdap: rdapOf(tld) }])),
      ...Object.fromEntries(whoisTlds.map((tld) => [tld, { rdap: null, whois }])),
      ...Object.fromEntries(dasTlds.map((tld) => [tld, { rdap: rdapOf(tld), das }])),
    },
  };
}

/**
 * Looks up names until each has a verdict: a loss of data that starts within five minutes of a canary
 * check, or within an hour of controls, is detected only by contradicting stored answers.
 */
async function fillCache(
  gateway: Gateway,
  clock: JumpingClock,
  names: readonly string[],
): Promise<void> {
  let missing = names;
  while (missing.length > 0) {
    const batch = missing.slice(0, 120);
    const response = await gateway.post('/v1/status/bulk', { domains: batch });
    const { results = [] }: Json = await response.json();
    const complete = new Set(results.filter(isFinal).map(({ domain }: Json) => domain));
    missing = [...missing.slice(120), ...batch.filter((name) => !complete.has(name))];
    // By then, failed controls are repeated, and refused queries may be sent again.
    clock.advance(20 * minute);
  }
}

/** Returns whether all sources of a name answered, even if without a verdict. */
function isFinal({ available, reason }: Json): boolean {
  return available !== null || ['not_delegated', 'contradicted'].includes(reason);
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

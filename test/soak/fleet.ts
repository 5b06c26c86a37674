// Three nodes on one PostgreSQL behind a load balancer, under load with keys. Every two seconds,
// one of them is killed with SIGKILL and restarted; at the end, each is restarted with SIGTERM.
// After each kill, all reservations expire, including those of running nodes, as if these had been
// suspended. Counts lost and doubled credits, wrong verdicts and failed requests:
// `node test/soak/fleet.ts [seconds] [nodes] [ms between kills] [customers] [seed]`.
import { setTimeout as wait } from 'node:timers/promises';
import { expireReservations } from '../support/stores/expire-reservations.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import {
  newCustomer,
  type FleetCustomer,
  type FleetTally,
} from '../support/gateways/fleet-customer.ts';
import { startFleetOfProcesses, type Fleet } from '../support/gateways/fleet-of-processes.ts';
import { seededRandom, type Random } from '../support/time/random.ts';
import { html, registered } from '../support/bodies/replies.ts';
import { startTruthfulRegistry } from './truthful-registry.ts';

/** The outcome of a run. */
export interface FleetReport extends FleetTally {
  /** Determines all random choices, but not their timing. */
  readonly seed: number;
  readonly kills: number;
  /** Requests answered while nodes were killed, and then while they were restarted. */
  readonly answeredWhile: { readonly killing: number; readonly restarting: number };
  readonly creditsCharged: number;
  readonly creditsLost: number;
  readonly creditsDoubled: number;
  /** The maximum price of failed requests; each was charged in full or not at all. */
  readonly creditsUndecided: number;
  /** Months whose counter is not the sum of their entries. */
  readonly discrepancies: number;
  /** Expired reservations that were refunded. */
  readonly expired: number;
}

/** The options of a run. */
export interface FleetRun {
  readonly seconds: number;
  readonly nodes: number;
  readonly killEveryMs: number;
  readonly customers: number;
  readonly seed: number;
}

/** Runs the nodes under load, kills and restarts them, and checks the ledger. */
export async function runFleet({
  seconds,
  nodes,
  killEveryMs,
  customers: count,
  seed,
}: FleetRun): Promise<FleetReport> {
  await using parts = new AsyncDisposableStack();
  const random = seededRandom(seed);
  const shop = parts.use(await startFakeRegistry());
  shop.on(/^nic\./, ({ name }) => registered(name));
  shop.on(/^down/, html(404));
  const truth = parts.use(await startTruthfulRegistry({ faults: () => 0.02, random }));
  const registries = { example: shop.baseUrl, truth: truth.baseUrl };
  const fleet = parts.use(
    await startFleetOfProcesses({ nodes, registries, env: { RDAP_TIMEOUT_MS: '20000' } }),
  );
  const tally: FleetTally = {
    answered: 0,
    lostWithNode: 0,
    overloaded: 0,
    failed: [],
    verdicts: {},
    wrong: [],
  };
  const customers = await Promise.all(
    Array.from({ length: count }, () => newCustomer(fleet, tally, random)),
  );

  const done = new AbortController();
  const sending = customers.map(async (customer) => {
    while (!done.signal.aborted) await customer.sendRequest();
  });
  const { kills, expired } = await killRepeatedly(fleet, seconds, killEveryMs, random);
  const killing = tally.answered;
  for (const node of fleet.nodes) {
    await node.restart();
    await wait(1000);
  }
  done.abort();
  await Promise.all(sending);
  const answeredWhile = { killing, restarting: tally.answered - killing };
  const expiredAtLast = await expireReservations(fleet.storeUrl);
  return {
    seed,
    kills,
    expired: expired + expiredAtLast,
    answeredWhile,
    ...tally,
    ...(await audit(fleet, customers)),
  };
}

/**
 * Kills a node every `everyMs`, except one that is starting. Resolves when all nodes serve
 * requests.
 */
async function killRepeatedly(
  { nodes, storeUrl }: Fleet,
  seconds: number,
  everyMs: number,
  random: Random,
) {
  const until = performance.now() + seconds * 1000;
  const starting: Promise<void>[] = [];
  let expired = 0;
  for (let next = performance.now() + everyMs; next < until; next += everyMs) {
    await wait(Math.max(next - performance.now(), 0));
    const running = nodes.filter((node) => node.running);
    const victim = running[random.below(running.length)];
    if (victim && running.length > 1) starting.push(victim.kill());
    expired += await expireReservations(storeUrl);
  }
  await Promise.all(starting);
  return { kills: starting.length, expired };
}

async function audit(fleet: Fleet, customers: readonly FleetCustomer[]) {
  const sums = { creditsCharged: 0, creditsLost: 0, creditsDoubled: 0, creditsUndecided: 0 };
  for (const { id, acknowledged, undecided } of customers) {
    const { used } = await fleet.ledger.balance(id);
    sums.creditsCharged += used;
    sums.creditsLost += Math.max(0, acknowledged - used);
    sums.creditsDoubled += Math.max(0, used - acknowledged - undecided);
    sums.creditsUndecided += undecided;
  }
  return { ...sums, discrepancies: (await fleet.ledger.check()).length };
}

if (import.meta.main) {
  const [
    seconds = 120,
    nodes = 3,
    killEveryMs = 2000,
    customers = 12,
    seed = Date.now() % 2 ** 32,
  ] = process.argv.slice(2).map(Number);
  const { failed, wrong, ...report } = await runFleet({
    seconds,
    nodes,
    killEveryMs,
    customers,
    seed,
  });
  console.log({ ...report, failed: failed.length, wrong: wrong.length });
  for (const line of [...failed, ...wrong].slice(0, 20)) console.log(line);
  process.exitCode =
    failed.length +
      wrong.length +
      report.creditsLost +
      report.creditsDoubled +
      report.discrepancies >
    0
      ? 1
      : 0;
}

// Three nodes on one PostgreSQL behind a balancer, under load with keys. One of them is killed with SIGKILL every two seconds and started again,
// for so many seconds; then each is restarted in order. After each kill all reservations expire, also those of nodes that run, as if these had
// been suspended. Counts credits lost or doubled, wrong verdicts, and requests that failed:
// `node test/soak/fleet.ts [seconds] [nodes] [ms between kills] [customers] [seed]`.
import { setTimeout as wait } from 'node:timers/promises';
import { expireReservations } from '../support/expire-reservations.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { newCustomer, type FleetCustomer, type FleetTally } from '../support/fleet-customer.ts';
import { startFleetOfProcesses, type Fleet } from '../support/fleet-of-processes.ts';
import { seededRandom, type Random } from '../support/random.ts';
import { html, registered } from '../support/replies.ts';
import { startTruthfulRegistry } from './truthful-registry.ts';

export interface FleetReport extends FleetTally {
  /** What all random choices follow from; how they meet in time does not. */
  readonly seed: number;
  readonly kills: number;
  /** Requests that were answered while nodes were killed, and then while each was restarted in order. */
  readonly answeredWhile: { readonly killing: number; readonly restarting: number };
  readonly creditsCharged: number;
  readonly creditsLost: number;
  readonly creditsDoubled: number;
  /** What requests that failed cost at most; each was charged whole or not at all. */
  readonly creditsUndecided: number;
  /** Months whose count is not the sum of their entries. */
  readonly discrepancies: number;
  /** Reservations that were refunded as they expired. */
  readonly expired: number;
}

export interface FleetRun {
  readonly seconds: number;
  readonly nodes: number;
  readonly killEveryMs: number;
  readonly customers: number;
  readonly seed: number;
}

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
  const truth = parts.use(await startTruthfulRegistry({ faults: 0.02, random }));
  const registries = { example: shop.baseUrl, truth: truth.baseUrl };
  const fleet = parts.use(
    await startFleetOfProcesses({ nodes, registries, env: { RDAP_TIMEOUT_MS: '20000' } }),
  );
  const tally: FleetTally = {
    answered: 0,
    lostWithTheirNode: 0,
    turnedAway: 0,
    failed: [],
    verdicts: {},
    wrong: [],
  };
  const customers = await Promise.all(
    Array.from({ length: count }, () => newCustomer(fleet, tally, random)),
  );

  const done = new AbortController();
  const asking = customers.map(async (customer) => {
    while (!done.signal.aborted) await customer.askOnce();
  });
  const { kills, expired } = await killForAWhile(fleet, seconds, killEveryMs, random);
  const killing = tally.answered;
  for (const node of fleet.nodes) {
    await node.restart();
    await wait(1000);
  }
  done.abort();
  await Promise.all(asking);
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

/** Kills a node every so many ms; one that is being started is left alone. Resolves when all serve again. */
async function killForAWhile(
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

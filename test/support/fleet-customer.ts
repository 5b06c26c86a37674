import { truthOf } from '../soak/truthful-registry.ts';
import { failedHeader, nodeHeader } from './balancer.ts';
import type { Fleet } from './fleet-of-processes.ts';
import type { Json } from './gateway.ts';
import { callerWith, costIn, type Caller } from './metered-gateway.ts';
import { paidRequest } from './paid-requests.ts';
import type { Random } from './random.ts';

/** What came of the requests of all customers. */
export interface FleetTally {
  answered: number;
  /** Requests that failed with the node that they were at when it was killed. */
  lostWithTheirNode: number;
  /** Requests that a node turned away as it had too much to do: nothing was done, and nothing charged. None, where the machine has room. */
  turnedAway: number;
  /** All other requests that failed. */
  readonly failed: string[];
  readonly verdicts: Record<string, number>;
  /** Verdicts that are not the truth, and charges that are not the price. */
  readonly wrong: string[];
}

/** A customer of a fleet, who asks one thing at a time. */
export interface FleetCustomer {
  readonly id: string;
  /** What he was told that he was charged. */
  readonly acknowledged: number;
  /** What may have been charged besides, by requests that failed. */
  readonly undecided: number;
  askOnce(): Promise<void>;
}

/** An answer that says that nothing was done. */
class Refused extends Error {}

export async function newCustomer(
  fleet: Fleet,
  tally: FleetTally,
  random: Random,
): Promise<FleetCustomer> {
  const { id, key } = await fleet.newKey();
  let acknowledged = 0;
  let undecided = 0;
  let node: string | null = null;

  const caller = callerWith(key, async (path, init) => {
    const answer = await fetch(new URL(path, fleet.balancer.url), init);
    node = answer.headers.get(nodeHeader);
    const failure = answer.headers.get(failedHeader);
    if (failure !== null) throw new Error(failure);
    if ([429, 500, 503].includes(answer.status)) throw new Refused(await answer.text());
    return answer;
  });

  function notice(error: unknown, what: string, most: number, askedAt: number): void {
    const refused = error instanceof Refused;
    if (!refused) undecided += most;
    const killedAt = fleet.nodes.find(({ url }) => url === node)?.killedAt ?? -Infinity;
    if (!refused && killedAt > askedAt - noticedWithinMs) tally.lostWithTheirNode += 1;
    else if (refused && /"code":"(?:overloaded|unavailable)"/.test(error.message))
      tally.turnedAway += 1;
    else tally.failed.push(`${what} at ${node}: ${String(error)}`);
  }

  return {
    id,
    get acknowledged() {
      return acknowledged;
    },
    get undecided() {
      return undecided;
    },
    async askOnce() {
      const { what, most, ask } = random.chance(0.5)
        ? search(random, tally)
        : bought(random, tally);
      const askedAt = performance.now();
      node = null;
      try {
        acknowledged += await ask(caller);
        tally.answered += 1;
      } catch (error) {
        notice(error, what, most, askedAt);
      }
    },
  };
}

/** Until a kill is noticed by whoever has a connection to the node, on a machine that has much to do. */
const noticedWithinMs = 1000;

interface Asking {
  readonly what: string;
  /** What it costs at most. */
  readonly most: number;
  /** Resolves to what was charged. */
  ask(caller: Caller): Promise<number>;
}

/** Any of the ways to ask, whose price is known. */
function bought(random: Random, tally: FleetTally): Asking {
  const { what, price, ask } = paidRequest(random);
  return {
    what,
    most: price,
    async ask(caller) {
      const { charged } = (await ask(caller)).cost;
      if (charged !== price) tally.wrong.push(`${what} was charged ${charged}, and costs ${price}`);
      return charged;
    },
  };
}

/** Names whose truth is known, at a registry that sometimes fails. */
function search(random: Random, tally: FleetTally): Asking {
  const names = Array.from(
    new Set(Array.from({ length: 1 + random.below(5) }, () => `name${random.below(5000)}.truth`)),
  );
  return {
    what: 'a search',
    most: priceOf(names.length),
    async ask(caller) {
      const answer = await caller.fetch(
        `/v1/status?domain=${names.join(',')}${random.pick(['', '', '&max_age=0', '&max_age=2592000'])}`,
      );
      const { results } = (await answer.json()) as Json;
      const told = names
        .map((name, index) => check(name, results?.[index], tally))
        .filter((known) => known).length;
      const { charged } = costIn(answer);
      if (charged !== priceOf(told))
        tally.wrong.push(`${told} verdicts of ${names.length} names were charged ${charged}`);
      return charged;
    },
  };
}

const priceOf = (names: number) => (names < 2 ? names : Math.ceil(1 + names / 2));

/** Whether there is a verdict. */
function check(name: string, row: Json, tally: FleetTally): boolean {
  const verdict = String(row?.status);
  tally.verdicts[verdict] = (tally.verdicts[verdict] ?? 0) + 1;
  if (verdict === 'unknown' && row.domain === name) return false;
  if (
    row?.domain !== name ||
    verdict !== truthOf(name) ||
    row.available !== (verdict === 'available')
  ) {
    tally.wrong.push(`${name} is ${truthOf(name)}, and was said to be ${JSON.stringify(row)}`);
  }
  return true;
}

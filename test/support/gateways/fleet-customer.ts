import { truthOf } from '../../soak/truthful-registry.ts';
import { failedHeader, nodeHeader } from './balancer.ts';
import type { Fleet } from './fleet-of-processes.ts';
import type { Json } from './gateway.ts';
import { callerWith, costIn, type Caller } from './metered-gateway.ts';
import { paidRequest } from '../requests/paid-requests.ts';
import type { Random } from '../time/random.ts';

/** The outcomes of the requests of all customers. */
export interface FleetTally {
  answered: number;
  /** Requests that failed because their node was killed. */
  lostWithNode: number;
  /**
   * Requests that a node rejected as overloaded, which are not charged. None on a machine with
   * enough capacity.
   */
  overloaded: number;
  /** All other requests that failed. */
  readonly failed: string[];
  readonly verdicts: Record<string, number>;
  /** Wrong verdicts and charges. */
  readonly wrong: string[];
}

/** A customer of a cluster that sends one request at a time. */
export interface FleetCustomer {
  readonly id: string;
  /** Credits charged according to the responses. */
  readonly acknowledged: number;
  /** Credits that failed requests may also have been charged. */
  readonly undecided: number;
  sendRequest(): Promise<void>;
}

/** A response that states that nothing was charged. */
class RejectedError extends Error {}

/** Creates a customer with a new key. */
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
    if ([429, 500, 503].includes(answer.status)) throw new RejectedError(await answer.text());
    return answer;
  });

  function recordFailure(
    error: unknown,
    description: string,
    maxPrice: number,
    sentAt: number,
  ): void {
    const refused = error instanceof RejectedError;
    if (!refused) undecided += maxPrice;
    const killedAt = fleet.nodes.find(({ url }) => url === node)?.killedAt ?? -Infinity;
    if (!refused && killedAt > sentAt - maxDetectionMs) tally.lostWithNode += 1;
    else if (refused && /"code":"(?:overloaded|unavailable)"/.test(error.message))
      tally.overloaded += 1;
    else tally.failed.push(`${description} at ${node}: ${String(error)}`);
  }

  return {
    id,
    get acknowledged() {
      return acknowledged;
    },
    get undecided() {
      return undecided;
    },
    async sendRequest() {
      const { description, maxPrice, send } = random.chance(0.5)
        ? search(random, tally)
        : pricedRequest(random, tally);
      const sentAt = performance.now();
      node = null;
      try {
        acknowledged += await send(caller);
        tally.answered += 1;
      } catch (error) {
        recordFailure(error, description, maxPrice, sentAt);
      }
    },
  };
}

/** Time until clients detect a kill, on a busy machine. */
const maxDetectionMs = 1000;

interface CustomerRequest {
  readonly description: string;
  /** The maximum price. */
  readonly maxPrice: number;
  /** Sends the request. Resolves to the charged credits. */
  send(caller: Caller): Promise<number>;
}

/** Returns a random request of any kind with a known price. */
function pricedRequest(random: Random, tally: FleetTally): CustomerRequest {
  const { description, price, send } = paidRequest(random);
  return {
    description,
    maxPrice: price,
    async send(caller) {
      const { charged } = (await send(caller)).cost;
      if (charged !== price)
        tally.wrong.push(`${description} was charged ${charged}, and costs ${price}`);
      return charged;
    },
  };
}

/** Returns a lookup of names with known verdicts, at a registry that sometimes fails. */
function search(random: Random, tally: FleetTally): CustomerRequest {
  const names = Array.from(
    new Set(Array.from({ length: 1 + random.below(5) }, () => `name${random.below(5000)}.truth`)),
  );
  return {
    description: 'a search',
    maxPrice: priceOf(names.length),
    async send(caller) {
      const answer = await caller.fetch(
        `/v1/status?domain=${names.join(',')}${random.pick(['', '', '&max_age=0', '&max_age=2592000'])}`,
      );
      const { results } = (await answer.json()) as Json;
      const verdictCount = names
        .map((name, index) => check(name, results?.[index], tally))
        .filter((hasVerdict) => hasVerdict).length;
      const { charged } = costIn(answer);
      if (charged !== priceOf(verdictCount))
        tally.wrong.push(
          `${verdictCount} verdicts of ${names.length} names were charged ${charged}`,
        );
      return charged;
    },
  };
}

const priceOf = (names: number) => (names < 2 ? names : Math.ceil(1 + names / 2));

/** Checks a row. Returns whether it has a verdict. */
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

import { prices } from '../../../src/execution/charging/prices.ts';
import { bulk, events, get, graphql, lines, parts, type SendRequest } from './paid-calls.ts';
import type { Random } from '../time/random.ts';

/** A request with its expected price. */
export interface PaidRequest {
  readonly description: string;
  readonly price: number;
  readonly send: SendRequest;
}

/**
 * Returns a random request: to both APIs, buffered and streamed, cached and not, with registries
 * that fail.
 */
export function paidRequest(random: Random): PaidRequest {
  const [description, price, ask] = random.pick(requests);
  return { description, price, send: ask(namesFrom(random)) };
}

/** Returns random names, few enough that many are cached. */
function namesFrom(random: Random) {
  const name = (label: string) => `${label}${random.below(1000)}.example`;
  return { name, domains: () => [name('a'), name('b'), name('c'), 'a.test'] };
}

type Request = readonly [
  description: string,
  price: number,
  ask: (names: ReturnType<typeof namesFrom>) => SendRequest,
];

const requests: readonly [Request, ...Request[]] = [
  ['a verdict', 1, ({ name }) => get(`/v1/status?domain=${name('n')}`)],
  ['a record', prices.record(1), ({ name }) => get(`/v1/rdap?domain=${name('n')}`)],
  ['a failure', 0, ({ name }) => get(`/v1/rdap?domain=${name('down')}`)],
  [
    'two fields, one of which fails',
    1,
    ({ name }) =>
      graphql(
        `{ a: domain(name: "${name('n')}") { status } b: domain(name: "${name('down')}") { rdap { handle } } }`,
      ),
  ],
  ['a list', 3, ({ domains }) => bulk({ domains: domains() })],
  ['lines', 3, ({ domains }) => lines({ domains: domains() })],
  [
    'a subscription',
    3,
    ({ domains }) =>
      events('subscription ($domains: [String!]) { availability(domains: $domains) { domain } }', {
        domains: domains(),
      }),
  ],
  [
    '@defer',
    prices.record(3),
    ({ domains }) =>
      parts(
        'query ($domains: [String!]) { domains(domains: $domains) { domain ... @defer { rdap { handle } } } }',
        { domains: domains() },
      ),
  ],
];

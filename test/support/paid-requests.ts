import { bulk, events, get, graphql, lines, parts, type Ask } from './asks.ts';

/** Something that a customer asks, and what it has to cost. */
export interface PaidRequest {
  readonly what: string;
  readonly price: number;
  readonly ask: Ask;
}

/** Any of the ways to ask: through both doors, in one piece and as streams, remembered or not, with registries that fail. */
export function paidRequest(): PaidRequest {
  const [what, price, ask] = requests[Math.floor(Math.random() * requests.length)] ?? requests[0];
  return { what, price, ask: ask() };
}

/** Few enough that many are remembered. */
const name = (label: string) => `${label}${Math.floor(Math.random() * 1000)}.example`;
const domains = () => [name('a'), name('b'), name('c'), 'a.test'];

type Request = readonly [what: string, price: number, ask: () => Ask];

const requests: readonly [Request, ...Request[]] = [
  ['a verdict', 1, () => get(`/v1/status?domain=${name('n')}`)],
  ['a record', 2, () => get(`/v1/rdap?domain=${name('n')}`)],
  ['a failure', 0, () => get(`/v1/rdap?domain=${name('down')}`)],
  [
    'two fields, one of which fails',
    1,
    () => graphql(`{ a: domain(name: "${name('n')}") { status } b: domain(name: "${name('down')}") { rdap { handle } } }`),
  ],
  ['a list', 3, () => bulk({ domains: domains() })],
  ['lines', 3, () => lines({ domains: domains() })],
  [
    'a subscription',
    3,
    () => events('subscription ($domains: [String!]) { availability(domains: $domains) { domain } }', { domains: domains() }),
  ],
  [
    '@defer',
    6,
    () =>
      parts('query ($domains: [String!]) { domains(domains: $domains) { domain ... @defer { rdap { handle } } } }', { domains: domains() }),
  ],
];

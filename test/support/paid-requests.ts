import { costIn, type Caller } from './metered-gateway.ts';
import { eventsOf, partsOf, rest } from './streams.ts';

/** Something that a customer asks, and what it has to cost. */
export interface PaidRequest {
  readonly what: string;
  readonly price: number;
  /** Asks, and reads to the end what was charged. Rejects when the answer breaks off. */
  chargedFor(caller: Caller): Promise<number>;
}

/** Any of the ways to ask: through both doors, in one piece and as streams, remembered or not, with registries that fail. */
export function paidRequest(): PaidRequest {
  const request = requests[Math.floor(Math.random() * requests.length)];
  if (!request) throw new Error('there is always one');
  return request;
}

/** Half of the names have been asked before. */
const name = (label: string) => `${label}${Math.floor(Math.random() * 1000)}.example`;
const domains = () => [name('a'), name('b'), name('c'), 'a.test'];

const requests: readonly PaidRequest[] = [
  { what: 'a verdict', price: 1, chargedFor: async (caller) => inHeaders(await caller.fetch(`/v1/status?domain=${name('n')}`)) },
  { what: 'a record', price: 2, chargedFor: async (caller) => inHeaders(await caller.fetch(`/v1/rdap?domain=${name('n')}`)) },
  { what: 'a failure', price: 0, chargedFor: async (caller) => inHeaders(await caller.fetch(`/v1/rdap?domain=${name('down')}`)) },
  {
    what: 'two fields, one of which fails',
    price: 1,
    chargedFor: async (caller) => {
      const query = `{ a: domain(name: "${name('n')}") { status } b: domain(name: "${name('down')}") { rdap { handle } } }`;
      return inHeaders(await caller.graphql(query));
    },
  },
  { what: 'a list', price: 3, chargedFor: async (caller) => inHeaders(await caller.post('/v1/status/bulk', { domains: domains() })) },
  {
    what: 'lines',
    price: 3,
    chargedFor: async (caller) => {
      const answer = await caller.post('/v1/status/bulk', { domains: domains() }, { accept: 'application/x-ndjson' });
      const lines = (await answer.text()).trimEnd().split('\n');
      return JSON.parse(lines.at(-1) ?? '').meta.credits.charged;
    },
  },
  {
    what: 'a subscription',
    price: 3,
    chargedFor: async (caller) => {
      const query = 'subscription ($domains: [String!]) { availability(domains: $domains) { domain } }';
      const events = await rest(eventsOf(await caller.graphql(query, { domains: domains() }, { accept: 'text/event-stream' })));
      return events.at(-2)?.data.extensions.cost.charged;
    },
  },
  {
    what: '@defer',
    price: 6,
    chargedFor: async (caller) => {
      const query = 'query ($domains: [String!]) { domains(domains: $domains) { domain ... @defer { rdap { handle } } } }';
      const parts = await rest(partsOf(await caller.graphql(query, { domains: domains() }, { accept: 'multipart/mixed' })));
      return parts.at(-1).extensions.cost.charged;
    },
  },
];

/** Read only once the whole body is there: before, nothing is acknowledged. */
async function inHeaders(answer: Response): Promise<number> {
  await answer.text();
  return costIn(answer).charged;
}

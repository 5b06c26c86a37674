import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesBeforeCompiling } from '../../../../src/http/graphql/operation/document-cache.ts';
import { startFakeRegistry } from '../../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../../support/gateway.ts';
import { notFound, registered } from '../../../support/replies.ts';
import { scratch } from '../../../support/scratch.ts';
import { frozenClock } from '../../../support/frozen-clock.ts';

const parts = new AsyncDisposableStack();
let gateway: Gateway;
beforeAll(async () => {
  const registry = parts.use(await startFakeRegistry());
  registry.fallback(({ name }) =>
    registered(name, {
      members: { remarks: oddTexts, links: [registrarOf(registry.url(`registrar/${name}`))] },
    }),
  );
  registry.on(/^free/, notFound());
  // A file remembers records as they were read, and so the texts that are kept with them.
  const { storeUrl } = parts.use(await scratch());
  const env = { STORE_URL: storeUrl, RATE_LIMIT: '0', RDAP_RATE: '0' };
  gateway = parts.use(
    await startGateway({ clock: frozenClock(), registries: { example: registry.baseUrl }, env }),
  );
});
afterAll(() => parts.disposeAsync());

const oddTexts = [
  { title: '"quoted\\', description: ['\u2028\u0000', '漢字', '\ud800 alone', '</script>'] },
];
const registrarOf = (href: string) => ({ rel: 'related', type: 'application/rdap+json', href });

/** A directive that changes nothing but the road: graphql itself runs what has one. As long as what stands in its place otherwise. */
const [slow, fast] = [' @include(if: true)', ' , , , , , , , , , '];

/** Sends an operation until it is compiled, and to graphql-js; `%` stands where a directive may be. */
async function byBothRoads(
  operation: string,
  variables: object,
): Promise<{ readonly executed: string; readonly compiled: readonly string[] }> {
  const send = async (mark: string) => {
    const text = await (
      await gateway.post('/graphql', { query: operation.replaceAll('%', mark), variables })
    ).text();
    const { data, errors } = JSON.parse(text);
    if (!errors) return text;
    // They stand in the order in which registries failed, which is nobody's to choose; nor is which of many are left out.
    const told: readonly string[] = errors.map((error: object) => JSON.stringify(error));
    return JSON.stringify({ data, errors: told.length < 10 ? told.toSorted() : told.length });
  };
  // One after another: the first may look up what the others find in the cache.
  await send(slow);
  const compiled = [];
  for (let use = 0; use <= usesBeforeCompiling; use += 1) compiled.push(await send(fast));
  return { compiled, executed: await send(slow) };
}

/** The events of a subscription by both roads; they come in the order in which registries answer, which is nobody's to choose. */
async function eventsByBothRoads(
  operation: string,
  variables: object,
): Promise<readonly (readonly string[])[]> {
  const send = async (mark: string) => {
    const headers = { accept: 'text/event-stream' };
    const response = await gateway.post(
      '/graphql',
      { query: operation.replaceAll('%', mark), variables },
      headers,
    );
    return (await response.text()).split('\n\n').toSorted();
  };
  await send(slow);
  return [await send(fast), await send(slow)];
}

const names = [
  'taken.test',
  'free.test',
  'reserved.shop.test',
  'down.test',
  'html.test',
  'a_b',
  'www.taken.test',
  'name.unknown-tld',
  'TAKEN.test',
  'held.example',
  'other.example',
  'free.example',
];
const contact =
  'contacts { roles name email address { street city countryCode } } registrant { name }';
const record = `id handle ldhName nameservers hosts { name ipv4 ipv6 } statuses registrar { name ianaId } ${contact} createdAt expiresAt
  events { action date actor } dnssec { signed dsRecords { keyTag } } redacted { name method reason } raw`;
const fields = [
  'id',
  'domain',
  'unicodeName',
  'name tld',
  'available',
  'status',
  'status state: status',
  'reason',
  '__proto__: status',
  'source rdapEndpoint',
  'stale',
  'checkedAt freshUntil',
  'phase',
  'evidence { httpStatus mediaType unproven }',
  '__typename',
  '...Names',
  '... on Domain { available ...Names }',
  '... on Node { id ... on Tld { hasServer: rdap } ... on Domain { tld } }',
  'rdap { handle }',
  `rdap { ${record} }`,
  'rdap { ...Record } again: rdap { __typename ...Record }',
  'registrarRdap { handle }',
  'problem { code detail retryable } registrarProblem { code }',
];
const fragments = {
  Names: 'fragment Names on Domain { domain unicodeName }',
  Record: `fragment Record on Registration { ${record} }`,
};
const selection = fc.subarray(fields, { minLength: 1 }).map((chosen) => `{ ${chosen.join(' ')} }`);
const root = fc.oneof(
  fc
    .tuple(fc.constantFrom(...names), selection)
    .map(([name, selected]) => `domain(name: ${JSON.stringify(name)})% ${selected}`),
  selection.map((selected) => `domain(name: $name, tld: $tld, maxAge: $maxAge)% ${selected}`),
  fc
    .tuple(fc.subarray(names), selection)
    .map(([list, selected]) => `domains(domains: ${JSON.stringify(list)})% ${selected}`),
  selection.map((selected) => `domains(domains: $domains, maxAge: 60)% ${selected}`),
  selection.map((selected) => `domains(name: $name, tlds: ["test", "shop.test"])% ${selected}`),
  fc.constant(
    'node(id: "taken.test")% { __typename id ... on Node { ... on Domain { status rdap { handle } } } }',
  ),
  fc.constant('account% { name }'),
  fc.constant('tlds(first: 2)% { edges { node { tld } } }'),
);
const variables = fc.record(
  {
    name: fc.constantFrom('taken', 'free', 'down', 'a b', ''),
    tld: fc.constantFrom('test', 'shop.test', null),
    maxAge: fc.constantFrom(60, 2_592_000, -1, null),
    domains: fc.constantFrom(names, ['held.example', 'taken.test'], [], null, [null]),
  },
  { requiredKeys: ['name'] },
);
const types = { name: 'String!', tld: 'String', maxAge: 'Int', domains: '[String!]' };
const operation = fc.array(root, { minLength: 1, maxLength: 3 }).map((roots) => {
  const selected = roots.map((field, index) => `f${index}: ${field}`).join(' ');
  const declared = Object.entries(types).filter(([name]) => selected.includes(`$${name}`));
  const used = Object.entries(fragments).filter(([name]) => selected.includes(`...${name}`));
  const head =
    declared.length > 0
      ? `(${declared.map(([name, type]) => `$${name}: ${type}`).join(', ')})`
      : '';
  return `query${head} { ${selected} } ${used.map(([, text]) => text).join(' ')}`;
});

const subscription = fc
  .tuple(fc.subarray(names, { minLength: 1 }), selection)
  .map(([list, selected]) => {
    const used = Object.entries(fragments).filter(([name]) => selected.includes(`...${name}`));
    return `subscription { availability(domains: ${JSON.stringify(list)}) ${selected.replace('{', '{ domain%')} } ${used.map(([, text]) => text).join(' ')}`;
  });

describe('an operation that the gateway has read into functions', () => {
  it(
    'is answered to the byte as graphql itself would answer it, whatever is asked and whatever is wrong with it',
    { timeout: 120_000 },
    async () => {
      const kinds = new Set<string>();
      await fc.assert(
        fc.asyncProperty(operation, variables, async (asked, sent) => {
          const { compiled, executed } = await byBothRoads(asked, sent);
          expect(new Set(compiled)).toEqual(new Set([executed]));
          const { data, errors } = JSON.parse(executed);
          kinds.add(data ? (errors ? 'in part' : 'whole') : 'refused');
        }),
        { numRuns: 300 },
      );
      expect([...kinds].toSorted()).toEqual(['in part', 'refused', 'whole']);
    },
  );

  it(
    'is told of event by event, to the byte, as graphql itself would tell, where it is a subscription',
    { timeout: 120_000 },
    async () => {
      let withProblem = 0;
      await fc.assert(
        fc.asyncProperty(subscription, async (asked) => {
          const [compiled, executed] = await eventsByBothRoads(asked, {});
          expect(compiled).toEqual(executed);
          if (executed?.some((event) => event.includes('"problem":{'))) withProblem += 1;
        }),
        { numRuns: 100 },
      );
      expect(withProblem).toBeGreaterThan(0);
    },
  );
});

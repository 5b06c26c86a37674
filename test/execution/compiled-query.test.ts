import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesBeforeCompiling } from '../../src/execution/document-cache.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { notFound, registered } from '../support/replies.ts';
import { scratch } from '../support/scratch.ts';
import { frozenClock } from '../support/frozen-clock.ts';

const parts = new AsyncDisposableStack();
let gateway: Gateway;
beforeAll(async () => {
  const registry = parts.use(await startFakeRegistry());
  registry.fallback(({ name }) =>
    registered(name, {
      members: { remarks: oddRemarks, links: [registrarOf(registry.url(`registrar/${name}`))] },
    }),
  );
  registry.on(/^free/, notFound());
  // The SQLite store returns records as they were parsed, with these strings.
  const { storeUrl } = parts.use(await scratch());
  const env = { STORE_URL: storeUrl, RATE_LIMIT: '0', RDAP_RATE: '0' };
  gateway = parts.use(
    await startGateway({ clock: frozenClock(), registries: { example: registry.baseUrl }, env }),
  );
});
afterAll(() => parts.disposeAsync());

const oddRemarks = [
  { title: '"quoted\\', description: ['\u2028\u0000', '漢字', '\ud800 alone', '</script>'] },
];
const registrarOf = (href: string) => ({ rel: 'related', type: 'application/rdap+json', href });

/**
 * A directive without effect: graphql-js executes documents with directives. Ignored tokens of the
 * same length keep error locations equal.
 */
const [executedMark, compiledMark] = [' @include(if: true)', ' , , , , , , , , , '];

/**
 * Sends an operation until it is compiled, and again for graphql-js. `%` marks where a directive
 * may be.
 */
async function executeBothWays(
  operation: string,
  variables: object,
): Promise<{ readonly executed: string; readonly compiled: readonly string[] }> {
  const send = async (mark: string) => {
    const text = await (
      await gateway.post('/graphql', { query: operation.replaceAll('%', mark), variables })
    ).text();
    const { data, errors } = JSON.parse(text);
    if (!errors) return text;
    // The order of errors depends on the registries, and so does which of more than ten are
    // omitted.
    const rendered: readonly string[] = errors.map((error: object) => JSON.stringify(error));
    return JSON.stringify({
      data,
      errors: rendered.length < 10 ? rendered.toSorted() : rendered.length,
    });
  };
  // Sequentially: the first request looks names up, and the others find them in the cache.
  await send(executedMark);
  const compiled = [];
  for (let use = 0; use <= usesBeforeCompiling; use += 1) compiled.push(await send(compiledMark));
  return { compiled, executed: await send(executedMark) };
}

/**
 * Returns the events of a subscription with and without directives, sorted: their order depends on
 * the registries.
 */
async function eventsBothWays(
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
  await send(executedMark);
  return [await send(compiledMark), await send(executedMark)];
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

describe('a compiled operation', () => {
  it(
    'gets the same response as from graphql-js, byte for byte, whether it is valid or not',
    { timeout: 120_000 },
    async () => {
      const kinds = new Set<string>();
      await fc.assert(
        fc.asyncProperty(operation, variables, async (document, values) => {
          const { compiled, executed } = await executeBothWays(document, values);
          expect(new Set(compiled)).toEqual(new Set([executed]));
          const { data, errors } = JSON.parse(executed);
          kinds.add(data ? (errors ? 'partial' : 'complete') : 'rejected');
        }),
        { numRuns: 300 },
      );
      expect([...kinds].toSorted()).toEqual(['complete', 'partial', 'rejected']);
    },
  );

  it(
    'gets the same events as from graphql-js, byte for byte, if it is a subscription',
    { timeout: 120_000 },
    async () => {
      let withProblem = 0;
      await fc.assert(
        fc.asyncProperty(subscription, async (document) => {
          const [compiled, executed] = await eventsBothWays(document, {});
          expect(compiled).toEqual(executed);
          if (executed?.some((event) => event.includes('"problem":{'))) withProblem += 1;
        }),
        { numRuns: 100 },
      );
      expect(withProblem).toBeGreaterThan(0);
    },
  );
});

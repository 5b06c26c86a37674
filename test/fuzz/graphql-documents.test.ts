import { expect, it } from 'vitest';
import { seededRandom, type Random } from '../support/time/random.ts';
import { expectDocumentedResponse, mutate, rounds, seed, startFuzzedGateway } from './fuzzing.ts';

const documents = [
  '{ domain(name: "taken", tld: "test") { available rdap { nameservers } } }',
  'query Q($name: String!, $maxAge: Int) { domain(name: $name, maxAge: $maxAge) { ...F @include(if: true) } } fragment F on Domain { id status }',
  '{ domains(name: "free", tlds: ["test", "shop.test"]) { domain available ... on Domain @defer { rdap { raw } } } }',
  'subscription { availability(domains: ["taken.test"]) { domain status } }',
  '{ __schema { types { name fields { name args { name type { name } } } } } }',
  'query A { a: domain(name: """taken.test""") { __typename } } query B { __typename }',
] as const;

const names = [
  'domain',
  'domains',
  'account',
  'nothing',
  '__typename',
  '__schema',
  '__type',
  'availability',
  '_',
  'é',
] as const;
const values = [
  '1',
  '-0',
  '1e400',
  '99999999999999999999',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '""" """',
  'null',
  'true',
  'ENUM',
  '$v',
  '[1,[2]]',
  '{a:{b:1}}',
  '[',
  '"',
] as const;

/** Generates a random field or fragment with arguments, directives and nested fields. */
function randomField(random: Random, depth = 0): string {
  const args = random.chance(0.4)
    ? `(${random.pick(['name', 'tld', 'domains', 'x'])}: ${random.pick(values)})`
    : '';
  const directive = random.chance(0.2)
    ? random.pick([
        ' @include(if: true)',
        ' @skip(if: $v)',
        ' @defer',
        ' @x',
        ' @defer(label: 1)',
        ' @stream',
      ])
    : '';
  const inner =
    depth < 15 && random.chance(0.6)
      ? ` { ${Array.from({ length: random.below(4) }, () => randomField(random, depth + 1)).join(' ')} }`
      : '';
  const field = `${random.chance(0.2) ? 'alias: ' : ''}${random.pick(names)}${args}${directive}${inner}`;
  return random.chance(0.1)
    ? `... on ${random.pick(['Domain', 'Query', 'X'])}${directive} { ${field} }`
    : random.chance(0.05)
      ? `...F`
      : field;
}

/** Generates a document: mutated, random, or too large. */
function randomDocument(random: Random): string {
  const operation = `${random.pick(['', 'query ', 'query Q($v: Int = 1) ', 'mutation ', 'subscription ', 'fragment F on Query '])}{ ${randomField(random)} }`;
  return random.pick([
    () => Buffer.from(mutate(Buffer.from(random.pick(documents)), random)).toString('utf8'),
    () => operation,
    () => `${operation} ${operation} fragment F on Query { ...F }`,
    () => '{'.repeat(random.below(5000)),
    () => `{ ${'domain '.repeat(random.below(3000))} }`,
    () => `{ domain(name: ${'['.repeat(random.below(3000))}`,
    () =>
      `query(${Array.from({ length: random.below(300) }, (_, index) => `$v${index}: Int`).join(' ')}) { __typename }`,
  ])();
}

/** Generates a request body: almost valid, or invalid. */
function randomBody(random: Random): string {
  const query = randomDocument(random);
  const variables = random.pick<unknown>([
    undefined,
    null,
    {},
    { name: 'taken.test' },
    { name: ['x'] },
    { name: 1, maxAge: '1' },
    { v: { a: [] } },
    [],
    'x',
    7,
  ]);
  const request = random.pick<unknown>([
    { query, variables },
    { query, variables },
    { query, operationName: random.pick<unknown>(['Q', 'A', '', 1, {}, null]) },
    { query, extensions: variables },
    [{ query }],
    { query: [query] },
    {},
    null,
    query,
  ]);
  const text = JSON.stringify(request);
  return random.chance(0.1)
    ? Buffer.from(mutate(Buffer.from(text), random)).toString('latin1')
    : text;
}

const mediaTypes = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
  '*/*',
  'text/html',
  'x',
] as const;

it(
  `malformed GraphQL documents and bodies get documented errors (seed ${seed})`,
  { timeout: 600_000 },
  async () => {
    await using gateway = await startFuzzedGateway();
    const statuses: Record<number, number> = {};
    for (let round = 0; round < rounds(400, 0.1); round += 1) {
      const random = seededRandom(seed + round);
      const where = `FUZZ_SEED=${seed}, round ${round}`;
      const accept = random.pick(mediaTypes);
      const response = random.chance(0.2)
        ? await gateway.fetch(
            `/graphql?query=${encodeURIComponent(randomDocument(random).toWellFormed().slice(0, 3000))}&variables=${random.pick(['', '{}', '[', '7'])}`,
            { headers: { accept } },
          )
        : await gateway.fetch('/graphql', {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept },
            body: randomBody(random),
          });
      const text = await response.text();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      expectDocumentedResponse(response.status, text);
      if (!response.headers.get('content-type')?.includes('json')) continue;
      const { errors = [] } = JSON.parse(text);
      expect(errors.length, where).toBeLessThanOrEqual(10);
      for (const { message, extensions } of errors) {
        expect(message.length, where).toBeLessThanOrEqual(200);
        expect(extensions.code, where).toMatch(/^[a-z_]+$/);
        expect(extensions.code, where).not.toBe('internal');
      }
    }
    expect(gateway.errorLogs).toEqual([]);
    expect(Object.keys(statuses).length).toBeGreaterThan(1);
  },
);

it('the documents of the GraphQL fuzz test include valid ones', async () => {
  await using gateway = await startFuzzedGateway();
  for (const query of documents.slice(0, 2))
    expect((await gateway.graphql(query, { name: 'taken.test' })).errors).toBeUndefined();
});

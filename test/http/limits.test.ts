import { getIntrospectionQuery } from 'graphql';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { answerIn, exchange } from '../support/raw-http.ts';

let registry: FakeRegistry;
let gateway: Gateway;
let askedBefore: number;

beforeAll(async () => {
  registry = await startFakeRegistry();
  gateway = await startGateway({ registries: { example: registry.baseUrl }, env: { RATE_LIMIT: '0', RDAP_RATE: '0' } });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const times = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, index) => text(index)).join(' ');
const one = 'domain(name: "free.example", maxAge: 0)';

/** Documents that ask for a name and use so much of something; and the code of what is at fault below the limit, if anything. */
const measured: readonly (readonly [what: string, most: number, document: (count: number) => string, otherwise?: string])[] = [
  ['tokens', 2000, (count) => `{ domains(domains: [${times(count - 12, () => '"free.example"')}]) { available } }`],
  ['levels', 12, (count) => `{ ${one} { available ${'a { '.repeat(count - 2)} b ${'} '.repeat(count - 2)} } }`, 'invalid_query'],
  ['levels through fragments', 12, (count) => `{ ${one} { available ...f0 } } ${chain(count - 2)}`, 'invalid_query'],
  ['root fields', 50, (count) => `{ ${one} { available } ${times(count - 1, () => '__typename')} }`],
  ['root fields in a fragment that is spread again and again', 50, spreadAtTheTop],
  ['aliases', 50, (count) => `{ ${one} { available ${times(count, (index) => `a${index}: id`)} } }`],
  [
    'aliases in fragments',
    50,
    (count) => `{ ${one} { available ...f } } fragment f on Domain { ${times(count, (index) => `a${index}: id`)} }`,
  ],
  ['directives', 50, (count) => `{ ${one} { available ${times(count, () => 'id @include(if: true)')} } }`],
  [
    'directives on variables',
    50,
    (count) => `query (${times(count, (index) => `$v${index}: Int @a`)}) { ${one} { available } }`,
    'invalid_query',
  ],
  ['deferred fragments', 10, (count) => `{ ${one} { available ${times(count, () => '... @defer { id }')} } }`],
];

const rows = measured.map(([what, most, document, otherwise]) => ({ what, most, document, otherwise }));

/** Each fragment is one level, and the first within `domain`. */
function chain(length: number): string {
  return times(length, (index) => `fragment f${index} on Domain { a { ...f${index + 1} } }`) + ` fragment f${length} on Domain { id }`;
}

function spreadAtTheTop(count: number): string {
  return `{ ${one} { available } ...f ...f ...f ${times((count - 1) % 3, () => '__typename')} }
    fragment f on Query { ${times(Math.floor((count - 1) / 3), () => '__typename')} }`;
}

const askedNobody = () => expect(registry.requests.length).toBe(askedBefore);
const codesOf = ({ errors = [] }: Json): string[] => errors.map(({ extensions }: Json) => extensions.code);

beforeEach(() => void (askedBefore = registry.requests.length));

describe('a document', () => {
  it.each(rows)('may have $most $what', async ({ most, document, otherwise }) => {
    const answer = await gateway.post('/graphql', { query: document(most) }, { accept: 'application/json, multipart/mixed' });
    const text = await answer.text();
    if (otherwise === undefined) expect(text).toContain('"available":true');
    else expect(codesOf(JSON.parse(text))).toContain(otherwise);
    expect(text).not.toContain('query_too_large');
  });

  it.each(rows)('with more $what than $most is refused before anybody is asked', async ({ what, most, document }) => {
    const result = await gateway.graphql(document(most + 1));
    const message = `The document has more than ${most} ${what.replace(/ (in|on|through) .*/, '')}; split it.`;
    expect(result).toEqual({ errors: [{ message, extensions: { code: 'query_too_large' } }] });
    askedNobody();
  });

  it('that is too large is a 400 where the media type says that it is GraphQL', async () => {
    const answer = await gateway.post('/graphql', { query: '{a'.repeat(3000) }, { accept: 'application/graphql-response+json' });
    expect([answer.status, codesOf(await answer.json())]).toEqual([400, ['query_too_large']]);
  });

  it('may ask for the whole schema, however deep that is', async () => {
    expect(codesOf(await gateway.graphql(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true })))).toEqual([]);
    expect(codesOf(await gateway.graphql(`{ __schema { queryType ${'{ ofType '.repeat(20)} { name } ${'} '.repeat(20)} } }`))).toEqual([]);
  });

  it('may not ask for the schema over and over within itself', async () => {
    const query = `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`;
    expect(codesOf(await gateway.graphql(query))).toEqual(['invalid_query']);
  });
});

const levels = (open: string, close: string, count: number) => open.repeat(count) + close.repeat(count);
const doubled = (type: string, fields: string) =>
  times(40, (index) => `fragment f${index} on ${type} { ...f${index + 1} ...f${index + 1} }`) + ` fragment f40 on ${type} { ${fields} }`;

describe('a document that is made to hurt', () => {
  it.each([
    ['20,000 levels of fields', `{ ${levels('a{', '}', 20_000)} }`, 'query_too_large'],
    ['20,000 levels of inline fragments', `{ ${levels('...{', '}', 12_000)} }`, 'query_too_large'],
    ['a list literal of 8,000 levels', `{ domains(domains: ${levels('[', ']', 8000)}) { id } }`, 'query_too_large'],
    ['an object literal of 8,000 levels', `{ domain(name: ${levels('{a:', '}', 8000)}) { id } }`, 'query_too_large'],
    ['a list type of 8,000 levels', `query ($v: ${levels('[', ']', 8000)}) { __typename }`, 'query_too_large'],
    ['a field selected 1,900 times', `{ ${one} { available ${times(1900, () => 'id')} } }`, 'query_too_large'],
    ['fragments that double 40 times at the top', `{ ...f0 } ${doubled('Query', '__typename')}`, 'query_too_large'],
    ['fragments in a circle', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }', 'invalid_query'],
    ['a fragment within itself', `{ ${one} { ...a } } fragment a on Domain { id ...a }`, 'invalid_query'],
  ])('is refused before anybody is asked: %s', async (_what, query, code) => {
    const answer = await gateway.post('/graphql', { query });
    expect([answer.status, new Set(codesOf(await answer.json()))]).toEqual([200, new Set([code])]);
    askedNobody();
  });

  it.each([
    ['list literals', (count: number) => `{ domains(domains: ${levels('[', ']', count)}) { id } }`],
    ['list literals without end', (count: number) => `{ domains(domains: ${'['.repeat(count)}`],
    ['object literals', (count: number) => `{ domain(name: ${'{a:'.repeat(count)}1${'}'.repeat(count)}) { id } }`],
    ['list types', (count: number) => `query ($v: ${'['.repeat(count)}Int${']'.repeat(count)}) { __typename }`],
    ['inline fragments', (count: number) => `{ ${'...{'.repeat(count)} __typename ${'}'.repeat(count)} }`],
    ['introspection', (count: number) => `{ __schema { queryType ${'{ ofType '.repeat(count)} { name } ${'} '.repeat(count)} } }`],
  ])('is no failure of the gateway at any depth: %s', async (_what, document) => {
    for (let count = 50; count < 2100; count += 75) {
      const { errors = [] } = await gateway.graphql(document(count));
      expect([count, codesOf({ errors }).filter((code) => !/^(invalid_query|query_too_large)$/.test(code))]).toEqual([count, []]);
    }
    askedNobody();
  });

  it('is answered where it folds to little: fragments that double 40 times within a name', async () => {
    expect(await gateway.graphql(`{ ${one} { ...f0 } } ${doubled('Domain', 'available')}`)).toEqual({
      data: { domain: { available: true } },
    });
  });

  it.each([
    ['a list of 8,000 levels', `{"list":${levels('[', ']', 8000)}}`],
    ['a list of 8,000 levels that nobody asked for', `{"list":["a.example"],"other":${levels('[', ']', 8000)}}`],
    ['an object of 8,000 levels', `{"list":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`],
    ['a long text', `{"list":[["${'x'.repeat(30_000)}"]]}`],
    ['10,000 numbers', `{"list":[${'1,'.repeat(9999)}1]}`],
    ['no list of texts', '{"list":[{"constructor":1,"__proto__":{}}]}'],
  ])('in its variables is no failure of the gateway: %s', async (_what, variables) => {
    const query = 'query ($list: [String!]) { domains(domains: $list) { status } }';
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    const answer = await gateway.fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    expect([answer.status, text.length < 5000]).toEqual([200, true]);
    expect(codesOf(JSON.parse(text)).every((code) => code === 'invalid_query')).toBe(true);
  });
});

const long = 'x'.repeat(1000);
const faulty = [
  ['literals', `{ ${times(30, (index) => `a${index}: domain(name: ${index}, tld: "${long}") { id }`)} }`, {}],
  ['a long name of a field', `{ ${long} }`, {}],
  ['a long name of a fragment', `{ ...${long} }`, {}],
  ['a long text where none belongs', `{ domain(name: "a.example", maxAge: "${long}") { id } }`, {}],
  ['a character that is none', `{ domain(name: "a.example") { id } ${long} \u0000`, {}],
  ['a block string without end', `{ domain(name: """${long}`, {}],
  ['variables', `query (${times(40, (index) => `$v${index}: Int!`)}) { __typename }`, { v0: long }],
  [
    'entries of a variable',
    'query ($list: [String!]) { domains(domains: $list) { id } }',
    { list: Array.from({ length: 30 }, () => [long]) },
  ],
  ['a long name', `{ domain(name: "${long}.example") { id } }`, {}],
  ['many names that are none', `{ ${times(25, (index) => `a${index}: domain(name: "${long} ${index}") { id }`)} }`, {}],
] as const;

describe('errors', () => {
  it.each(faulty)('are ten at most, each of 200 characters at most: %s', async (_what, query, variables) => {
    const { errors } = await gateway.graphql(query, variables);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(10);
    expect(Math.max(...errors.map(({ message }: Json) => message.length))).toBeLessThanOrEqual(200);
    askedNobody();
  });

  it.each([
    ['a field', '{ domian(name: "a.example") { id } }', {}],
    ['a field within', `{ ${one} { availabel } }`, {}],
    ['an argument', '{ domain(nam: "a.example") { id } }', {}],
    ['a type', '{ ... on Domian { id } }', {}],
    ['a type of a variable', 'query ($v: Strin) { domain(name: $v) { id } }', {}],
    ['a directive argument', `{ ${one} { id @skip(iff: true) } }`, {}],
    ['a directive', `{ ${one} { id @skp(if: true) } }`, {}],
    ['a variable', 'query ($name: String!) { domain(name: $name) { id } }', { name: ['nmae'] }],
  ])('tell nobody what might have been meant: %s', async (_what, query, variables) => {
    const result = await gateway.graphql(query, variables);
    expect(result.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toMatch(/did you mean|suggest/i);
    askedNobody();
  });
});

const query = `{ ${one} { available } }`;
const form = new URLSearchParams({ query });
const multipart = new FormData();
multipart.set('operations', JSON.stringify({ query }));
multipart.set('map', '{}');
const typed = (body: BodyInit, contentType: string) => ({ body, headers: { 'content-type': contentType } });
const invalidUtf8 = Buffer.concat([
  Buffer.from(`{"query":"{ a: domain(name: \\"`),
  Buffer.of(0xc3, 0x28),
  Buffer.from('.example\\") { id } }"}'),
]);

const refusedBodies: readonly (readonly [what: string, init: RequestInit, status: number, code: string])[] = [
  ['a form', { body: form }, 415, 'unsupported_media_type'],
  ['a multipart form', { body: multipart }, 415, 'unsupported_media_type'],
  ['plain text', typed(JSON.stringify({ query }), 'text/plain'), 415, 'unsupported_media_type'],
  ['a bare document', typed(query, 'application/graphql'), 415, 'unsupported_media_type'],
  ['JSON without a media type', { body: Buffer.from(JSON.stringify({ query })) }, 415, 'unsupported_media_type'],
  ['an array of operations', typed(JSON.stringify([{ query }, { query }]), 'application/json'), 400, 'invalid_query'],
  ['an array of one', typed(JSON.stringify([{ query }]), 'application/json'), 400, 'invalid_query'],
  ['64 KiB and a byte', typed(JSON.stringify({ query }).padEnd(64 * 1024 + 1), 'application/json'), 413, 'payload_too_large'],
  ['invalid UTF-8', typed(invalidUtf8, 'application/json'), 400, 'invalid_body'],
  ['malformed JSON', typed(`{"query": "${query}", nonsense}`, 'application/json'), 400, 'invalid_body'],
  ['JSON that breaks off', typed('{"query": "secret', 'application/json'), 400, 'invalid_body'],
  ['no object', typed('"secret"', 'application/json'), 400, 'invalid_query'],
];

describe('a body', () => {
  it.each(refusedBodies)('is refused, in our words, and nobody is asked: %s', async (_what, init, status, code) => {
    const answer = await gateway.fetch('/graphql', { method: 'POST', ...init });
    const text = await answer.text();
    expect([answer.status, codesOf(JSON.parse(text))]).toEqual([status, [code]]);
    expect(text).not.toMatch(/unexpected|token|position|expected|secret|nonsense|originalError|stack/i);
    askedNobody();
  });

  it('of 64 KiB is read', async () => {
    const answer = await gateway.fetch('/graphql', {
      method: 'POST',
      ...typed(JSON.stringify({ query }).padEnd(64 * 1024), 'application/json'),
    });
    expect(await answer.json()).toEqual({ data: { domain: { available: true } } });
  });
});

const head = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('a body that is not what its head says', () => {
  it('is refused by its length before any of it has come', async () => {
    const answer = answerIn(await exchange(gateway.url, `${head}Content-Length: 65537\r\n\r\n`));
    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
  });

  it('is cut while it comes when it has no end', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    const send = () => socket.write(chunk, (error) => !error && !socket.destroyed && setImmediate(send));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, send);
    const answer = await new Promise<string>((resolve, reject) => {
      socket.once('data', (data) => resolve(String(data)));
      socket.once('close', () => reject(new Error('closed without an answer')));
    });
    socket.on('error', () => undefined).destroy();
    expect(answerIn(answer).status).toBe(413);
  });

  it('is no request of its own where it is longer than it says', async () => {
    const body = JSON.stringify({ query: '{ __typename }' });
    const text = await exchange(gateway.url, `${head}Content-Length: ${body.length}\r\n\r\n${body}{"query":"{ ${one} }"}\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 \d+/g)?.slice(1) ?? []).not.toContain('HTTP/1.1 200');
    askedNobody();
  });
});

it('no page is let read an answer with credentials', async () => {
  const { headers } = await gateway.post('/graphql', { query: '{ __typename }' }, { origin: 'https://evil.example' });
  expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual(['*', null]);
});

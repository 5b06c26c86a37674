import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { guideText } from '../../support/checks/guides.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';

const { gateway, newCustomer } = await forThisFile(startMeteredGateway);
const { key } = await newCustomer({ credits: 0 });

const json = 'application/json';
const graphql = 'application/graphql-response+json';
const send = (method: string, headers = {}, body?: unknown): RequestInit => ({
  method,
  headers: { accept: graphql, 'x-api-key': key, ...headers },
  ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
});
const get = (search: string, headers = {}): [string, RequestInit] => [search, send('GET', headers)];
const post = (body: unknown, headers = {}): [string, RequestInit] => [
  '',
  send('POST', { 'content-type': json, ...headers }, body),
];
const query = '{ __typename }';
const encoded = encodeURIComponent(query);
const mutation = encodeURIComponent('mutation { unwatch(domains: ["a.test"]) { domain } }');
const variables = 'query ($n: String!) { domain(name: $n) { status } }';
const long = 'a'.repeat(70_000);
const legacy = { accept: json };

/** A request, the status that the edition requires or recommends, and that of the gateway. */
type Case = readonly [string, readonly [string, RequestInit], edition: number, gateway: number];

// In the order of the edition. The table "GraphQL over HTTP" of docs/graphql-guide.md has the
// statuses that differ.
const cases: readonly Case[] = [
  ['POST', post({ query }), 200, 200],
  ['GET', get(`?query=${encoded}`), 200, 200],
  [
    'a type without its encoding',
    post({ query }, { 'content-type': `${json};charset=UTF-8` }),
    200,
    200,
  ],
  ['empty parameters', get(`?query=${encoded}&operationName=&variables=&extensions=`), 200, 200],
  ['an operation named null', get('?query=query%20null{__typename}&operationName=null'), 200, 200],
  [
    'parameters that are null',
    post({ query, operationName: null, variables: null, extensions: null }),
    200,
    200,
  ],
  ['members that are not known', post({ query, extensions: { a: 1 }, b: 2 }), 200, 200],
  ['a mutation by GET', get(`?query=${mutation}`), 405, 405],
  ['no type of the body', ['', send('POST', { 'content-type': '' }, '{}')], 415, 415],
  ['another type of the body', post('query', { 'content-type': 'text/plain' }), 415, 415],
  ['another encoding', post({ query }, { 'content-type': `${json};charset=latin1` }), 415, 415],
  ['no acceptable type', post({ query }, { accept: 'image/png' }), 406, 406],
  ['data with errors', post({ query: '{ domain(name: "no name") { status } }' }), 294, 200],
  ['another method', ['', send('PUT')], 405, 405],
  ['a long URI', get(`?query=${encoded}&a=${long}`), 414, 431],
  ['a long header', post({ query }, { 'x-a': long }), 431, 431],
  ['a long body', post({ query, a: long }), 413, 413],
  ['a body that is not JSON', post('{'), 400, 400],
  ['a body without a query', post({ document: query }), 422, 400],
  ['variables that are no object', post({ query, variables: [7] }), 422, 400],
  ['a document that does not parse', post({ query: '{' }), 400, 400],
  ['a document that is not valid', post({ query: '{ nothing }' }), 422, 400],
  ['an unknown operation', post({ query, operationName: 'A' }), 422, 400],
  ['variables of other types', post({ query: variables, variables: { n: 1 } }), 422, 400],
  ['no valid key', post({ query }, { 'x-api-key': 'wrong' }), 401, 401],
  ['too few credits', post({ query: '{ domain(name: "a.example") { status } }' }), 402, 402],
  ['an invalid document of an older client', post({ query: '{ nothing }' }, legacy), 422, 200],
  ['a result of an older client', post({ query }, legacy), 200, 200],
];

describe('GraphQL over HTTP, edition of September 2026', () => {
  it.each(cases)('%s', async (_what, [search, init], _edition, status) => {
    const response = await gateway.fetch(`/graphql${search}`, init);
    const type = response.headers.get('content-type') ?? '';
    const body = (await response.json()) as Json;
    expect(response.status).toBe(status);
    // `Allow` is a MUST of RFC 9110, and the encoding a SHOULD.
    expect(response.headers.get('allow')?.includes('POST') ?? false).toBe(status === 405);
    const isResponse = body.data !== undefined || body.errors?.[0].message !== undefined;
    expect(type.startsWith(graphql) || type.startsWith(json)).toBe(isResponse);
    if (isResponse) expect(type).toContain('; charset=utf-8');
    if (body.data) expect(status).toBeLessThan(300);
    if (status === 200 && !type.startsWith(json)) expect(body).toHaveProperty('data');
  });

  it.each<[accept: string, type: string]>([
    [graphql, graphql],
    [`${graphql}, ${json};q=0.9`, graphql],
    [`${graphql};q=0.1, ${json}`, json],
    [`${json};q=0, */*`, graphql],
    [`${graphql};charset=utf-8`, graphql],
    [json, json],
    ['application/*', json],
  ])('Accept: %s', async (accept, type) => {
    const [, init] = post({ query }, { accept });
    const { headers } = await gateway.fetch('/graphql', init);
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  });

  it('has a table of what differs in the guide', () => {
    const [, section = ''] = guideText('graphql-guide').split('## GraphQL over HTTP');
    const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/\| (\d+) +\| (\d+) +\|/g)];
    const differing = cases.filter(([, , edition, status]) => edition !== status);
    expect(new Set(listed.map(([, edition, status]) => `${edition} ${status}`))).toEqual(
      new Set(differing.map(([, , edition, status]) => `${edition} ${status}`)),
    );
  });
});

import { expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateway.ts';

const gateway = await forThisFile(startGateway);

const json = 'application/json';
const response = 'application/graphql-response+json';
const post = (body: unknown, headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': json, accept: response, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const mutation = encodeURIComponent('mutation { unwatch(domains: ["a.test"]) { domain } }');

// The table "GraphQL over HTTP" of docs/graphql-guide.md, in the order of the specification.
it.each<[string, string, RequestInit, number]>([
  ['data', '', post({ query: '{ __typename }' }), 200],
  [
    'data with errors',
    '',
    post({ query: '{ __typename domain(name: "no name") { status } }' }),
    200,
  ],
  ['a mutation by GET', `?query=${mutation}`, { headers: { accept: response } }, 405],
  ['another method', '', { method: 'PUT' }, 405],
  ['no acceptable type', '', post({ query: '{ __typename }' }, { accept: 'image/png' }), 406],
  ['another type of body', '', post('query', { 'content-type': 'text/plain' }), 415],
  ['a body that is not JSON', '', post('{'), 400],
  ['no query', '', post({}), 400],
  ['a document that does not parse', '', post({ query: '{' }), 400],
  ['a document that is not valid', '', post({ query: '{ nothing }' }), 400],
  [
    'an operation that does not exist',
    '',
    post({ query: '{ __typename }', operationName: 'A' }),
    400,
  ],
  [
    'variables of another type',
    '',
    post({ query: 'query ($n: String!) { domain(name: $n) { status } }', variables: { n: 1 } }),
    400,
  ],
  [
    'extensions that are not known',
    '',
    post({ query: '{ __typename }', extensions: { a: 1 }, b: 2 }),
    200,
  ],
])('%s', async (_what, search, init, status) => {
  const { status: actual, headers } = await gateway.fetch(`/graphql${search}`, init);
  expect(actual).toBe(status);
  if (status === 405) expect(headers.get('allow')).toContain('POST');
  if (status === 200) expect(headers.get('content-type')).toContain(response);
});

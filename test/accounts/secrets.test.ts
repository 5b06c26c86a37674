import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { startMeteredGateway, type MeteredGateway } from '../support/gateways/metered-gateway.ts';
import { html } from '../support/bodies/replies.ts';
import { sendRaw } from '../support/requests/raw-http.ts';

const leakedKeys = 100;

let metered: MeteredGateway;
/** Log lines of every level. */
let logged: string[];

beforeEach(async () => {
  logged = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      done();
    },
  });
  metered = await forThisTest(startMeteredGateway, {
    log: pino({ level: 'trace' }, stream),
    env: { AUTH: 'open' },
  });
  metered.registry.on(/^down/, html(500));
});

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  metered.gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
const graphql = (query: string, more: object = {}) =>
  post('/graphql', JSON.stringify({ query, ...more }));
const get = (path: string, headers: Record<string, string> = {}) =>
  metered.gateway.fetch(path, { headers });
const raw = async (key: string, text: string) =>
  new Response(await sendRaw(metered.gateway.url, text.replaceAll('KEY', key)));
const free = '/v1/status?domain=a.test';

/**
 * Sends a key in places where clients put it by mistake, and in the right header of requests that
 * fail.
 */
const places: Readonly<Record<string, (key: string) => Promise<Response>>> = {
  'the right header, for a lookup that fails': (key) =>
    get('/v1/rdap?domain=down.example', { 'x-api-key': key }),
  'the right header, for a list': (key) =>
    post('/v1/status/bulk', '{"domains":["a.example"]}', { 'x-api-key': key }),
  'the right header, for an invalid body': (key) => post('/graphql', '{', { 'x-api-key': key }),
  'Bearer, for a stream': (key) =>
    post('/v1/status/bulk', '{"domains":["b.example"]}', {
      authorization: `Bearer ${key}`,
      accept: 'application/x-ndjson',
    }),
  'Basic credentials': (key) => get(free, { authorization: `Basic ${btoa(`${key}:`)}` }),
  'an Authorization without a scheme': (key) => get(free, { authorization: key }),
  'a mistyped key': (key) => get(free, { 'x-api-key': `${key}0` }),
  'a header with the key twice': (key) => get(free, { 'x-api-key': `${key}, ${key}` }),
  'two headers': (key) =>
    raw(
      key,
      `GET ${free} HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nX-API-Key: KEY\r\nConnection: close\r\n\r\n`,
    ),
  'a cookie': (key) => get(free, { cookie: `key=${key}` }),
  Accept: (key) => get(free, { accept: key }),
  'Content-Type': (key) => post('/v1/status/bulk', '{}', { 'content-type': key }),
  'If-None-Match': (key) => get(free, { 'if-none-match': `"${key}"` }),
  'Origin and Referer': (key) =>
    get(free, { origin: `https://${key}.example`, referer: `https://a.example/${key}` }),
  'User-Agent': (key) => get('/v1/rdap?domain=down.example', { 'user-agent': key }),
  'Service-Naming': (key) => get(free, { 'service-naming': key }),
  'X-Request-Id': (key) => get('/v1/rdap?domain=down.example', { 'x-request-id': key }),
  'Idempotency-Key': (key) =>
    post('/v1/status/bulk', '{"domains":["c.example"]}', { 'idempotency-key': key }),
  'an invalid Idempotency-Key': (key) =>
    post('/v1/status/bulk', '{"domains":["c.example"]}', { 'idempotency-key': `${key} ${key}` }),
  Host: (key) => raw(key, `GET /v1/status HTTP/1.1\r\nHost: KEY\r\nConnection: close\r\n\r\n`),
  'the method': (key) => raw(key, `KEY / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  'the request line': (key) => raw(key, `GET KEY HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  'a header without a colon': (key) =>
    raw(key, `GET / HTTP/1.1\r\nHost: a\r\nKEY\r\nConnection: close\r\n\r\n`),
  'the path': (key) => get(`/v1/${key}`),
  'the path, after a valid one': (key) => get(`/v1/status/${key}`),
  'a query parameter': (key) => get(`${free}&api_key=${key}`),
  'a query parameter of another name': (key) => get(`${free}&token=${key}`),
  'the name of a query parameter': (key) => get(`${free}&${key}=1`),
  'a label': (key) => get(`/v1/status?name=${key}&tlds=example`),
  'a TLD': (key) => get(`/v1/rdap?domain=a.${key}`),
  'a domain': (key) => get(`/v1/rdap?domain=${key}.example`),
  max_age: (key) => get(`${free}&max_age=${key}`),
  naming: (key) => get(`${free}&naming=${key}`),
  'an alias': (key) => get(`${free}&skip_cache=${key}`),
  'a URL with credentials': (key) =>
    raw(key, `GET http://KEY@a/v1/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  'a body that is not JSON': (key) => post('/v1/status/bulk', key),
  'a body of another shape': (key) =>
    post('/v1/status/bulk', JSON.stringify({ [key]: key, domains: key })),
  'options of a body': (key) =>
    post('/v1/status/bulk', JSON.stringify({ domains: ['a.test'], max_age: key })),
  'an invalid query': (key) => graphql(key),
  'a GraphQL field': (key) => graphql(`{ ${key} }`),
  'a GraphQL argument': (key) => graphql(`{ domain(name: "a.test", ${key}: 1) { status } }`),
  'a GraphQL literal': (key) => graphql(`{ domain(name: "${key}") { status } }`),
  'a GraphQL literal of a wrong type': (key) =>
    graphql(`{ domain(name: "a.test", maxAge: "${key}") { status } }`),
  'a GraphQL enum': (key) => graphql(`{ domain(name: ${key}) { status } }`),
  'a GraphQL directive': (key) => graphql(`{ domain(name: "a.test") @${key} { status } }`),
  'a GraphQL variable': (key) =>
    graphql('query ($n: String!) { domain(name: $n) { status } }', { variables: { n: key } }),
  'a GraphQL variable of a wrong type': (key) =>
    graphql('query ($a: Int) { domain(name: "a.test", maxAge: $a) { status } }', {
      variables: { a: key },
    }),
  'a missing GraphQL variable': (key) =>
    graphql(`query ($${key}: Int!) { domain(name: "a.test", maxAge: $${key}) { status } }`),
  'a GraphQL fragment': (key) => graphql(`{ domain(name: "a.test") { ...${key} } }`),
  'a GraphQL operation name': (key) => graphql('{ __typename }', { operationName: key }),
  'GraphQL in the URL': (key) => get(`/graphql?query=${encodeURIComponent(`{ ${key} }`)}`),
};

it(`does not reveal any of ${leakedKeys} misplaced keys in logs, responses or files`, async () => {
  const names = Object.keys(places);
  const keys = await Promise.all(
    Array.from({ length: leakedKeys }, async (_, index) => createKey(index)),
  );
  const leaks: string[] = [];
  for (const [index, key] of keys.entries()) {
    const name = names[index % names.length] ?? '';
    const answer = await places[name]?.(key);
    if (
      answer &&
      (contains(await answer.text(), key) || contains(JSON.stringify([...answer.headers]), key))
    )
      leaks.push(`response: ${name}`);
    for (const line of logged) if (contains(line, key)) leaks.push(`log: ${name}: ${line}`);
  }
  for (const file of filesIn(metered.folder)) {
    const text = readFileSync(file, 'latin1');
    for (const [index, key] of keys.entries())
      if (contains(text, key)) leaks.push(`${file}: ${names[index % names.length]}`);
  }
  expect([...new Set(leaks)]).toEqual([]);
});

/** Returns a key; every second one belongs to an account. */
async function createKey(index: number): Promise<string> {
  const key = generateKey();
  if (index % 2 === 0)
    await metered.ledger.create(
      { name: `Customer ${index}`, credits: null, origins: [] },
      hashOf(key),
    );
  return key;
}

/**
 * Returns whether a text contains half of the secret, in any case: enough to detect truncated keys.
 */
function contains(text: string, key: string): boolean {
  return text.toLowerCase().includes(key.slice(4, 24).toLowerCase());
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../support/time/random.ts';
import {
  expectDocumentedResponse,
  fastCheckOptions,
  mutate,
  rounds,
  seed,
  startFuzzedGateway,
} from './fuzzing.ts';

const strings = fc.constantFrom(
  'taken.test',
  'free.test',
  'free',
  'test',
  'shop.test',
  '',
  ' ',
  '.',
  'a b',
  '*',
  'x'.repeat(300),
  '-1',
  '0',
  '1e9',
  '0x1',
  'true',
  '__proto__',
  '\0',
  'bücher.test',
);
const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.array(strings, { maxLength: 5 }), strings);
const members = 'domains names tlds max_age options prefer_cache __proto__ toString'.split(' ');
/** Bodies with valid members and random values, mutated bodies, and random text. */
const bodies = fc.oneof(
  fc.dictionary(fc.constantFrom(...members), json).map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.dictionary(fc.constantFrom(...members), json), fc.nat())
    .map(([value, mutationSeed]) =>
      Buffer.from(mutate(Buffer.from(JSON.stringify(value)), seededRandom(mutationSeed))),
    ),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '['.repeat(60_000),
    `{"domains":[${'"a.test",'.repeat(5000)}"b.test"]}`,
    '{"domains":["\\ud800.test"]}',
    '{"domains":{"length":1}}',
  ),
);

const parameters = fc.constantFrom(
  'name',
  'tlds',
  'domain',
  'max_age',
  'naming',
  'prefer_cache',
  'skip_cache',
  'x',
  '',
);
const queries = fc.array(fc.tuple(parameters, fc.oneof(strings, fc.string({ unit: 'grapheme' }))), {
  maxLength: 5,
});

describe(`random REST calls (seed ${seed})`, () => {
  it('get results or a documented problem for bulk bodies', { timeout: 600_000 }, async () => {
    await using gateway = await startFuzzedGateway();
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ''),
        async (body, type) => {
          const response = await gateway.fetch('/v1/status/bulk', {
            method: 'POST',
            headers: { 'content-type': type },
            body,
          });
          const text = await response.text();
          expectDocumentedResponse(response.status, text);
          expectProblem(response, text);
        },
      ),
      fastCheckOptions(rounds(300, 0.1)),
    );
    expect(gateway.errorLogs).toEqual([]);
  });

  it('get results or a documented problem for queries', { timeout: 600_000 }, async () => {
    await using gateway = await startFuzzedGateway();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/v1/status', '/v1/rdap'), queries, async (path, pairs) => {
        const query = new URLSearchParams(pairs.map(([key, value]) => [key, value.toWellFormed()]));
        const response = await gateway.fetch(`${path}?${query}`);
        const text = await response.text();
        expectDocumentedResponse(response.status, text);
        expectProblem(response, text);
      }),
      fastCheckOptions(rounds(300, 0.1)),
    );
    expect(gateway.errorLogs).toEqual([]);
  });
});

function expectProblem({ status, headers }: Response, text: string): void {
  if (status === 200) return void JSON.parse(text);
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(JSON.parse(text)).toMatchObject({
    status,
    code: expect.stringMatching(/^[a-z_]+$/),
    title: expect.any(String),
    detail: expect.any(String),
  });
}

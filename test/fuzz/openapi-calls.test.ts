import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import type { Json } from '../support/gateways/gateway.ts';
import {
  fastCheckOptions,
  rounds,
  seed,
  startFuzzedGateway,
  type FuzzedGateway,
} from './fuzzing.ts';

const file = new URL('../../schema/openapi.json', import.meta.url);
const { paths, components }: Json = JSON.parse(readFileSync(file, 'utf8'));

interface Operation {
  readonly method: 'get' | 'post';
  readonly path: `/${string}`;
  readonly parameters: readonly Json[];
}

const operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, { parameters = [] }]): Operation => {
    const resolved = parameters.map(({ $ref, ...parameter }: Json) =>
      $ref ? components.parameters[$ref.split('/').at(-1)] : parameter,
    );
    return { method, path, parameters: resolved } as Operation;
  }),
);

const names = [
  'taken.test',
  'free.test',
  'reserved.test',
  'redemption.test',
  'taken.das-only.test',
  'free.dns-only.test',
  'taken.contradicted.test',
  'down.test',
  'html.test',
  'taken-loop.test',
  'www.taken.test',
  'https://www.taken.test/a?b#c',
  'taken.shop.test,free.test',
  'bücher.test',
  'a\u200cb.test',
  'a_b.test',
  'co.uk',
  'example.zz',
  'shop.example',
];
const odd = [
  '',
  ' ',
  ',',
  '-1',
  '0',
  '1.5',
  '5',
  '1e9',
  '99999999999999999999',
  'true',
  'off',
  'null',
  '@popular',
  '@nothing',
  '*',
  '__proto__',
  '\0',
  '\u202e',
  'x'.repeat(300),
  '["a"]',
];

/** Values that are valid for some call. */
const known: Readonly<Record<string, readonly string[]>> = {
  domain: names,
  name: ['taken', 'free', 'bücher', 'a_b', 'www.taken'],
  tlds: ['test', 'test,shop.test', '@test', '.CO.UK', 'zz'],
  query: [
    ...names,
    '192.0.2.53',
    'AS64497',
    'AS1.10',
    '192.0.2.0-192.0.2.9',
    'EXAMPLE-DNS-SANDBOX',
  ],
  url: [
    'https://taken.test/',
    'http://taken-redirect.test/',
    'https://free.test/',
    'ftp://taken.test/',
  ],
  cursor: ['5', 'dGFrZW4udGVzdA', '!'],
};

function valuesOf({ name, schema = {} }: Json): fc.Arbitrary<string> {
  const { examples = [], enum: values = [], minimum, maximum, default: byDefault } = schema;
  const described = [...examples.flat(), ...values, minimum, maximum, byDefault]
    .filter((value) => value !== undefined)
    .map(String);
  const valid = [...(known[name] ?? []), ...described];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...(valid.length > 0 ? valid : ['true'])) },
    { weight: 2, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  );
}

const items = fc.array(fc.oneof(fc.constantFrom<unknown>(...names, ...odd, null, 1, {})), {
  maxLength: 6,
});
const body = fc.record(
  {
    domains: fc.oneof(items, fc.constant(['taken.test', 'free.test'])),
    names: items,
    tlds: fc.oneof(items, fc.constant(['test'])),
    max_age: fc.constantFrom<unknown>(0, 3600, -1, '1', null),
    budget_ms: fc.constantFrom<unknown>(0, 100, -1, {}),
    options: fc.constantFrom<unknown>({}, { skip_cache: true }, { max_age: 1.5 }, [], null),
    prefer_cache: fc.constantFrom<unknown>(true, 'off', null),
  },
  { requiredKeys: [] },
);

const calls = fc.constantFrom(...operations).chain((operation) => {
  const query = operation.parameters
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) =>
      fc.option(
        fc.tuple(fc.constant(String(parameter['name'])), valuesOf(parameter)),
        // Most calls have what the operation requires, and few other parameters.
        { freq: parameter['required'] || ['domain', 'tlds'].includes(parameter['name']) ? 6 : 1 },
      ),
    );
  return fc.record({
    operation: fc.constant(operation),
    query: fc.tuple(...query),
    accept: fc.constantFrom(
      '*/*',
      'application/json',
      'application/problem+json',
      'application/x-ndjson',
      'text/csv',
      'image/png',
      '',
    ),
    ifNoneMatch: fc.constantFrom('', '', '', '*', '"x", W/"y"'),
    naming: fc.constantFrom('', '', 'snake', 'camel'),
    body,
  });
});

describe(`calls that the OpenAPI document describes (seed ${seed})`, () => {
  let gateway: FuzzedGateway;
  beforeAll(async () => {
    gateway = await startFuzzedGateway({ env: { RDAP_TIMEOUT_MS: '300' } });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it(
    'get a status, a media type and a body that it documents',
    { timeout: 1_200_000 },
    async () => {
      const answered = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          calls,
          async ({ operation, query, accept, ifNoneMatch, naming, body: sent }) => {
            const { method, path } = operation;
            const pairs = query.filter((pair) => pair !== null);
            const parameters = new URLSearchParams(
              pairs.map(([key, value]) => [key, value.toWellFormed()]),
            );
            const optional = { accept, 'if-none-match': ifNoneMatch, 'service-naming': naming };
            const headers = Object.fromEntries(
              Object.entries(optional).filter(([, value]) => value),
            );
            const response = await gateway.fetch(`${path}?${parameters}`, {
              method: method.toUpperCase(),
              headers: {
                ...headers,
                ...(method === 'post' && { 'content-type': 'application/json' }),
              },
              ...(method === 'post' && { body: JSON.stringify(sent) }),
            });
            expect(response.status).not.toBe(500);
            await expectMatchesOpenApi(response, `${method} ${path}`);
            if (response.ok) answered.add(`${method} ${path}`);
          },
        ),
        fastCheckOptions(rounds(500)),
      );
      expect(gateway.errorLogs).toEqual([]);
      // The calls are not all rejected: what most operations return is compared, too.
      expect(answered.size).toBeGreaterThan(operations.length / 2);
    },
  );
});

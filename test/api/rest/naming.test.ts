import { describe, expect, it } from 'vitest';
import openapi from '../../../schema/openapi.json' with { type: 'json' };
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { expectProblem } from '../../support/checks/problems.ts';
import { registered, status } from '../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on('odd.example', ({ name }) => registered(name, { members: odd }));
registry.on('broken.example', status(500));
const env = { CORS_ORIGINS: 'https://app.example', RATE_LIMIT: '0', MAX_LOOKUPS: '5' };
const gateway = await forThisFile(startGateway, { registries: { example: registry.baseUrl }, env });

const odd = {
  secureDNS: {
    delegationSigned: true,
    dsData: [{ keyTag: 1, digestType: 2, 'x-Odd Key': { innerMost: ['secureDNS', 'camelCase'] } }],
  },
  cidr0_cidrs: [],
  port43: 'whois.Example',
  lunarNIC_theBeginning: 'A-Value Stays',
  fooBar: 'was not snake_case',
  foo_bar: 'was',
};
const oddInSnake = {
  secure_dns: {
    delegation_signed: true,
    ds_data: [
      { key_tag: 1, digest_type: 2, x_odd_key: { inner_most: ['secureDNS', 'camelCase'] } },
    ],
  },
  cidr0_cidrs: [],
  port43: 'whois.Example',
  lunar_nic_the_beginning: 'A-Value Stays',
  foo_bar_2: 'was not snake_case',
  foo_bar: 'was',
};
const record = '/v1/rdap?domain=odd.example';
const header = { 'service-naming': 'snake' };

describe('the RDAP object in /v1/rdap', () => {
  it('is unchanged unless snake_case is requested', async () => {
    const { rdap } = await gateway.get(record);
    expect(rdap).toMatchObject(odd);
    expect(rdap).not.toHaveProperty('object_class_name');
  });

  it.each([
    ['in the query', `${record}&naming=snake`, {}],
    ['in a header', record, header],
    ['in both', `${record}&naming=snake`, header],
    [
      'in the query, which overrides the header',
      `${record}&naming=snake`,
      { 'service-naming': 'camel' },
    ],
    ['in capitals', `${record}&naming=SNAKE`, {}],
    ['in a capitalized header value', record, { 'service-naming': 'Snake' }],
  ])('has snake_case keys at any depth if they are requested %s', async (_where, path, headers) => {
    const response: Json = await (await gateway.fetch(path, { headers })).json();
    expect(response.rdap).toMatchObject({
      ...oddInSnake,
      object_class_name: 'domain',
      ldh_name: 'odd.example',
    });
    expect(keysIn(response).filter((key) => !/^[a-z\d_]+$/.test(key))).toEqual([]);
    expect(valuesIn(response.rdap)).toEqual(valuesIn((await gateway.get(record)).rdap));
  });

  it('has another ETag in snake_case', async () => {
    const [plain, snake] = [
      await gateway.fetch(record),
      await gateway.fetch(`${record}&naming=snake`),
    ];
    expect(plain.headers.get('etag')).not.toBe(snake.headers.get('etag'));
  });
});

const bulk = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const requests: readonly (readonly [code: number, path: string, init?: RequestInit])[] = [
  [200, '/v1/status?domain=taken.test,down.test,a%20b,a.no-such-tld'],
  [200, '/v1/rdap?domain=taken.test'],
  [200, '/v1/rdap?domain=free.test'],
  [200, '/v1/status/bulk', bulk({ domains: ['taken.test', 'a b'] })],
  [
    200,
    '/v1/status/bulk',
    bulk({ domains: ['taken.test', 'a b'] }, { accept: 'application/x-ndjson' }),
  ],
  [400, '/v1/status?name=a_b&tlds=&max_age=x'],
  [400, '/v1/status/bulk', bulk({ domains: [1] })],
  [405, '/v1/status', { method: 'DELETE' }],
  [413, '/v1/status/bulk', bulk({ domains: ['x'.repeat(70_000)] })],
  [415, '/v1/status/bulk', { method: 'POST', body: '{}' }],
  [501, '/v1/certificates?domain=shop.example'],
  [502, '/v1/rdap?domain=broken.example'],
  [404, '/v1/nothing'],
];

describe.each(requests.map(([code, path, init]) => ({ code, path, init })))(
  '$code of $path',
  ({ code, path, init = {} }) => {
    it('has only snake_case keys if they are requested, and otherwise except in the RDAP object', async () => {
      const snake = await gateway.fetch(
        `${path}${path.includes('?') ? '&' : '?'}naming=snake`,
        init,
      );
      const plain = await gateway.fetch(path, init);
      expect([snake.status, plain.status]).toEqual([code, code]);
      const withoutRdap = (await jsonOf(plain)).map((body) => ({ ...body, rdap: null }));
      expect(
        keysIn([await jsonOf(snake), withoutRdap]).filter((key) => !/^[a-z\d_]+$/.test(key)),
      ).toEqual([]);
    });

    it.each(init.method ? [init.method] : ['GET', 'HEAD'])(
      'varies by the naming header: %s',
      async (method) => {
        const response = await gateway.fetch(path, { ...init, method });
        expect(response.status).toEqual(code);
        expect(response.headers.get('vary')).toMatch(/\bService-Naming\b/);
      },
    );
  },
);

describe('an invalid naming', () => {
  it.each([
    ['in the query', '&naming=camel', {}, 'invalid_naming', 'naming'],
    ['in the query, with a valid header', '&naming=kebab', header, 'invalid_naming', 'naming'],
    ['in the header', '', { 'service-naming': 'camel' }, 'invalid_naming', 'Service-Naming'],
    ['in an empty header', '', { 'service-naming': '' }, 'invalid_naming', 'Service-Naming'],
    ['in a list', '', { 'service-naming': 'snake, snake' }, 'invalid_naming', 'Service-Naming'],
    ['that is empty', '&naming=', {}, 'missing_parameter', 'naming'],
    ['that is repeated', '&naming=snake&naming=snake', {}, 'invalid_parameter', 'naming'],
  ] as const)('%s is rejected', async (_where, query, headers, code, param) => {
    for (const path of ['/v1/status?domain=taken.example', '/v1/rdap?domain=taken.example']) {
      await expectProblem(await gateway.fetch(path + query, { headers }), code, { param });
    }
    const sent = bulk({ domains: ['taken.example'] }, headers);
    await expectProblem(await gateway.fetch(`/v1/status/bulk?${query.slice(1)}`, sent), code, {
      param,
    });
    expect(registry.requestCount('taken.example')).toBe(0);
  });

  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  it.each(operations.filter(([, path]) => path.startsWith('/v1/')))(
    'is rejected by %s %s',
    async (method, path) => {
      const response = await gateway.fetch(`${path.replace(/\{\w+\}/, 'x.example')}?naming=camel`, {
        method,
        ...(method.startsWith('P') && {
          headers: { 'content-type': 'application/json' },
          body: '{}',
        }),
      });
      expect(await response.text()).toContain('invalid_naming');
    },
  );
});

async function jsonOf(response: Response): Promise<Json[]> {
  const lines = (await response.text()).trimEnd().split('\n');
  return lines.map((line): Json => JSON.parse(line));
}

function keysIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

function valuesIn(value: Json): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(valuesIn)
    : [value];
}

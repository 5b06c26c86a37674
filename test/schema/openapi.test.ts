import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { printedOpenapi } from '../../scripts/print-schema.ts';
import { aliases } from '../../src/app/endpoints.ts';
import { problems } from '../../src/domain/problems.ts';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';

const file = new URL('../../schema/openapi.json', import.meta.url);
const printed = readFileSync(file, 'utf8');
const document: Json = JSON.parse(printed);
const inCamelCase = (name: string) =>
  name.replace(/[-_](\w)/g, (_match, letter: string) => letter.toUpperCase());

describe('openapi.json', () => {
  it('is up to date (`npm run schema` prints it)', async () => {
    expect(printed).toBe(await printedOpenapi());
  });

  it('lists the methods that the gateway supports for each path', async () => {
    await using gateway = await startGateway();
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      const { headers } = await gateway.fetch(path, { method: 'OPTIONS' });
      const methods = Object.keys(item).map((method) => method.toUpperCase());
      expect([path, headers.get('allow')]).toEqual([
        path,
        [...methods, 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD'),
      ]);
    }
  });

  // Generators use the same name for `cache-skip` and `cache_skip`, so only one is described.
  const describedAliases = aliases.filter(({ name }) => name !== 'cache-skip');

  it.each(describedAliases)(
    'describes $name of $method $path as deprecated',
    ({ method, path, name, location, values }) => {
      const operation = document.paths[path][method.toLowerCase()];
      const { properties } = document.components.schemas.BulkRequest;
      const members = [properties, properties.options.anyOf[0].properties].map(
        (object) => object[name],
      );
      const described =
        location === 'body'
          ? members
          : [operation.parameters.find((parameter: Json) => parameter.name === name)];
      for (const each of described)
        expect(each.deprecated || (values && each.description)).toBeTruthy();
      for (const response of Object.values<Json>(operation.responses))
        expect(Object.keys(response.headers)).toEqual(
          expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
        );
    },
  );

  it('has no parameters or members that would get the same name in generated code', () => {
    const bodies = Object.values<Json>(document.components.schemas).map(({ properties = {} }) =>
      Object.keys(properties),
    );
    const parameters = Object.values<Json>(document.paths).flatMap((item) =>
      Object.values<Json>(item).map((operation) =>
        (operation.parameters ?? []).flatMap(({ name }: Json) => name ?? []),
      ),
    );
    for (const names of [...bodies, ...parameters])
      expect(new Set(names.map(inCamelCase)).size).toBe(names.length);
  });

  it('has an example of every problem except those of GraphQL, of MCP and of rows with an answer', () => {
    const graphql = ['invalid_query', 'query_too_large', 'persisted_query_not_found'];
    const inRows = [
      'no_rdap',
      'brand_tld',
      'closed_tld',
      'reserved_label',
      'script_not_offered',
      'too_many_addresses',
    ];
    const others = [...graphql, 'unknown_account', ...inRows];
    const codes = Object.keys(problems).filter((code) => !others.includes(code));
    expect(Object.keys(document.components.examples).toSorted()).toEqual(codes.toSorted());
  });

  const examples = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).flatMap(([method, { responses }]) =>
      [200, 201].flatMap((status) =>
        Object.values<Json>(responses[status]?.content?.['application/json']?.examples ?? {}).map(
          ({ summary, value }) => ({
            summary,
            response: Response.json(value, { status }),
            operation: `${method as 'get' | 'post'} ${path as `/${string}`}` as const,
          }),
        ),
      ),
    ),
  );

  it.each(examples)(
    'has a valid example of $operation: $summary',
    async ({ response, operation }) => {
      await expectMatchesOpenApi(response, operation);
    },
  );

  it('marks the parameters that every call needs as required, with valid examples', async () => {
    await using gateway = await startGateway();
    const required = Object.entries<Json>(document.paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? [])
        .map(({ $ref, ...parameter }: Json) =>
          $ref ? document.components.parameters[$ref.split('/').at(-1)] : parameter,
        )
        .filter((parameter: Json) => parameter.required && parameter.in === 'query')
        .map((parameter: Json) => [path, parameter]),
    );
    const needed = required.map(([path, { name }]: Json[]) => `${path} ${name}`);
    expect(needed).toEqual(
      expect.arrayContaining(['/v1/url-intelligence url', '/v1/robots domain']),
    );
    for (const [path, { name, schema }] of required) {
      expect(await gateway.get(path)).toMatchObject({ code: 'missing_parameter', param: name });
      const example = encodeURIComponent(schema.examples[0]);
      expect((await gateway.fetch(`${path}?${name}=${example}`)).status).toBe(200);
    }
  });

  it('is served with the addresses of the running gateway', async () => {
    await using gateway = await startGateway({ env: { DOCS_URL: 'https://docs.example/api' } });
    const served = await gateway.fetch('/openapi.json');
    expect(served.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await served.text();
    const { servers, info } = JSON.parse(text);
    expect([servers[0].url, info.contact.url]).toEqual([gateway.url, 'https://docs.example/api']);
    expect(text).toContain('https://docs.example/api/errors#invalid_name');
    expect(text).not.toContain('127.0.0.1:4000');
  });
});

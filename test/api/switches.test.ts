import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';

const browser = {
  headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
};

/** Returns the paths of the assets that a page links to. */
async function assetsOf(from: Gateway, path: string): Promise<readonly string[]> {
  const html = await (await from.fetch(path, browser)).text();
  return Array.from(
    html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g),
    ([, link = '']) => new URL(link, `${from.url}${path}`).pathname,
  );
}

describe('with INTROSPECTION=off', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { INTROSPECTION: 'off' } });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each([
    '{ __schema { queryType { name } } }',
    '{ __type(name: "Domain") { name } }',
    '{ renamed: __type(name: "Domain") { name } domain(name: "taken.test") { status } }',
    '{ ...hidden } fragment hidden on Query { __schema { queryType { name } } }',
    'query ($yes: Boolean = true) { __schema @include(if: $yes) { queryType { name } } }',
    getIntrospectionQuery(),
  ])('rejects an introspection query (%#)', async (query) => {
    // The second request finds the document in the cache.
    for (const times of [1, 2]) {
      const response = await gateway.post('/graphql', { query });
      const { data, errors } = await response.json();
      expect(data, `time ${times}`).toBeUndefined();
      expect(errors[0]).toMatchObject({
        message: expect.stringContaining('introspection'),
        extensions: { code: 'invalid_query' },
      });
    }
  });

  it('executes __typename and all other fields', async () => {
    expect(
      await gateway.graphql('{ __typename domain(name: "taken.test") { __typename status } }'),
    ).toMatchObject({
      data: { __typename: 'Query', domain: { __typename: 'Domain', status: 'REGISTERED' } },
    });
  });
});

describe('with GRAPHIQL=off', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { GRAPHIQL: 'off' } });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('returns the same to browsers and API clients at /graphql', async () => {
    const [browserResponse, response] = [
      await gateway.fetch('/graphql', browser),
      await gateway.fetch('/graphql'),
    ];
    expect(browserResponse.status).toBe(400);
    expect(await browserResponse.json()).toEqual(await response.json());
    const htmlOnly = await gateway.fetch('/graphql', { headers: { accept: 'text/html' } });
    expect(htmlOnly.status).toBe(
      (await gateway.fetch('/graphql', { headers: { accept: 'image/png' } })).status,
    );
    expect(htmlOnly.headers.get('content-type')).not.toContain('html');
    expect(await (await gateway.fetch('/graphql?query={__typename}', browser)).json()).toEqual({
      data: { __typename: 'Query' },
    });
  });

  it('serves the assets of the other pages, but not those of GraphiQL', async () => {
    await using other = await startGateway();
    const status = async (path: string) => (await gateway.fetch(path)).status;
    const shared = new Set([
      ...(await assetsOf(gateway, '/')),
      ...(await assetsOf(gateway, '/docs')),
    ]);
    const own = (await assetsOf(other, '/graphql')).filter((path) => !shared.has(path));
    expect(own.length).toBeGreaterThan(5);
    expect(new Set(await Promise.all(own.map(status)))).toEqual(new Set([404]));
    expect(new Set(await Promise.all([...shared].map(status)))).toEqual(new Set([200]));
  });

  it.each(['/', '/docs', '/docs/errors'])('serves %s without a link to GraphiQL', async (path) => {
    await using other = await startGateway();
    expect(await (await other.fetch(path, browser)).text()).toMatch(/href="[^"]*graphql">GraphiQL/);
    expect(await (await gateway.fetch(path, browser)).text()).not.toMatch(
      /href="[^"]*graphql">GraphiQL/,
    );
  });
});

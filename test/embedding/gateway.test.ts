import { getEventListeners } from 'node:events';
import express from 'express';
import { fastify } from 'fastify';
import { buildSchema, execute, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGateway, schema, type Gateway } from '../../src/gateway.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { sourcesWithoutDns } from '../support/gateways/gateway-process.ts';
import { entity } from '../support/bodies/registry-objects.ts';
import { notFound } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';

const open = (more: Parameters<typeof createGateway>[0] = {}) =>
  createGateway({
    STORE_URL: 'memory:',
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
    SOURCES_FILE: sourcesWithoutDns,
    CT_SEARCH_URL: 'off',
    LOG_LEVEL: 'silent',
    ...more,
  });

const registry = await forThisFile(startFakeRegistry);
const bootstrap = await forThisFile(writeBootstrap, bootstrapOf({ example: registry.baseUrl }), {
  tags: { EX: registry.baseUrl },
});
const gateway = await forThisFile(open, { BASE_URL: 'https://site.example/rdap' });

/** Returns the link of a problem to its explanation. */
async function problemTypeAt({ handle }: Gateway): Promise<string> {
  await using server = await startHttpServer(handle);
  return (await (await fetch(`${server.url}/v1/status`)).json()).type;
}

const run = (text: string, variables?: Record<string, unknown>) =>
  gateway.execute({ document: parse(text), variables });

const query = '{ domain(name: "taken.test") { available } }';
const post = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('createGateway', () => {
  it('rejects an operation with too many values of objects, instead of omitting some', async () => {
    const entities = Array.from({ length: 100 }, (_, index) => ({
      objectClassName: 'entity',
      handle: 'LOOP-EX',
      publicIds: [{ type: 'number', identifier: String(index) }],
    }));
    registry.on('entity/LOOP-EX', entity('LOOP-EX', { entities }));
    const nested = (levels: number): string =>
      levels === 0 ? 'found' : `entities { entity { ${nested(levels - 1)} } }`;
    const execution = (levels: number) =>
      run(`{ entity(handle: "LOOP-EX") { ${nested(levels)} } }`);
    expect(await execution(1)).toMatchObject({ data: { entity: { entities: { length: 100 } } } });
    expect(await execution(3)).toEqual({
      errors: [
        expect.objectContaining({
          extensions: expect.objectContaining({ code: 'query_too_large' }),
        }),
      ],
    });
  });

  it.each([
    ['a resolver', '{ domain(name: "bad name") { domain } }', ['domain'], 'invalid_name'],
    ['a variable', 'query ($name: String!) { domain(name: $name) { domain } }', undefined],
    [
      'a subscription',
      'subscription { availability(name: "a", tlds: []) { domain } }',
      ['availability'],
      'missing_parameter',
    ],
  ])('returns the error of %s as plain data', async (_of, text, path, code = 'invalid_query') => {
    const result = await run(text);
    const { errors } = 'next' in result ? (await result.next()).value || {} : result;
    expect(errors).toStrictEqual(
      [
        {
          message: expect.any(String),
          locations: expect.any(Array),
          path,
          extensions: expect.objectContaining({ code }),
        },
      ].map(({ path: at, ...error }) => (at ? { ...error, path: at } : error)),
    );
    expect(JSON.parse(JSON.stringify(errors))).toEqual(errors);
  });

  it('mounts in a server of node:http', async () => {
    await using server = await startHttpServer(gateway.handle);
    const response = await fetch(`${server.url}/v1/status?domain=taken.test`);
    expect(await response.json()).toMatchObject({ results: [{ available: false }] });
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    expect(await (await post(`${server.url}/graphql`, { query })).json()).toMatchObject({
      data: { domain: { available: false } },
    });
  });

  it('mounts below a path of Express, with pages and streams', async () => {
    const app = express();
    app.use('/rdap', gateway.handle);
    app.use(express.json());
    app.post('/other', ({ body }, response) => void response.json(body));
    await using server = await startHttpServer(app);
    const events = await fetch(
      `${server.url}/rdap/graphql?query=${encodeURIComponent('subscription { availability(name: "slow", tlds: ["test", "zz"]) { domain } }')}`,
      { headers: { accept: 'text/event-stream' } },
    );
    expect((await events.text()).match(/slow\.\w+/g)).toEqual(['slow.zz', 'slow.test']);
    expect(await (await post(`${server.url}/rdap/graphql`, { query })).json()).toMatchObject({
      data: { domain: { available: false } },
    });
    const page = await (await fetch(`${server.url}/rdap/docs`)).text();
    const [, asset = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(new URL(asset, `${server.url}/rdap/docs`))).status).toBe(200);
    expect(await (await post(`${server.url}/other`, { a: 1 })).json()).toEqual({ a: 1 });
  });

  it('mounts below a path of Fastify', async () => {
    const app = fastify();
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _body, done) => done(null));
      scope.all('/rdap/*', ({ raw }, reply) => {
        reply.hijack();
        raw.url = raw.url?.replace('/rdap', '') ?? '';
        gateway.handle(raw, reply.raw);
      });
    });
    const url = await app.listen({ port: 0 });
    expect(await (await post(`${url}/rdap/graphql`, { query })).json()).toMatchObject({
      data: { domain: { available: false } },
    });
    expect((await fetch(`${url}/rdap/v1/status?domain=taken.test`)).status).toBe(200);
    await app.close();
  });

  it('builds links from BASE_URL, which is http://HOST:PORT by default', async () => {
    await using other = await open({ HOST: '0.0.0.0', PORT: 3000 });
    expect(await problemTypeAt(gateway)).toBe(
      'https://site.example/rdap/docs/errors#invalid_parameter',
    );
    expect(await problemTypeAt(other)).toBe('http://localhost:3000/docs/errors#invalid_parameter');
  });

  it('rejects a body that another part of the server has read', async () => {
    const app = express();
    app.use(express.json(), gateway.handle);
    await using server = await startHttpServer(app);
    const { status } = await post(`${server.url}/v1/status/bulk`, { domains: ['taken.test'] });
    expect(status).toBe(500);
  });

  it('reads options as in the environment, numbers and lists, and nothing else', async () => {
    process.env['MAX_TLDS'] = '1';
    await using limited = await open({ MAX_LOOKUPS: 2, CORS_ORIGINS: ['https://a.example'] });
    delete process.env['MAX_TLDS'];
    await using server = await startHttpServer(limited.handle);
    const count = async (domains: string) =>
      (await fetch(`${server.url}/v1/status?domain=${domains}`)).status;
    expect([await count('a.test,b.test'), await count('a.test,b.test,c.test')]).toEqual([200, 400]);
    const { headers } = await fetch(server.url, { headers: { origin: 'https://a.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://a.example');
  });

  it.each<readonly [object, string]>([
    [{ MAX_LOOKUPS: 0 }, 'MAX_LOOKUPS must be an integer from 1 to 100000, got "0".'],
    [{ STORE: 'memory:' }, 'STORE is not an option. The options are HOST, PORT,'],
  ])('rejects %j', async (options, message) => {
    await expect(createGateway(options)).rejects.toThrow(message);
  });

  it('finishes the requests in flight when it is closed, and rejects later ones', async () => {
    const reply = paused(notFound());
    registry.on('pending.example', reply);
    const closing = await open();
    await using server = await startHttpServer(closing.handle);
    const pending = fetch(`${server.url}/v1/status?domain=pending.example`);
    await registry.whenRequested('pending.example');
    const closed = closing.close();
    expect((await fetch(`${server.url}/v1/status?domain=taken.test`)).status).toBe(503);
    reply.release();
    expect(await (await pending).json()).toMatchObject({ results: [{ available: true }] });
    await closed;
    await closing.close();
  });
});

describe('execute', () => {
  it('executes a query without HTTP', async () => {
    expect(
      await run('query ($name: String!) { domain(name: $name) { available } account { name } }', {
        name: 'taken.test',
      }),
    ).toEqual({ data: { domain: { available: false }, account: null } });
  });

  it('returns problems with their codes, at the path of the field', async () => {
    expect(await run('{ bad: domain(name: "not a name") { available } }')).toMatchObject({
      data: { bad: null },
      errors: [{ path: ['bad'], extensions: { code: 'invalid_name', param: 'name' } }],
    });
    expect(await run('query ($name: String!) { domain(name: $name) { available } }')).toMatchObject(
      { errors: [{ extensions: { code: 'invalid_query' } }] },
    );
    const names = Array.from({ length: 501 }, (_, index) => `name${index}.test`);
    expect(
      await run('query ($names: [String!]) { domains(domains: $names) { available } }', { names }),
    ).toMatchObject({ errors: [{ extensions: { code: 'too_many_lookups' } }] });
  });

  it('returns the rows of a subscription as they arrive', async () => {
    const rows = await run(
      'subscription { availability(name: "slow-row", tlds: ["test", "zz"]) { domain } }',
    );
    if (!(Symbol.asyncIterator in rows)) throw new Error('no stream');
    const domains: unknown[] = [];
    for await (const { data } of rows) domains.push(data?.['availability']);
    expect(domains).toEqual([{ domain: 'slow-row.zz' }, { domain: 'slow-row.test' }]);
  });

  it('does not listen to its signal after the end, as other operations may share it', async () => {
    const { signal } = new AbortController();
    const document = parse('{ domain(name: "left.example", maxAge: 0) { available } }');
    await gateway.execute({ document, signal });
    expect(registry.requestCount('left.example')).toBeGreaterThan(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects when its signal is aborted', async () => {
    const reply = paused(notFound());
    registry.on('unwanted.example', reply);
    const abort = new AbortController();
    const document = parse('{ domain(name: "unwanted.example") { available } }');
    const result = gateway.execute({ document, signal: abort.signal });
    await registry.whenRequested('unwanted.example');
    abort.abort('no longer needed');
    await expect(result).rejects.toBe('no longer needed');
    reply.release();
  });
});

describe('schema', () => {
  it('is part of another schema whose fields are delegated', async () => {
    const outer = buildSchema('type Query { isFree(name: String!): Boolean }');
    const document = parse('query ($name: String!) { domain(name: $name) { available } }');
    const rootValue = {
      isFree: async (variables: Record<string, unknown>) => {
        const result = await gateway.execute({ document, variables });
        return 'data' in result ? Object(result.data?.['domain']).available : null;
      },
    };
    const result = await execute({
      schema: outer,
      rootValue,
      document: parse('{ taken: isFree(name: "taken.test") free: isFree(name: "free.test") }'),
    });
    expect(result).toEqual({ data: { taken: false, free: true } });
  });

  it('can be executed by graphql-js, which rejects the directive @defer', async () => {
    expect(
      await execute({ schema, document: parse('{ __schema { queryType { name } } }') }),
    ).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
  });
});

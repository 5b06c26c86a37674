import { once } from 'node:events';
import { type RequestListener } from 'node:http';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import {
  documents,
  GatewayClient,
  GatewayError,
  type Availability,
} from '../../src/client/client.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { paused } from '../support/bodies/scripts.ts';
import { notFound } from '../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway);
const customer = await metered.newCustomer();
const client = new GatewayClient(metered.gateway.url, { apiKey: customer.key });

/** Returns a client of a server that answers every request in the same way. */
async function clientOf(listener: RequestListener): Promise<GatewayClient & AsyncDisposable> {
  const { url, ...server } = await startHttpServer(listener);
  const dispose = { [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  return Object.assign(new GatewayClient(url), dispose);
}

async function collect(rows: AsyncIterable<Availability>): Promise<readonly Availability[]> {
  const all: Availability[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('the typed client', () => {
  it('sends documents that the schema accepts', () => {
    const errors = Object.values(documents).flatMap((text) => validate(schema, parse(text)));
    expect(errors).toEqual([]);
  });

  it('checks a name', async () => {
    expect(await client.check('free.test')).toMatchObject({
      domain: 'free.test',
      available: true,
      status: 'AVAILABLE',
      problem: null,
    });
  });

  it('returns the failure of a lookup as data', async () => {
    expect(await client.check('down.test')).toMatchObject({
      available: null,
      status: 'UNKNOWN',
      problem: { code: 'registry_error', retryable: true },
    });
  });

  it('yields the rows of a search as they arrive', async () => {
    const rows = await collect(client.search({ name: 'slow', tlds: ['test', 'zz'] }));
    expect(rows.map(({ domain, available }) => [domain, available])).toEqual([
      ['slow.zz', null],
      ['slow.test', false],
    ]);
  });

  it('searches full names', async () => {
    const rows = await collect(client.search({ domains: ['taken.test', 'bücher.test'] }));
    expect(rows.map(({ unicodeName }) => unicodeName).toSorted()).toEqual([
      'bücher.test',
      'taken.test',
    ]);
  });

  it('looks up a registration with its contacts and the raw object', async () => {
    const { available, registration } = await client.lookup('taken.test', { maxAge: 0 });
    expect(available).toBe(false);
    expect(registration).toMatchObject({
      registrar: { name: 'Sandbox Registrar Ltd' },
      contacts: expect.arrayContaining([expect.objectContaining({ roles: ['registrant'] })]),
      raw: { objectClassName: 'domain' },
    });
  });

  it('returns no registration for an unregistered name', async () => {
    expect(await client.lookup('free.test')).toMatchObject({ available: true, registration: null });
  });

  it('names the parameter at fault', async () => {
    const error = await client.check('not a name').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      code: 'invalid_name',
      param: 'name',
      detail: expect.stringContaining('is not a domain name'),
      status: 200,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });

  it('reports a rejected search before the first row', async () => {
    const search = client.search({ name: 'free', tlds: [] });
    await expect(search.next()).rejects.toMatchObject({ code: 'missing_parameter', param: 'tlds' });
  });

  it.each(['check', 'lookup'] as const)('reports a missing key: %s', async (method) => {
    const anonymous = new GatewayClient(metered.gateway.url);
    await expect(anonymous[method]('free.example')).rejects.toMatchObject({
      code: 'missing_api_key',
      status: 401,
    });
  });

  it('reports a missing key: search', async () => {
    const anonymous = new GatewayClient(metered.gateway.url);
    const search = anonymous.search({ domains: ['free.example'] });
    await expect(search.next()).rejects.toMatchObject({ code: 'missing_api_key', status: 401 });
  });

  it('reports when a request may be repeated', async () => {
    await using limited = await startMeteredGateway({ env: { RATE_LIMIT: '1' } });
    const { key } = await limited.newCustomer();
    const other = new GatewayClient(limited.gateway.url, { apiKey: key });
    await other.check('free.test');
    await expect(other.check('free.test')).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfter: 60,
    });
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reply = paused(notFound());
    metered.registry.on('aborted.example', reply);
    const abort = new AbortController();
    const check = client.check('aborted.example', { signal: abort.signal });
    await metered.registry.whenRequested('aborted.example');
    abort.abort('no longer needed');
    await expect(check).rejects.toBe('no longer needed');
    await expect(client.check('free.test', { signal: abort.signal })).rejects.toBe(
      'no longer needed',
    );
    reply.release();
  });

  it('ends a search when its signal is aborted', async () => {
    const reply = paused(notFound());
    metered.registry.on('unread.example', reply);
    const abort = new AbortController();
    const domains = ['free.test', 'unread.example'];
    const search = client.search({ domains }, { signal: abort.signal });
    expect((await search.next()).value).toMatchObject({ domain: 'free.test' });
    abort.abort();
    await expect(search.next()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    reply.release();
  });

  it('ends the request when the loop is left', async () => {
    let closed: Promise<unknown> | undefined;
    await using stub = await clientOf((_request, response) => {
      closed = once(response, 'close');
      response.setHeader('content-type', 'text/event-stream');
      response.write(`event: next\ndata: {"data":{"availability":{"domain":"first.test"}}}\n\n`);
    });
    for await (const { domain } of stub.search({ domains: ['first.test', 'never.test'] })) {
      expect(domain).toBe('first.test');
      break;
    }
    await closed;
  });

  it('reports a gateway that cannot be reached', async () => {
    const absent = new GatewayClient(`http://127.0.0.1:${await freePort()}`);
    await expect(absent.check('free.test')).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it.each([
    ['the connection is lost', ': heartbeat\n\nevent: next\nda', true],
    ['the stream ends', ':\n\n', false],
  ])('reports a search that is incomplete because %s', async (_how, text, isLost) => {
    await using stub = await clientOf((_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      if (isLost) response.write(text, () => response.destroy());
      else response.end(text);
    });
    const search = stub.search({ domains: ['free.test'] });
    await expect(search.next()).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it('reports a server that is not a gateway', async () => {
    await using stub = await clientOf((_request, response) => {
      response.statusCode = 502;
      response.end('<html>Bad gateway</html>');
    });
    const failure = { code: 'unexpected_response', status: 502 };
    await expect(stub.check('free.test')).rejects.toMatchObject(failure);
    await expect(stub.search({ domains: ['a.test'] }).next()).rejects.toMatchObject(failure);
  });

  it('reports an error in the middle of a search', async () => {
    await using stub = await clientOf((_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      const error = { message: 'Try later.', extensions: { code: 'unavailable', retryAfter: 1 } };
      response.end(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`);
    });
    await expect(stub.search({ domains: ['a.test'] }).next()).rejects.toMatchObject({
      code: 'unavailable',
      detail: 'Try later.',
      retryAfter: 1,
    });
  });

  it('accepts an address with a path, and another fetch function', async () => {
    const urls: string[] = [];
    const prefixed = new GatewayClient(new URL('https://gateway.example/rdap/'), {
      fetch: async (input, init) => {
        urls.push(String(input));
        return fetch(`${metered.gateway.url}/graphql`, init);
      },
      apiKey: customer.key,
    });
    expect(await prefixed.check('free.test')).toMatchObject({ available: true });
    expect(urls).toEqual(['https://gateway.example/rdap/graphql']);
  });
});

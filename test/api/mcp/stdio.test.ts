import { once } from 'node:events';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { connectClient, type McpClient, type Revision } from '../../support/requests/mcp-client.ts';
import { notFound, registered } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';

const program = join(import.meta.dirname, '../../support/gateways/mcp-stdio-process.ts');

const registry = await forThisFile(startFakeRegistry);
registry.on(/^taken\./, ({ name }) => registered(name));
const bootstrap = await forThisFile(writeBootstrap, bootstrapOf({ registry: registry.baseUrl }));
const args = [program, bootstrap.url];

const connect = (revision: Revision): Promise<McpClient> =>
  connectClient(new StdioClientTransport({ command: process.execPath, args }), revision);

describe.each(['2026-07-28', '2025-11-25'] as const)('over stdio, revision %s', (revision) => {
  let mcp: McpClient;
  beforeAll(async () => {
    mcp = await connect(revision);
  });
  afterAll(() => mcp[Symbol.asyncDispose]());

  it('serves the tools of POST /mcp', async () => {
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(mcp.client.getServerVersion()).toMatchObject({ name: 'rdap-gateway', version: '1.2.3' });
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'check_domains',
      'lookup_domain',
      'lookup_object',
      'inspect_site',
      'list_tlds',
      'search_schema',
      'query_graph',
      'create_receipt',
      'account',
    ]);
  });

  it('looks up names in this process, with progress and without credits', async () => {
    const progress: Json[] = [];
    // The client drops a notification that it reads together with the result.
    const held = paused(notFound());
    registry.on(`last-${revision}.registry`, held);
    const call = mcp.call(
      'check_domains',
      { names: ['taken.registry', 'free.registry', 'down.test', `last-${revision}.registry`] },
      { onprogress: (update) => progress.push(update) },
    );
    await expect.poll(() => progress.map(({ progress: done }) => done)).toEqual([1, 2, 3]);
    held.release();
    const { structuredContent } = await call;
    expect(structuredContent.results.map(({ available }: Json) => available)).toEqual([
      false,
      true,
      null,
      true,
    ]);
    expect(structuredContent.credits).toBeUndefined();
    const record = await mcp.call('lookup_domain', { name: 'taken.test' });
    expect(record.structuredContent.registration.registrar.name).toBe('Sandbox Registrar Ltd');
    expect((await mcp.call('account')).structuredContent).toEqual({ account: null });
  });

  it('names the argument at fault', async () => {
    const { isError, _meta } = await mcp.call('check_domains', { names: 1 });
    expect(isError).toBe(true);
    expect(_meta?.['problem']).toMatchObject({ code: 'invalid_parameter', param: 'names' });
  });

  it('drops unsent lookups of a call that the client cancels', async () => {
    const reply = paused(notFound());
    const prefix = `held-${revision}-`;
    registry.on((name) => name.startsWith(prefix), reply);
    const names = [1, 2, 3, 4].map((number) => `${prefix}${number}.registry`);
    const cancellation = new AbortController();
    const call = mcp.call('check_domains', { names }, { signal: cancellation.signal });
    call.catch(() => undefined);
    await Promise.all(names.slice(0, 2).map((name) => registry.whenRequested(name)));
    cancellation.abort();
    await expect(call).rejects.toThrow();
    // The server reads its messages in order, so it has received the cancellation.
    await mcp.call('account');
    reply.release();
    await mcp.call('check_domains', { names: ['later.registry'] });
    expect(names.map(registry.requestCount)).toEqual([1, 1, 0, 0]);
  });
});

it('ends when the client closes its input', async () => {
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.end('not a message\n');
  const [code] = await once(server, 'close');
  expect(code).toBe(0);
});

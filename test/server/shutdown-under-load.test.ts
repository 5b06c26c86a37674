import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import {
  sourcesWithoutDns,
  startProcess,
  type GatewayProcess,
} from '../support/gateways/gateway-process.ts';
import { openFrom } from '../support/requests/in-flight.ts';
import { hang } from '../support/bodies/hostile-replies.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { sendRaw } from '../support/requests/raw-http.ts';
import { registered } from '../support/bodies/replies.ts';
import { scrapeUntil } from '../support/checks/scrape.ts';
import { scratch } from '../support/stores/scratch.ts';
import { paused } from '../support/bodies/scripts.ts';

const registry = await forThisFile(startFakeRegistry);
registry.fallback(({ name }) => registered(name));
const bootstrap = await forThisFile(writeBootstrap, bootstrapOf({ example: registry.baseUrl }));

const limits = {
  RATE_LIMIT: '0',
  RDAP_RATE: '0',
  RDAP_CONCURRENCY: '100',
  RDAP_TIMEOUT_MS: '60000',
};
const start = (more: Readonly<Record<string, string>> = {}) =>
  startProcess({
    PORT: '0',
    STORE_URL: 'memory:',
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
    ...limits,
    ...more,
  });

/** Returns the environment of a process that fails with an unhandled error on this signal. */
const failing = (signal: string, failure: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,process.on(${encodeURIComponent(`'${signal}',()=>{${failure}}`)})`,
});

/**
 * Looks up names whose replies are paused. Resolves when the registry has received all requests.
 * They are sent one by one: a busy machine rejects some of many that arrive at once.
 */
async function lookUpPaused(url: string, names: readonly string[]) {
  const reply = paused(({ name }) => registered(name));
  for (const name of names) registry.on(name, reply);
  const responses: Promise<Response>[] = [];
  for (const name of names) {
    responses.push(fetch(`${url}/v1/status?domain=${name}`));
    await registry.whenRequested(name);
  }
  return { responses: Promise.all(responses), release: reply.release };
}

describe('SIGTERM under load', { timeout: 60_000 }, () => {
  it('answers the requests in flight, and closes their connections', async () => {
    await using gateway = start();
    const { url } = await gateway.logged('listening');
    const names = Array.from({ length: 60 }, (_, index) => `inflight${index}.example`);
    const { responses, release } = await lookUpPaused(url, names);
    gateway.kill('SIGTERM');
    await gateway.logged('stopping');
    release();
    const received = await responses;
    expect(
      new Set(received.map(({ status, headers }) => `${status} ${headers.get('connection')}`)),
    ).toEqual(new Set(['200 close']));
    const rows = await Promise.all(received.map((response) => response.json()));
    expect(rows).toMatchObject(
      names.map((domain) => ({ results: [{ domain, available: false }] })),
    );
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('SIGTERM while clients send requests over open connections', { timeout: 120_000 }, () => {
  it('resets no connection: each ends with a last response or an orderly close', async () => {
    await using gateway = start();
    const { url } = await gateway.logged('listening');
    const busy = Promise.withResolvers<void>();
    let responses = 0;
    const onResponse = () => void ((responses += 1) === 20 && busy.resolve());
    const clients = Array.from({ length: 150 }, () => requestUntilClosed(url, onResponse));
    await busy.promise;
    gateway.kill('SIGTERM');
    const ends = await Promise.all(clients);
    expect(ends.filter((end) => end !== 'answered' && end !== 'ended')).toEqual([]);
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

it('answers lookups that are pending nine seconds after SIGTERM with status unknown', async () => {
  await using slowRegistry = await startFakeRegistry();
  slowRegistry.fallback(hang());
  const clock = manualClock();
  const env = {
    RDAP_RATE: '0',
    RDAP_CONCURRENCY: '1',
    RDAP_TIMEOUT_MS: '60000',
    QUEUE_TIMEOUT_MS: '60000',
  };
  const gateway = await startGateway({ clock, registries: { example: slowRegistry.baseUrl }, env });
  const idle = clock.pending;
  const body = gateway.get('/v1/status?domain=sent.example,queued.example');
  await slowRegistry.whenRequested('sent.example');
  await clock.whenPending(idle + 2);
  const stopped = gateway[Symbol.asyncDispose]();
  clock.advance(9000);
  expect((await body).results).toMatchObject([
    { domain: 'sent.example', status: 'unknown', available: null, reason: 'registry_timeout' },
    { domain: 'queued.example', status: 'unknown', available: null, reason: 'registry_busy' },
  ]);
  await stopped;
});

/**
 * Sends requests over one connection until it is closed. Returns `answered` if a response closed
 * it, `ended` if the server did, or else the error.
 */
async function requestUntilClosed(url: string, onResponse: () => void): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const sent = request(`${url}/v1/status?domain=taken.test`, { agent }).end();
    try {
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await text(response);
      onResponse();
      if (response.headers.connection === 'close') return 'answered';
    } catch (error) {
      // Node's message for a connection that ended; for a reset, it names the system call.
      return (error as Error).message === 'socket hang up' ? 'ended' : String(error);
    }
  }
}

describe.concurrent('SIGTERM ends the process within ten seconds', { timeout: 60_000 }, () => {
  it('while clients read none of their responses', async () => {
    await using gateway = start();
    const { url } = await gateway.logged('listening');
    const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text();
    const asset = /assets\/[^"]*graphiql\.min\.js/.exec(page)?.[0];
    const sockets = await openFrom(
      { url },
      '127.0.0.1',
      4,
      `GET /${asset} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(60),
    );
    for (const socket of sockets) {
      socket.pause();
      socket.write('HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(30));
    }
    // Ten of each connection are being served.
    const from: Pick<Gateway, 'fetch'> = { fetch: (path, init) => fetch(url + path, init) };
    await scrapeUntil(
      from,
      ({ sum }) => sum('rdap_gateway_http_requests_total', { route: 'static' }) > 40,
    );
    expect(await endsAfterSigterm(gateway.pid, gateway.ended)).toEqual([0, true]);
    for (const socket of sockets) socket.destroy();
  });

  it('while its log output is not read', async () => {
    const child = spawn(process.execPath, ['--import', './src/require-node.mjs', 'src/main.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: {
        PORT: '0',
        STORE_URL: 'memory:',
        RDAP_BOOTSTRAP_URL: bootstrap.url,
        SOURCES_FILE: sourcesWithoutDns,
        RATE_LIMIT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await urlIn(child.stdout);
    child.stdout.pause();
    const ended = once(child, 'exit').then(([code]) => ({ code }));
    // Each is logged: together, more than the pipe holds.
    const requests = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50);
    const last = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    for (let times = 0; times < 100; times++)
      expect(await sendRaw(url, requests + last)).toContain('HTTP/1.1 200');
    expect(await endsAfterSigterm(child.pid ?? 0, ended)).toEqual([0, true]);
    child.stdout.destroy();
  });
});

/** Reads the log until the gateway listens. Returns its URL; warnings may come first. */
async function urlIn(log: Readable): Promise<string> {
  let read = '';
  for await (const chunk of log.iterator({ destroyOnReturn: false })) {
    read += String(chunk);
    const [, url] = /"url":"([^"]+)".*"listening"/.exec(read) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The gateway exited before it listened: ${read}`);
}

/**
 * Returns the exit code, and whether the process ended in time. The code is 0 if it did so before
 * it forces its exit, just before ten seconds; on a busy machine, this process learns it later.
 */
async function endsAfterSigterm(
  pid: number,
  ended: Promise<{ readonly code: number | null }>,
): Promise<readonly [number | null, boolean]> {
  const sentAt = performance.now();
  process.kill(pid, 'SIGTERM');
  const { code } = await ended;
  return [code, performance.now() - sentAt < 20_000];
}

describe.concurrent('a second signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'half a second after the first ends the process immediately: %s',
    async (signal) => {
      await using gateway = start();
      const { url } = await gateway.logged('listening');
      const { responses } = await lookUpPaused(url, [`${signal.toLowerCase()}.example`]);
      const lost = expect(responses).rejects.toThrow('fetch failed');
      await signalUntilEnded(gateway, signal);
      await lost;
      // A graceful shutdown would end with 0, after the ten seconds that a response may take.
      expect(await gateway.ended).toMatchObject({ code: 1, stderr: '' });
    },
  );
});

/** Waits for a response of the registry between two signals. */
async function signalUntilEnded(gateway: GatewayProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = gateway.ended.then(() => true);
  do gateway.kill(signal);
  while (!(await Promise.race([ended, fetch(registry.url('ping')).then(() => false)])));
}

describe.concurrent('an unhandled error', () => {
  it.each([
    ['an exception', 'throw new Error("out of the blue")'],
    ['an unhandled rejection', 'Promise.reject(new Error("out of the blue"))'],
  ])('is logged and shuts the process down gracefully: %s', async (_what, failure) => {
    await using gateway = start(failing('SIGUSR2', failure));
    const { url } = await gateway.logged('listening');
    const name = `unhandled${_what.length}.example`;
    const { responses, release } = await lookUpPaused(url, [name]);
    gateway.kill('SIGUSR2');
    const line = await gateway.logged(
      'Unhandled error. Shutting down; report it with the stack trace.',
    );
    expect(line).toMatchObject({ level: 'fatal', err: { message: 'out of the blue' } });
    release();
    const [response] = await responses;
    expect(await response?.json()).toMatchObject({ results: [{ domain: name, available: false }] });
    expect(await gateway.ended).toMatchObject({ code: 1, signal: null, stderr: '' });
  });
});

describe.concurrent('a cache database that becomes corrupt while the gateway runs', () => {
  it('is quarantined, recreated and logged once, and all requests are answered', async () => {
    await using folder = await scratch();
    await using gateway = start({ STORE_URL: folder.storeUrl });
    const { url } = await gateway.logged('listening');
    const lookUp = async () => (await fetch(`${url}/v1/rdap?domain=stored.example`)).json();
    expect(await lookUp()).toMatchObject({ cached: false });
    using file = new DatabaseSync(join(folder.path, 'gateway-answers.db'), { timeout: 5000 });
    const corrupt = file.prepare("UPDATE registrations SET summary = '{' || summary");
    // A response is sent before its answer is stored.
    while (corrupt.run().changes === 0) await fetch(`${url}/health`);
    expect(await lookUp()).toMatchObject({ cached: false, available: false });
    expect(await lookUp()).toMatchObject({ cached: true });
    const { level, quarantine } = await gateway.logged(
      'Corrupt cache database quarantined and recreated.',
    );
    expect([level, existsSync(quarantine)]).toEqual(['warn', true]);
    gateway.kill('SIGTERM');
    const { code, stdout } = await gateway.ended;
    expect([code, stdout.match(/database quarantined/g)?.length]).toEqual([0, 1]);
    expect(readdirSync(folder.path)).toContain('gateway-answers.db');
  });
});

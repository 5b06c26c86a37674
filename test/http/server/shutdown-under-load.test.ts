import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapOf, writeBootstrap, type BootstrapFile } from '../../support/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { startProcess, type GatewayProcess } from '../../support/gateway-process.ts';
import { openFrom } from '../../support/full-gateway.ts';
import { hang } from '../../support/hostile-replies.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { registered } from '../../support/replies.ts';
import { scrapeUntil } from '../../support/scrape.ts';
import { scratch } from '../../support/scratch.ts';
import { paused } from '../../support/scripts.ts';

let registry: FakeRegistry;
let bootstrap: BootstrapFile;

beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.fallback(({ name }) => registered(name));
  bootstrap = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
});

afterAll(async () => {
  await bootstrap[Symbol.asyncDispose]();
  await registry.close();
});

const limits = { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_CONCURRENCY: '100' };
const start = (more: Readonly<Record<string, string>> = {}) =>
  startProcess({
    PORT: '0',
    STORE_URL: 'memory:',
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
    ...limits,
    ...more,
  });

/** Lets the process fail, when it gets this signal, in a way that no code of its own foresees. */
const failing = (signal: string, failure: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,process.on(${encodeURIComponent(`'${signal}',()=>{${failure}}`)})`,
});

/** Asks for names that the registry holds back; settles when it has been asked for all of them. */
async function askHeld(url: string, names: readonly string[]) {
  const reply = paused(({ name }) => registered(name));
  for (const name of names) registry.on(name, reply);
  const answers = names.map((name) => fetch(`${url}/v1/status?domain=${name}`));
  await Promise.all(names.map((name) => registry.whenAsked(name)));
  return { answers: Promise.all(answers), release: reply.release };
}

describe('SIGTERM under load', () => {
  it('loses no answer in flight, and tells clients that their connections will close', async () => {
    await using gateway = start();
    const { url } = await gateway.logged('listening');
    const names = Array.from({ length: 60 }, (_, index) => `flying${index}.example`);
    const { answers, release } = await askHeld(url, names);
    gateway.kill('SIGTERM');
    await gateway.logged('stopping');
    release();
    const all = await answers;
    expect(
      new Set(all.map(({ status, headers }) => `${status} ${headers.get('connection')}`)),
    ).toEqual(new Set(['200 close']));
    const rows = await Promise.all(all.map((answer) => answer.json()));
    expect(rows).toMatchObject(
      names.map((domain) => ({ results: [{ domain, available: false }] })),
    );
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('SIGTERM while clients send requests over open connections', { timeout: 120_000 }, () => {
  it('resets no connection: each client gets a response that closes its connection, or the end of it', async () => {
    await using gateway = start();
    const { url } = await gateway.logged('listening');
    const busy = Promise.withResolvers<void>();
    let answered = 0;
    const onAnswer = () => void ((answered += 1) === 20 && busy.resolve());
    const clients = Array.from({ length: 150 }, () => requestUntilClosed(url, onAnswer));
    await busy.promise;
    gateway.kill('SIGTERM');
    const ends = await Promise.all(clients);
    expect(ends.filter((end) => end !== 'answered' && end !== 'ended')).toEqual([]);
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

it('who still waits for a registry nine seconds after SIGTERM is told that it is not known, and is not cut off', async () => {
  await using own = await startFakeRegistry();
  own.fallback(hang());
  const clock = manualClock();
  const env = {
    RDAP_RATE: '0',
    RDAP_CONCURRENCY: '1',
    RDAP_TIMEOUT_MS: '60000',
    QUEUE_TIMEOUT_MS: '60000',
  };
  const gateway = await startGateway({ clock, registries: { example: own.baseUrl }, env });
  const idle = clock.pending;
  const answer = gateway.get('/v1/status?domain=sent.example,queued.example');
  await own.whenAsked('sent.example');
  await clock.whenPending(idle + 2);
  const stopped = gateway[Symbol.asyncDispose]();
  clock.advance(9000);
  expect((await answer).results).toMatchObject([
    { domain: 'sent.example', status: 'unknown', available: null, reason: 'registry_timeout' },
    { domain: 'queued.example', status: 'unknown', available: null, reason: 'registry_busy' },
  ]);
  await stopped;
});

/** Sends requests over one connection, until a response closes it (`answered`), or the server ends it (`ended`), or it breaks (the error). */
async function requestUntilClosed(url: string, onAnswer: () => void): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const sent = request(`${url}/v1/status?domain=taken.test`, { agent }).end();
    try {
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await text(answer);
      onAnswer();
      if (answer.headers.connection === 'close') return 'answered';
    } catch (error) {
      // What Node says of a connection that ended; of one that was reset it names the system call.
      return (error as Error).message === 'socket hang up' ? 'ended' : String(error);
    }
  }
}

describe('SIGTERM ends the process within ten seconds', { timeout: 20_000 }, () => {
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
    // Ten of each are being served.
    const from: Pick<Gateway, 'fetch'> = { fetch: (path, init) => fetch(url + path, init) };
    await scrapeUntil(
      from,
      ({ sum }) => sum('rdap_gateway_http_requests_total', { route: 'static' }) > 40,
    );
    expect(await endsAfterSigterm(gateway.pid, gateway.ended)).toEqual([0, true]);
    for (const socket of sockets) socket.destroy();
  });

  it('while nothing reads its log', async () => {
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: join(import.meta.dirname, '../../..'),
      env: { PORT: '0', STORE_URL: 'memory:', RDAP_BOOTSTRAP_URL: bootstrap.url, RATE_LIMIT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [, url = ''] = /"url":"([^"]+)"/.exec(String(line)) ?? [];
    child.stdout.pause();
    const ended = once(child, 'exit').then(([code]) => ({ code }));
    // A log line each: more than the pipe holds.
    const requests = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50);
    const last = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    for (let times = 0; times < 100; times++)
      expect(await sendRaw(url, requests + last)).toContain('HTTP/1.1 200');
    expect(await endsAfterSigterm(child.pid ?? 0, ended)).toEqual([0, true]);
    child.stdout.destroy();
  });
});

/** The exit code, and whether it came in time. */
async function endsAfterSigterm(
  pid: number,
  ended: Promise<{ readonly code: number | null }>,
): Promise<readonly [number | null, boolean]> {
  const sentAt = performance.now();
  process.kill(pid, 'SIGTERM');
  const { code } = await ended;
  return [code, performance.now() - sentAt < 10_000];
}

describe('a second signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'later than half a second stops at once: %s',
    async (signal) => {
      await using gateway = start();
      const { url } = await gateway.logged('listening');
      const { answers } = await askHeld(url, [`${signal.toLowerCase()}.example`]);
      const lost = expect(answers).rejects.toThrow('fetch failed');
      await signalUntilEnded(gateway, signal);
      await lost;
      // In order it would have been 0, after the ten seconds that an answer may take.
      expect(await gateway.ended).toMatchObject({ code: 1, stderr: '' });
    },
  );
});

/** The registry answers in between, so that time passes. */
async function signalUntilEnded(gateway: GatewayProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = gateway.ended.then(() => true);
  do gateway.kill(signal);
  while (!(await Promise.race([ended, fetch(registry.url('ping')).then(() => false)])));
}

describe('an error that nobody expected', () => {
  it.each([
    ['thrown', 'throw new Error("out of the blue")'],
    ['a rejection that nobody hears', 'Promise.reject(new Error("out of the blue"))'],
  ])('is logged and ends the process in order: %s', async (_what, failure) => {
    await using gateway = start(failing('SIGUSR2', failure));
    const { url } = await gateway.logged('listening');
    const name = `blue${_what.length}.example`;
    const { answers, release } = await askHeld(url, [name]);
    gateway.kill('SIGUSR2');
    const line = await gateway.logged(
      'Unhandled error. Shutting down; report it with the stack trace.',
    );
    expect(line).toMatchObject({ level: 'fatal', err: { message: 'out of the blue' } });
    release();
    const [answer] = await answers;
    expect(await answer?.json()).toMatchObject({ results: [{ domain: name, available: false }] });
    expect(await gateway.ended).toMatchObject({ code: 1, signal: null, stderr: '' });
  });
});

describe('a file of answers that breaks while the gateway runs', () => {
  it('is quarantined and recreated, with one line in the log, and all requests are answered', async () => {
    await using folder = await scratch();
    await using gateway = start({ STORE_URL: folder.storeUrl });
    const { url } = await gateway.logged('listening');
    const ask = async () => (await fetch(`${url}/v1/rdap?domain=kept.example`)).json();
    expect(await ask()).toMatchObject({ cached: false });
    using file = new DatabaseSync(join(folder.path, 'gateway-answers.db'), { timeout: 5000 });
    const spoil = file.prepare("UPDATE registrations SET summary = '{' || summary");
    // An answer is given before it is written.
    while (spoil.run().changes === 0) await fetch(`${url}/health`);
    expect([await ask(), await ask()]).toMatchObject([
      { cached: false, available: false },
      { cached: true },
    ]);
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

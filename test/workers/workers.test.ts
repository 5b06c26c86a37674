import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientsOfBoth } from '../support/clients-of-workers.ts';
import { bootstrapOf, writeBootstrap, type BootstrapFile } from '../support/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startProcess, type GatewayProcess } from '../support/gateway-process.ts';
import { postgresMissing, startPostgres, type Postgres } from '../support/postgres.ts';
import { registered } from '../support/replies.ts';
import { held } from '../support/scripts.ts';

describe.skipIf(postgresMissing)('several workers', { timeout: 60_000 }, () => {
  let postgres: Postgres;
  let registry: FakeRegistry;
  let bootstrap: BootstrapFile;

  beforeAll(async () => {
    postgres = await startPostgres();
    registry = await startFakeRegistry();
    registry.fallback(({ name }) => registered(name));
    bootstrap = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
  });
  afterAll(async () => {
    await bootstrap[Symbol.asyncDispose]();
    await registry.close();
    await postgres[Symbol.asyncDispose]();
  });

  const start = async (more: Readonly<Record<string, string>> = {}) =>
    startProcess({
      PORT: '0',
      WORKERS: '2',
      STORE_URL: await postgres.database(),
      RDAP_BOOTSTRAP_URL: bootstrap.url,
      RDAP_ALLOW_PRIVATE: 'true',
      RATE_LIMIT: '0',
      RDAP_TIMEOUT_MS: '60000',
      RDAP_RATE: '0',
      RDAP_CONCURRENCY: '100',
      ...more,
    });

  const refusedWith = async (more: Readonly<Record<string, string>>) => {
    await using gateway = await start({ WORKERS: '3', ...more });
    const { code, stdout, stderr } = await gateway.ended;
    expect([code, stdout, stderr.match(/\n/g)?.length]).toEqual([2, expect.not.stringContaining('listening'), 1]);
    return stderr;
  };

  /** Clients of both workers, each of whom waits for an answer that the registry holds back. */
  async function startWaiting(gateway: GatewayProcess, url: string) {
    const clients = await clientsOfBoth(gateway, url);
    const reply = held(({ name }) => registered(name));
    const waiting = clients.map(({ ask, worker }, index) => {
      const name = `${gateway.pid}-${index}.example`;
      registry.on(name, reply);
      const answer = ask(`/v1/status?domain=${name}`).then(
        ({ statusCode, headers }) => `${statusCode} ${headers.connection}`,
        ({ code }: NodeJS.ErrnoException) => code,
      );
      return { name, worker, answer };
    });
    await Promise.all(waiting.map(({ name }) => registry.whenAsked(name)));
    const answersOf = (wanted: (worker: number) => boolean) =>
      Promise.all(waiting.filter(({ worker }) => wanted(worker)).map(({ answer }) => answer)).then((answers) => new Set(answers));
    const [first = 0] = clients.map(({ worker }) => worker);
    return { worker: first, answersOf, release: reply.release };
  }

  it('say once where they listen, when all serve, and each answers there', async () => {
    await using gateway = await start({ BASE_URL: 'https://api.example' });
    const { url, port, workers } = await gateway.logged('listening');
    expect([url, port, workers]).toEqual(['https://api.example', expect.any(Number), 2]);
    const clients = await clientsOfBoth(gateway, `http://127.0.0.1:${port}`);
    expect(new Set(clients.map(({ worker }) => worker)).size).toBe(2);
    expect(clients.map(({ worker }) => worker)).not.toContain(gateway.pid);
    gateway.kill('SIGTERM');
    const { code, stdout } = await gateway.ended;
    expect([code, stdout.match(/"listening"/g)]).toEqual([0, ['"listening"']]);
  });

  it('lose with one that is killed what it was about, and nothing else; another takes its place', async () => {
    await using gateway = await start();
    const { url } = await gateway.logged('listening');
    const { worker, answersOf, release } = await startWaiting(gateway, url);
    process.kill(worker, 'SIGKILL');
    expect(await gateway.logged('a worker ends, and another takes its place')).toMatchObject({ worker, reason: 'it ended with SIGKILL' });
    expect(await answersOf((each) => each === worker)).toEqual(new Set(['ECONNRESET']));
    const { worker: successor } = await gateway.logged('another worker serves');
    release();
    expect(await answersOf((each) => each !== worker)).toEqual(new Set(['200 keep-alive']));
    const clients = await clientsOfBoth(gateway, url);
    expect(clients.map((client) => client.worker)).toContain(successor);
    gateway.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('finish on SIGTERM what is in flight at each of them, and leave with 0', async () => {
    await using gateway = await start();
    const { url } = await gateway.logged('listening');
    const { answersOf, release } = await startWaiting(gateway, url);
    gateway.kill('SIGTERM');
    await gateway.logged('stopping');
    gateway.kill('SIGTERM'); // Ctrl-C under npm arrives twice
    await untilRefused(url);
    release();
    expect(await answersOf(() => true)).toEqual(new Set(['200 close']));
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('leave at once on a second signal that is later than half a second', async () => {
    await using gateway = await start();
    const { url } = await gateway.logged('listening');
    const { answersOf } = await startWaiting(gateway, url);
    const ended = gateway.ended.then(() => true);
    do gateway.kill('SIGTERM');
    while (!(await Promise.race([ended, fetch(registry.url('ping')).then(() => false)])));
    expect(await answersOf(() => true)).toEqual(new Set(['ECONNRESET']));
    expect(await gateway.ended).toMatchObject({ code: 1, stderr: '' });
    await untilRefused(url);
  });

  it('do not outlive the process that started them', async () => {
    await using gateway = await start();
    const { url } = await gateway.logged('listening');
    const { answersOf } = await startWaiting(gateway, url);
    gateway.kill('SIGKILL');
    expect(await answersOf(() => true)).toEqual(new Set(['ECONNRESET']));
    await untilRefused(url);
  });

  describe('of which one fails as nobody expected', () => {
    const failure = `process.on('SIGUSR2', () => { throw new Error('out of the blue'); })`;
    const failing = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(failure)}` };

    it('have another in its place while that one still answers what is in flight', async () => {
      await using gateway = await start(failing);
      const { url } = await gateway.logged('listening');
      const { worker, answersOf, release } = await startWaiting(gateway, url);
      process.kill(worker, 'SIGUSR2');
      await gateway.logged('another worker serves');
      release();
      expect(await answersOf((each) => each === worker)).toEqual(new Set(['200 close']));
      expect(await answersOf((each) => each !== worker)).toEqual(new Set(['200 keep-alive']));
      gateway.kill('SIGTERM');
      const { code, stdout } = await gateway.ended;
      expect([code, stdout.match(/a failure that nobody expected: the gateway ends/g)?.length]).toEqual([0, 1]);
    });

    it('let it finish also when all are told to stop meanwhile', async () => {
      await using gateway = await start(failing);
      const { url } = await gateway.logged('listening');
      const { worker, answersOf, release } = await startWaiting(gateway, url);
      process.kill(worker, 'SIGUSR2');
      await gateway.logged('another worker serves');
      gateway.kill('SIGTERM');
      await gateway.logged(({ msg, worker: by }) => msg === 'stopping' && by === undefined);
      release();
      expect(await answersOf((each) => each === worker)).toEqual(new Set(['200 close']));
      expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
    });
  });

  it('show at /metrics what all have done, those that have ended too', async () => {
    await using gateway = await start();
    const { url } = await gateway.logged('listening');
    const clients = await clientsOfBoth(gateway, url);
    const counted = { 'gateway_requests_total{door="none",status="404",code="not_found"}': clients.length };
    expect(await figures(url)).toMatchObject({ ...counted, gateway_processes: 2 });
    process.kill(clients[0]?.worker ?? 0, 'SIGKILL');
    await gateway.logged('another worker serves');
    expect(await figures(url)).toMatchObject({ ...counted, gateway_processes: 2 });
  });

  describe('that cannot start', () => {
    it('say so once, in one line: a PORT that is taken', async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      expect(await refusedWith({ PORT: String(port) })).toMatch(new RegExp(`^PORT must be a port that is free .*${port}.*EADDRINUSE`));
      taken.close();
    });

    it.each([
      ['a database that is not there', { STORE_URL: 'postgres://gateway@127.0.0.1:1/gateway' }, /ECONNREFUSED.* STORE_URL /],
      ['a file of settings that is not there', { RDAP_OVERRIDES: '/nowhere/overrides.json' }, /^RDAP_OVERRIDES must /],
      ['a store that each would have for itself', { STORE_URL: 'memory:' }, /^WORKERS must be 1, unless STORE_URL is postgres:…, got "3"/],
    ])('say so once, in one line: %s', async (_what, more, line) => {
      expect(await refusedWith(more)).toMatch(line);
    });
  });
});

async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const outcome = () =>
    new Promise<string | undefined>((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve('connected'));
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });
  while ((await outcome()) !== 'ECONNREFUSED');
}

/** `name{labels}` and its value. */
async function figures(url: string): Promise<Record<string, number>> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]));
}

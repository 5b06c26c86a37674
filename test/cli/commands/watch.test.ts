import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import {
  commandLineEnvironment,
  commandLineProgram,
  runCommandLine,
  runProcess,
} from '../../support/gateways/command-line.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { fastClock } from '../../support/time/fast-clock.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { startCommand } from '../../support/gateways/gateway-process.ts';
import {
  startMeteredGateway,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { notFound, registered, status } from '../../support/bodies/replies.ts';
import { projectFolder } from '../../support/package/run.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';
import { openWrittenLog } from '../../watches/watching.ts';

let metered: MeteredGateway;
let folder: Scratch;
beforeAll(async () => {
  [metered, folder] = await Promise.all([startMeteredGateway(), scratch()]);
});
afterAll(async () => {
  await metered[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

// The second look of `--once` follows after half a second instead of ten.
const cli = (args: readonly string[], env: Record<string, string> = {}) =>
  runCommandLine(
    args,
    { ...commandLineEnvironment(folder.path), RDAP_TIMEOUT_MS: '60000', ...env },
    { clock: fastClock() },
  );
const rowsIn = (stdout: string): Json[] =>
  stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
const times = { timeout: 120_000 };

describe('watches at a gateway', times, () => {
  it('are begun, listed and ended', async () => {
    const customer = await metered.newCustomer();
    const server = ['--server', metered.gateway.url, '--key', customer.key];
    const names = ['A.example', 'b.example'];
    const watched = await cli(['watch', ...names, ...server]);
    expect([watched.code, watched.stderr]).toEqual([0, '']);
    expect(rowsIn(watched.stdout)).toMatchObject([
      { domain: 'a.example', problem: null },
      { domain: 'b.example', problem: null },
    ]);
    const refused = await cli(['watch', 'c.test', 'd.zz', ...server]);
    expect([refused.code, rowsIn(refused.stdout).map(({ problem }) => problem?.code)]).toEqual([
      2,
      [undefined, 'unsupported_tld'],
    ]);
    const ended = await cli(['unwatch', 'not a name', 'b.example', 'c.test', ...server]);
    expect([ended.code, ended.stderr]).toEqual([2, '']);
    expect(rowsIn(ended.stdout)).toEqual([
      { domain: 'not a name', problem: expect.objectContaining({ code: 'invalid_name' }) },
      { domain: 'b.example', problem: null },
      { domain: 'c.test', problem: null },
    ]);
    const { watches } = (await (await customer.fetch('/v1/watches')).json()) as Json;
    expect(watches.map(({ domain }: Json) => domain)).toEqual(['a.example']);
    expect(await cli(['changes', ...server])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('need credits, a key and a valid cursor', async () => {
    const { key } = await metered.newCustomer({ credits: 5 });
    const run = async (args: readonly string[], by = key) => {
      const { code, stdout, stderr } = await cli([
        ...args,
        '--server',
        metered.gateway.url,
        ...(by ? ['--key', by] : []),
      ]);
      expect([stdout, stderr.split('\n').length]).toEqual(['', 2]);
      return [code, /\((\w+)\)\n$/.exec(stderr)?.[1]];
    };
    expect(await run(['watch', 'a.example'])).toEqual([2, 'insufficient_credits']);
    expect(await run(['watch', 'a.example'], '')).toEqual([64, 'missing_api_key']);
    expect(await run(['changes', '--follow'], 'x')).toEqual([64, 'invalid_api_key']);
    expect(await run(['changes', '--after', 'x'])).toEqual([64, 'cursor_expired']);
  });

  it.each([
    [['watch', 'a.test'], /--server/],
    [['unwatch', 'a.test'], /--server/],
    [['changes'], /--server/],
    [['watch', 'a.test', '--once'], /--state/],
    [['watch', 'a.test', '--state', 'x'], /--once/],
    [['watch', 'a.test', '--once', '--state', 'x', '--server', 'http://x'], /--server/],
    [['watch', 'a..b', '--once', '--state', 'x'], /NAME/],
    [['watch', 'a.test', '--once', '--state', '/nonexistent/x'], /--state/],
  ])('reject %j', async (args, message) => {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(message);
  });

  it.concurrent('show the changes of the sandbox', async () => {
    await using gateway = await startGateway({ clock: fastClock() });
    const server = ['--server', gateway.url];
    await cli(['watch', 'changing-shop.test', 'dropping.test', ...server]);
    const types = async () =>
      rowsIn((await cli(['changes', ...server])).stdout).map(({ domain, type }) => [domain, type]);
    await expect.poll(types, { timeout: 60_000 }).toEqual(
      expect.arrayContaining([
        ['changing-shop.test', 'registrar'],
        ['dropping.test', 'available'],
        ['dropping.test', 'registered'],
      ]),
    );
  });

  it.concurrent('are followed over a restart, until the command is interrupted', async () => {
    await using store = await scratch();
    const env = { STORE_URL: store.storeUrl, PORT: String(await freePort()) };
    let gateway = await startGateway({ env });
    const server = ['--server', gateway.url];
    await gateway.post('/v1/watches', { domains: ['a.test'] });
    await using log = await openWrittenLog(store.path, systemClock);
    await log.change('a.test', 'REGISTRAR');

    const [program, ...entry] = commandLineProgram;
    await using follower = startCommand(program, [...entry, 'changes', '--follow', ...server], {
      cwd: projectFolder,
      env: { ...commandLineEnvironment(folder.path) },
    });
    const printed = (type: string) => follower.logged((line) => line['type'] === type);
    await printed('registrar');
    await log.change('a.test', 'EXPIRY');
    await printed('expiry');
    await gateway[Symbol.asyncDispose]();
    await log.change('a.test', 'DNSSEC');
    gateway = await startGateway({ env });
    await printed('dnssec');
    follower.kill('SIGINT');
    const { signal, stdout, stderr } = await follower.ended;
    expect([signal, stderr.replaceAll(/^The gateway at .+\n/gm, '')]).toEqual(['SIGINT', '']);
    const { changes } = await gateway.get('/v1/changes');
    expect(rowsIn(stdout)).toEqual(changes.slice(0, 3));
    const { stdout: rest } = await cli(['changes', ...server, '--after', changes[1].id]);
    expect(rowsIn(rest)[0]).toEqual(changes[2]);
    await gateway[Symbol.asyncDispose]();
  });
});

describe('`watch --once`', times, () => {
  it('prints what has changed since the last run', async () => {
    await using registry = await startFakeRegistry();
    await using file = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
    const state = join(folder.path, 'state.json');
    const once = async (...names: readonly string[]) => {
      const args = ['watch', ...names, '--once', '--state', state];
      const { code, stdout, stderr } = await cli(args, { RDAP_BOOTSTRAP_URL: file.url });
      return { code, stderr, rows: rowsIn(stdout).map(({ domain, type }) => `${domain} ${type}`) };
    };
    const nothing = { code: 0, stderr: '', rows: [] };
    registry.on(/^[ab]\./, ({ name }) => registered(name));
    expect(await once('a.example', 'b.example')).toEqual(nothing);
    expect(await once('a.example')).toEqual(nothing);

    const renewed = { expiresAt: '2100-02-03T04:05:06Z' };
    registry.on('a.example', registered('a.example', renewed));
    const before = registry.requestCount('a.example');
    expect(await once('a.example')).toEqual({ code: 1, stderr: '', rows: ['a.example expiry'] });
    expect(registry.requestCount('a.example') - before).toBe(2);
    expect(await once('a.example')).toEqual(nothing);

    registry.on('b.example', notFound());
    registry.on('a.example', status(500));
    const { code, stderr, rows } = await once('b.example', 'a.example');
    expect([code, rows]).toEqual([2, ['b.example available']]);
    expect(stderr).toMatch(/^a\.example: .+ \(registry_error\)\n$/);
  });

  it('rejects a damaged or foreign file, and leaves it as it is', async () => {
    for (const text of ['', '{"format":"rdap-gateway-watch/1","names":{"a.test":{}}}', '[]']) {
      const state = join(folder.path, 'foreign.json');
      await writeFile(state, text);
      const { code, stdout, stderr } = await cli(['watch', 'a.test', '--once', '--state', state]);
      expect([code, stdout, stderr.split('\n').length]).toEqual([64, '', 2]);
      expect(stderr).toContain(state);
      expect(await readFile(state, 'utf8')).toBe(text);
    }
  });

  it('lets one run at a time use the file', async () => {
    await using registry = await startFakeRegistry();
    await using file = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
    const slow = paused(registered('a.example'));
    registry.on('a.example', slow);
    const state = join(folder.path, 'shared.json');
    const args = (name: string) => ['watch', name, '--once', '--state', state];
    const env = commandLineEnvironment(folder.path);
    const slowEnv = { ...env, RDAP_BOOTSTRAP_URL: file.url, RDAP_TIMEOUT_MS: '60000' };

    const first = runCommandLine(args('a.example'), slowEnv);
    await registry.whenRequested('a.example');
    const second = await runProcess(args('taken.test'), env);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining(state) });
    slow.release();
    expect(await first).toMatchObject({ code: 0, stderr: '' });
    const kept = JSON.parse(await readFile(state, 'utf8')).names;
    expect(Object.keys(kept)).toEqual(['a.example']);
  });
});

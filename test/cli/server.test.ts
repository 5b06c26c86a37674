import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  commandLineEnvironment,
  commandLineProgram,
  runCommandLine,
} from '../support/gateways/command-line.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startFlakyProxy } from '../support/servers/flaky-proxy.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { hang } from '../support/bodies/hostile-replies.ts';
import { json, registered, type Script } from '../support/bodies/replies.ts';
import { projectFolder } from '../support/package/run.ts';
import { startScriptedServer } from '../support/servers/scripted-server.ts';

const metered = await forThisFile(startMeteredGateway);
const { key } = await metered.newCustomer();
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^hang/, hang());

const environment = commandLineEnvironment('/nonexistent');
const cli = (...args: readonly string[]) => runCommandLine(args, environment);
const onServer = () => ['--server', metered.gateway.url, '--key', key];

describe('--server', () => {
  it.each([
    ['new.example', 0, { available: true, status: 'available' }],
    ['taken.example', 1, { available: false, status: 'registered' }],
    ['taken.zz', 2, { available: null, status: 'unsupported_tld' }],
  ])('checks %s at the gateway and exits with %i', async (name, exitCode, row) => {
    const { code, stdout, stderr } = await cli('check', name, ...onServer());
    expect([code, stderr]).toEqual([exitCode, '']);
    expect(JSON.parse(stdout)).toMatchObject({ index: 0, input: name, ...row });
  });

  it('may be below any path', async () => {
    await using server = await startScriptedServer(() => json(200, {}));
    await cli('tlds', '--server', server.url('@team/gateway'));
    expect(server.requests.map(({ url }) => url)).toEqual(['/@team/gateway/v1/tlds?limit=10000']);
  });

  it('charges the key, and queries registries from the gateway', async () => {
    const customer = await metered.newCustomer();
    const args = ['check', 'one', 'two', '--tlds', 'example,tld0', '--max-age', '0'];
    const { code, stdout } = await cli(
      ...args,
      '--server',
      metered.gateway.url,
      '--key',
      customer.key,
    );
    const rows: readonly Json[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(rows.map(({ input }) => input).toSorted()).toEqual(
      'one.example one.tld0 two.example two.tld0'.split(' '),
    );
    expect((await customer.balance()).used).toBe(3);
    expect(metered.registry.requestCount('one.example')).toBe(1);
  });

  it('prints each row as soon as the gateway sends it, and drops the rest when it is stopped', async () => {
    const [program, ...entry] = commandLineProgram;
    const names = ['taken.example', 'hang.example'];
    const child = spawn(program, [...entry, 'check', ...names, ...onServer()], {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment,
    });
    const [chunk] = await once(child.stdout, 'data');
    expect(JSON.parse(String(chunk))).toMatchObject({ input: 'taken.example' });
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });

  it('shows the record of a name', async () => {
    const { code, stdout } = await cli('whois', 'taken.example', ...onServer());
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^Registrar +Fake Registrar/m)]);
    const body = await cli('whois', 'taken.example', '--json', ...onServer());
    expect(JSON.parse(body.stdout)).toMatchObject({ input: 'taken.example', cached: true });
  });

  it('shows the problem of a name without a verdict', async () => {
    const { code, stdout, stderr } = await cli('whois', 'taken.zz', ...onServer());
    expect([code, stderr]).toEqual([2, '']);
    expect(stdout).toMatch(/^Status +unsupported tld\nProblem +.+ \(unsupported_tld\)$/m);
  });
});

/** Returns the exit code of a command and its message. */
const errorOf = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await cli(...args);
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^ +at /m);
  return [code, stderr];
};

describe('an error of the gateway', () => {
  it.each(['check', 'whois'])('ends `%s` with 64 without a valid key', async (command) => {
    const server = ['--server', metered.gateway.url];
    expect(await errorOf(command, 'new.example', ...server)).toEqual([
      64,
      expect.stringMatching(/\(missing_api_key\)\n$/),
    ]);
    expect(await errorOf(command, 'new.example', ...server, '--key', 'rgw_none')).toEqual([
      64,
      expect.stringMatching(/\(invalid_api_key\)\n$/),
    ]);
  });

  it('ends with 2 if the credits are spent', async () => {
    const { key: poor } = await metered.newCustomer({ credits: 0 });
    const server = ['--server', metered.gateway.url, '--key', poor];
    expect(await errorOf('check', 'new.example', ...server)).toEqual([
      2,
      expect.stringMatching(/\(insufficient_credits\)\n$/),
    ]);
  });

  it('ends with 2 if it cannot be reached', async () => {
    expect(await errorOf('check', 'new.example', '--server', 'http://127.0.0.1:1')).toEqual([
      2,
      expect.stringMatching(/^The gateway at http:\/\/127\.0\.0\.1:1\/ is not reachable: .+\n$/),
    ]);
  });

  it('ends with 2 if the connection is lost before the last row', async () => {
    await using proxy = await startFlakyProxy(metered.gateway.url);
    const [program, ...entry] = commandLineProgram;
    const names = ['taken.example', 'hang.tld1'];
    const args = [...entry, 'check', ...names, '--server', proxy.url, '--key', key];
    const child = spawn(program, args, { cwd: projectFolder, env: environment });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    await once(child.stdout, 'data');
    proxy.cutConnections();
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(stderr).toMatch(/^The gateway at .+ closed the connection: .+\n$/);
  });

  it.each([
    ['another server', json(404, { error: 'none' })],
    ['a page', json(200, ['page'])],
  ])('ends with 64 or 2 if the address is that of %s', async (_what, script: Script) => {
    await using server = await startScriptedServer(() => script);
    const [code, stderr] = await errorOf('check', 'new.example', '--server', server.baseUrl);
    expect([2, 64]).toContain(code);
    expect(stderr).toContain(server.baseUrl);
    expect((await errorOf('whois', 'new.example', '--server', server.baseUrl))[0]).toBe(64);
  });
});

it('does not send control characters of a gateway to the terminal', async () => {
  const record = {
    domain: 'name.example',
    available: false,
    status: 'registered\u001b[2J',
    nameservers: ['ns1.example\u009b2J'],
    registration: { statuses: [], dnssec: {} },
  };
  await using server = await startScriptedServer(() => json(200, record));
  const { stdout } = await cli('whois', 'name.example', '--server', server.baseUrl);
  expect(stdout).toContain('registered�[2J\nNameservers  ns1.example�2J\n');
});

it.each([
  ['check a.test', '{"index":0,"input":"a.test","domain":"a\\u009b2J\\u202e","available":true'],
  ['whois 192.0.2.1', 'Na�[2Jme     value\nEvent�[2J    1 Jan 2020'],
  ['whois 192.0.2.1 --json', '"status": "\\u001b[2J\\u009b2J"'],
  ['tlds', '"status":"\\u001b[2J\\u009b2J"'],
])('nor in what `%s` prints', async (line, printed) => {
  const control = '\u001b[2J';
  const value = {
    index: 0,
    input: 'a.test',
    domain: 'a\u009b2J\u202e',
    available: true,
    status: `${control}\u009b2J`,
    found: true,
    object: {
      [`na${control}me`]: 'value',
      events: [{ action: `event${control}`, date: '2020-01-01T00:00:00Z' }],
      entities: [],
    },
  };
  const tld = {
    ...value,
    tld: 'a',
    sources: [],
    proves_available: true,
    policy: '',
    publishes: {},
  };
  await using server = await startScriptedServer(() => json(200, { ...value, tlds: [tld] }));
  const { stdout } = await cli(...line.split(' '), '--server', server.baseUrl);
  expect(stdout).toContain(printed);
  expect(stdout).not.toMatch(/[\p{Cc}--\n]/v);
});

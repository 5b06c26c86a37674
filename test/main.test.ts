import packageJson from '../package.json' with { type: 'json' };
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../src/config.ts';
import {
  bootstrapOf,
  writeBootstrap,
  type BootstrapFile,
} from './support/servers/fake-bootstrap.ts';
import { freePort } from './support/servers/free-port.ts';
import { startFakeRegistry, type FakeRegistry } from './support/servers/fake-registry.ts';
import { startGateway } from './support/gateways/gateway.ts';
import { startProcess } from './support/gateways/gateway-process.ts';
import { notFound } from './support/bodies/replies.ts';
import { projectFolder } from './support/package/run.ts';
import { paused } from './support/bodies/scripts.ts';

let registry: FakeRegistry;
let bootstrap: BootstrapFile;
let folder: string;

beforeAll(async () => {
  registry = await startFakeRegistry();
  bootstrap = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
  folder = mkdtempSync(join(tmpdir(), 'gateway-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bootstrap[Symbol.asyncDispose]();
  await registry.close();
});

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PORT: '0',
  STORE_URL: 'memory:',
  RDAP_BOOTSTRAP_URL: bootstrap.url,
  RDAP_ALLOW_PRIVATE: 'true',
  ...more,
});

/** Connects until the gateway refuses. A connection during its shutdown may be reset. */
async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const outcome = () =>
    new Promise<string | undefined>((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve('connected'));
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });
  for (let result = await outcome(); result !== 'ECONNREFUSED'; result = await outcome()) {
    expect(['connected', 'ECONNRESET']).toContain(result);
  }
}

describe('the process', () => {
  it('logs its URL in one JSON line, serves there, and creates its database file and the folder', async () => {
    const path = join(folder, 'deep', 'er', 'gateway.db');
    await using gateway = startProcess(environment({ STORE_URL: `sqlite:${path}` }));
    const { url, port, level, time } = await gateway.logged('listening');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(port).toEqual(Number(new URL(url).port));
    expect(level).toBe('info');
    expect(time).toMatch(/Z$/);
    expect(await (await fetch(`${url}/v1/rdap?domain=taken.test`)).json()).toMatchObject({
      available: false,
    });
    expect(readdirSync(join(folder, 'deep', 'er'))).toContain('gateway-answers.db');
    gateway.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'logs its assigned port also with BASE_URL, finishes the requests in flight on %s, and exits with code 0',
    async (signal) => {
      const name = `${signal.toLowerCase()}.example`;
      const reply = paused(notFound());
      registry.on(name, reply);
      await using gateway = startProcess(environment({ BASE_URL: 'https://api.example' }));
      const { url: baseUrl, port } = await gateway.logged('listening');
      expect(baseUrl).toBe('https://api.example');
      const url = `http://127.0.0.1:${port}`;
      await fetch(`${url}/health`); // leaves an idle connection
      const buffered = fetch(`${url}/v1/status?domain=${name}`);
      const query = encodeURIComponent(
        `subscription { availability(domains: ["${name}"]) { available } }`,
      );
      const stream = await fetch(`${url}/graphql?query=${query}`, {
        headers: { accept: 'text/event-stream' },
      });
      await registry.whenRequested(name);
      gateway.kill(signal);
      await gateway.logged('stopping');
      gateway.kill(signal); // Ctrl-C under npm arrives twice
      await untilRefused(url);
      reply.release();
      const answer = await buffered;
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      expect(await answer.json()).toMatchObject({ results: [{ available: true }] });
      expect(await stream.text()).toContain('"available":true');
      expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    },
  );

  it('listens at HOST and PORT, and builds links from BASE_URL', async () => {
    const port = await freePort();
    await using gateway = startProcess(
      environment({ PORT: String(port), BASE_URL: 'https://api.example/gateway' }),
    );
    expect(await gateway.logged('listening')).toMatchObject({ url: 'https://api.example/gateway' });
    const answer = await fetch(`http://127.0.0.1:${port}/v1/status?skip_cache`);
    expect(answer.headers.get('link')).toContain('<https://api.example/gateway/docs/versioning#');
    expect(await answer.json()).toMatchObject({
      type: 'https://api.example/gateway/docs/errors#invalid_parameter',
    });
  });
});

const startupError = async (more: Readonly<Record<string, string>>, exitCode = 2) => {
  await using gateway = startProcess(environment(more));
  const { code, stdout, stderr } = await gateway.ended;
  expect(code).toEqual(exitCode);
  expect(stdout).toEqual(expect.not.stringContaining('listening'));
  expect(stderr.match(/\n/g)?.length).toBe(1);
  return stderr;
};

describe('an invalid variable', () => {
  it.each([
    ['PORT', { PORT: 'x' }, 'an integer from 0 to 65535'],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'app.example' }, 'a list of origins'],
    ['HOST', { HOST: '192.0.2.1' }, 'an address of this machine'],
    ['RDAP_BOOTSTRAP_URL', { RDAP_BOOTSTRAP_URL: 'file:///nowhere/dns.json' }, 'a valid JSON file'],
    ['RDAP_OVERRIDES', { RDAP_OVERRIDES: '/nowhere/o.json' }, 'It cannot be read: no such file'],
    ['STORE_URL', { STORE_URL: 'sqlite:/dev/null/gateway.db' }, 'a writable location'],
  ])('aborts startup: %s', async (name, env, accepted) => {
    const error = await startGateway({ env }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ exitCode: 2 });
    const { message } = error as ConfigError;
    expect(message).toMatch(new RegExp(`^${name} must .*${accepted}`));
    expect(message).not.toMatch(/node:|\bat \S+:\d+|Error:/);
  });

  it.each([
    ['RDAP_OVERRIDES', 'with invalid content', (path: string) => path, '{"services":\n[1,\n2]}'],
    [
      'RDAP_BOOTSTRAP_URL',
      'whose file is not a bootstrap document',
      (path: string) => pathToFileURL(path).href,
      '{"services":[1]}',
    ],
  ])('aborts startup with one line: %s %s', async (name, _what, valueOf, text) => {
    const path = join(folder, 'invalid.json');
    writeFileSync(path, text);
    expect(await startupError({ [name]: valueOf(path) })).toMatch(new RegExp(`^${name} must `));
  });

  it('aborts startup with one line before anything is opened: PORT', async () => {
    expect(await startupError({ PORT: 'x' })).toMatch(/^PORT must be an integer from 0 to 65535/);
  });

  it('aborts startup with exit code 1 and another port to try: a PORT in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const other = port < 65_535 ? port + 1 : port - 1;
    expect(await startupError({ PORT: String(port) }, 1)).toBe(
      `Port ${port} is in use; try PORT=${other}.\n`,
    );
    taken.close();
  });
});

const oldNode = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node'].find((path) => {
  try {
    return (
      Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 24
    );
  } catch {
    return false; // not installed here
  }
});

it.skipIf(oldNode === undefined)(
  'aborts startup under an installed Node 22 or older with one line (skipped without one)',
  async () => {
    await using gateway = startProcess(environment(), oldNode);
    const { code, stdout, stderr } = await gateway.ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^RDAP Gateway requires Node 26\.10\.0 or later, [^\n]* but this is Node \d+\.\d+\.\d+\. [^\n]*\n$/,
    );
  },
);

/** Runs a module in a process that reports `version` as its Node version. */
function startUnder(
  version: string,
  entry = './src/require-node.mjs',
): { readonly status: number | null; readonly stderr: string } {
  const report = `globalThis.process = Object.create(process, { versions: { value: { ...process.versions, node: '${version}' } } });`;
  const script = `${report} await import('${entry}')`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: projectFolder,
    encoding: 'utf8',
  });
}

describe('the command of the npm package', () => {
  it.each(['18.20.8', '20.20.2', '22.18.0'])(
    'says in one line that Node %s is too old',
    (version) => {
      const { status, stderr } = startUnder(version, './src/cli/main.ts');
      expect(status).toBe(2);
      expect(stderr).toBe(
        `RDAP Gateway requires Node ${packageJson.engines.node.slice(2)} or later, but this is Node ${version}. Install Node 26 or 24 from nodejs.org.\n`,
      );
    },
  );

  it('imports nothing by name that old versions lack, which would be a SyntaxError', async () => {
    for (const file of ['main.ts', 'cache-folder.ts']) {
      const text = await readFile(join(projectFolder, 'src/cli', file), 'utf8');
      const imports = text.match(/^import .*$/gm) ?? [];
      expect(imports.filter((line) => !/'node:(?:path|os)'|\.\/cache-folder/.test(line))).toEqual(
        file === 'main.ts' ? ["import module from 'node:module';"] : [],
      );
    }
  });
});

describe('require-node.mjs', () => {
  it.each(['24.22.1', '24.23.0', '26.10.0', '26.12.1', '27.0.0'])('accepts Node %s', (version) => {
    expect(startUnder(version)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['20.20.2', '22.23.4', '24.14.1', '24.22.0', '25.9.0', '26.0.0', '26.9.0'])(
    'rejects Node %s',
    (version) => {
      const { status, stderr } = startUnder(version);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^RDAP Gateway requires [^\n]*\n$/);
      expect(stderr).toContain(`this is Node ${version}.`);
    },
  );

  it('accepts the versions that npm installs', async () => {
    const { optionalDependencies } = JSON.parse(
      await readFile(join(projectFolder, 'runtime/package.json'), 'utf8'),
    );
    for (const version of new Set(Object.values<string>(optionalDependencies)))
      expect(startUnder(version)).toMatchObject({ status: 0, stderr: '' });
  });
});

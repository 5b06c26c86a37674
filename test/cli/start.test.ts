import { writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startCommand, startProcess } from '../support/gateways/gateway-process.ts';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';

const environment = {
  PORT: '0',
  STORE_URL: 'memory:',
  RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
  RDAP_ALLOW_PRIVATE: 'true',
};

const startWith = (...args: readonly string[]) =>
  run('npm', ['start', '--silent', '--', ...args], {
    env: { PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` },
  });

describe('npm start', () => {
  it.each(['--help', '-h'])('explains itself for %s', async (option) => {
    const { code, stdout, stderr } = await startWith(option);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm start/);
    for (const name of ['--version', 'PORT', 'STORE_URL', 'LOG_FORMAT', 'docs/configuration.md'])
      expect(stdout).toContain(name);
  });

  it.each(['--version', '-v'])('prints the version for %s', async (option) => {
    expect(await startWith(option)).toEqual({
      code: 0,
      stdout: `${packageJson.version}\n`,
      stderr: '',
    });
  });

  it.each(['--port', 'help', 'constructor'])('rejects the argument %s', async (argument) => {
    expect(await startWith(argument)).toEqual({
      code: 2,
      stdout: '',
      stderr: `Unknown argument "${argument}". Run \`npm start -- --help\`.\n`,
    });
  });
});

/** Starts the gateway in a folder with this `.env`. */
const startIn = (folder: string, env: Readonly<Record<string, string>>) =>
  startCommand(process.execPath, [join(projectFolder, 'src/main.ts')], { cwd: folder, env });

describe('a file .env', () => {
  it('in the working directory sets variables, and the environment takes precedence', async () => {
    await using folder = await scratch();
    const lines = ['BASE_URL=https://file.example', 'STORE_URL=sqlite:other.db', 'PORT=1'];
    await writeFile(join(folder.path, '.env'), lines.join('\n'));
    await using gateway = startIn(folder.path, environment);
    const { url, port } = await gateway.logged('listening');
    expect(url).toBe('https://file.example');
    expect(port).toBeGreaterThan(1);
  });

  it('that cannot be read aborts startup with one line', async () => {
    await using folder = await scratch();
    await mkdir(join(folder.path, '.env'));
    await using gateway = startIn(folder.path, environment);
    expect(await gateway.ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^\.env must be a readable file\. [^\n]+\n$/),
    });
  });

  it('sets the store of `keys`, too', async () => {
    await using folder = await scratch();
    await writeFile(join(folder.path, '.env'), 'STORE_URL=memory:\n');
    const { stderr } = await run(
      process.execPath,
      [join(projectFolder, 'src/cli/keys/keys.ts'), 'list'],
      { cwd: folder.path, env: {} },
    );
    expect(stderr).toContain('STORE_URL is memory:');
  });
});

it('warns of misspelled variables, without their values', async () => {
  await using gateway = startProcess({
    ...environment,
    RDAP_TIMEOUT: 'hidden-value',
    PROT: 'hidden-value',
    UNRELATED: 'hidden-value',
  });
  await gateway.logged('listening');
  gateway.kill('SIGTERM');
  const { stdout } = await gateway.ended;
  const warnings = stdout
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => String(msg).startsWith('Unknown environment variable'));
  expect(warnings.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'Unknown environment variable RDAP_TIMEOUT. Did you mean RDAP_TIMEOUT_MS?'],
    ['warn', 'Unknown environment variable PROT. Did you mean PORT?'],
  ]);
  expect(stdout).not.toContain('hidden-value');
});

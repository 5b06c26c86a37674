import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvColumns } from '../../../src/shared/csv.ts';
import {
  commandLineEnvironment,
  commandLineProgram,
  runCommandLine,
  runProcess,
} from '../../support/gateways/command-line.ts';
import {
  bootstrapOf,
  startBootstrap,
  writeBootstrap,
} from '../../support/servers/fake-bootstrap.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { registered } from '../../support/bodies/replies.ts';
import { projectFolder, run } from '../../support/package/run.ts';
import { scratch } from '../../support/stores/scratch.ts';

const folder = await forThisFile(scratch);

const check = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommandLine(['check', ...args], { ...commandLineEnvironment(folder.path), ...env });
const checkAsProcess = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  runProcess(['check', ...args], { ...commandLineEnvironment(folder.path), ...env });

const rowsIn = (stdout: string): readonly Json[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Writes the URL of each module that a process loads to stderr. */
const logModules = `import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;

it('loads none of the packages that only other commands and lookups use', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(logModules)}`;
  // From the sources, because a bundle does not have the names of packages.
  const { stderr } = await run(process.execPath, ['src/cli/main.ts', 'check', 'taken.test'], {
    env: { ...commandLineEnvironment(folder.path), NODE_OPTIONS },
  });
  const loads = (name: string) => stderr.includes(`/node_modules/${name}/`);
  expect(['graphql', 'undici'].filter(loads)).toHaveLength(2);
  const unused = '@modelcontextprotocol/server graphql-yoga htmlparser2 pg prom-client'.split(' ');
  expect(unused.filter(loads)).toEqual([]);
});

describe('`check` of one name', () => {
  it.each([
    ['new-idea.test', 0, { available: true, status: 'available' }],
    ['taken.test', 1, { available: false, status: 'registered' }],
    ['reserved.test', 1, { available: false, status: 'reserved' }],
    ['html.test', 2, { available: null, status: 'unknown', reason: 'untrusted_answer' }],
    ['taken.zz', 2, { available: null, status: 'unsupported_tld' }],
    ['shop.test', 64, { available: null, status: 'invalid', reason: 'invalid_name' }],
  ])('%s exits with %i', async (name, exitCode, row) => {
    const { code, stdout, stderr } = await check([name]);
    expect([code, stderr]).toEqual([exitCode, '']);
    expect(rowsIn(stdout)).toEqual([expect.objectContaining({ input: name, ...row })]);
  });

  it('exits with 2 and the reason if its registry cannot be reached', async () => {
    await using file = await writeBootstrap(bootstrapOf({ example: 'http://127.0.0.1:1/' }));
    const { code, stdout, stderr } = await check(['name.example'], {
      RDAP_BOOTSTRAP_URL: file.url,
    });
    expect([code, stderr]).toEqual([2, '']);
    expect(rowsIn(stdout)).toMatchObject([{ available: null, reason: 'registry_error' }]);
  });

  it('uses the stored answer, unless --max-age excludes it', async () => {
    await using registry = await startFakeRegistry();
    await using file = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
    registry.on('name.example', registered('name.example'));
    const env = { RDAP_BOOTSTRAP_URL: file.url };
    const first = rowsIn((await check(['name.example'], env)).stdout);
    const second = rowsIn((await check(['name.example'], env)).stdout);
    const third = rowsIn((await check(['name.example', '--max-age', '0'], env)).stdout);
    expect([first, second, third].map(([row]) => row.cached)).toEqual([false, true, false]);
    expect(registry.requestCount('name.example')).toBe(2);
  });
});

describe('`check` of several names', () => {
  it('exits with 0 if each has a verdict, and prints a row for each', async () => {
    const { code, stdout } = await check(['taken.test', 'new.test', 'TAKEN.test']);
    expect(code).toBe(0);
    const rows = rowsIn(stdout).toSorted((a, b) => a.index - b.index);
    expect(rows.map(({ input, available }) => [input, available])).toEqual([
      ['taken.test', false],
      ['new.test', true],
      ['TAKEN.test', false],
    ]);
  });

  it('exits with 2 if one has none, and prints the fast ones first', async () => {
    const { code, stdout } = await check(['slow.test', 'new.test', 'not a name', 'down.test']);
    expect(code).toBe(2);
    const statuses = rowsIn(stdout).map(({ status }) => status);
    expect(statuses.at(-1)).toBe('registered');
    expect(statuses.toSorted()).toEqual(['available', 'invalid', 'registered', 'unknown']);
  });

  it('joins each label with the TLDs and sets of --tlds', async () => {
    const args = ['one', 'Bücher', '--tlds', '@test,.SHOP.test', '--tlds', 'dev.test'];
    const { code, stdout } = await check(args);
    expect(code).toBe(0);
    const suffixes = ['app.test', 'dev.test', 'shop.test', 'test'];
    expect(
      rowsIn(stdout)
        .map(({ domain }) => domain)
        .toSorted(),
    ).toEqual(['one', 'xn--bcher-kva'].flatMap((label) => suffixes.map((s) => `${label}.${s}`)));
  });

  it('prints the same rows as the REST API', async () => {
    await using gateway = await startGateway();
    const names = ['taken.test', 'new.das-only.test', 'Bücher.test', 'x.zz', 'a b', 'down.test'];
    const { results } = await (await gateway.post('/v1/status/bulk', { domains: names })).json();
    const { stdout } = await check(names);
    const rows = rowsIn(stdout).toSorted((a, b) => a.index - b.index);
    expect(rows.map(stable)).toEqual(results.map(stable));
  });
});

/** Returns a row as JSON, because the order of its fields counts, without what differs per run. */
function stable(row: Json): string {
  const volatile = ['rdap_endpoint', 'checked_at', 'latency_ms'];
  return JSON.stringify(row, (key, value) =>
    volatile.includes(key) && value !== null ? typeof value : value,
  );
}

describe('the output in a pipe', () => {
  it('is CSV with --csv', async () => {
    const { code, stdout } = await check(['taken.test', '--csv']);
    const [header, row, ...rest] = stdout.split('\r\n');
    expect([code, header, rest]).toEqual([1, csvColumns.join(','), ['']]);
    expect(row).toMatch(
      /^0,taken\.test,taken\.test,test,false,registered,,authoritative,rdap,http/,
    );
  });

  it.each(['--json', '--csv'])('ends quietly with %s if the reader stops', async (option) => {
    const names = Array.from({ length: 30 }, (_, index) => `new${index}.test`);
    const [program, ...entry] = commandLineProgram;
    const child = spawn(program, [...entry, 'check', option, 'slow.test', ...names], {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: commandLineEnvironment(folder.path),
    });
    const errors: unknown[] = [];
    child.stderr.on('data', (chunk) => errors.push(String(chunk)));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(errors).toEqual([]);
  });

  it.skipIf(!existsSync('/dev/full'))(
    'that cannot be written never looks like a verdict (skipped without /dev/full)',
    async () => {
      const [program, ...entry] = commandLineProgram;
      const full = await open('/dev/full', 'w');
      const child = spawn(program, [...entry, 'check', 'taken.test'], {
        cwd: projectFolder,
        stdio: ['ignore', full.fd, 'pipe'],
        env: commandLineEnvironment(folder.path),
      });
      const errors: unknown[] = [];
      child.stderr?.on('data', (chunk) => errors.push(String(chunk)));
      expect(await once(child, 'close')).toEqual([2, null]);
      expect(errors.join('')).toMatch(/^The output cannot be written: ENOSPC[^\n]*\n$/);
      await full.close();
    },
  );
});

describe('the store', () => {
  it('is shared by commands that run at the same time', async () => {
    await using registry = await startFakeRegistry();
    await using file = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
    await using own = await scratch();
    const env = { RDAP_BOOTSTRAP_URL: file.url, XDG_CACHE_HOME: own.path };
    const names = ['a.example', 'b.example', 'c.example', 'd.example'];
    const results = await Promise.all(
      names.map((name) => checkAsProcess([name, 'shared.example'], env)),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
    const { stdout } = await check([...names, 'shared.example'], env);
    expect(rowsIn(stdout).map(({ cached }) => cached)).toEqual(Array(5).fill(true));
  });

  it('is in memory if its folder cannot be created', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const { code, stderr } = await check(['new.test'], { XDG_CACHE_HOME: file });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Answers are not cached: .+\n$/)]);
  });

  it('is in memory if there is no cache folder', async () => {
    const { code, stderr } = await check(['new.test'], { XDG_CACHE_HOME: 'relative' });
    expect([code, stderr]).toEqual([0, '']);
  });
});

it('the list of registries is loaded once a day, and used from the store until then', async () => {
  await using registry = await startFakeRegistry();
  await using bootstrap = await startBootstrap(bootstrapOf({ example: registry.baseUrl }));
  await using own = await scratch();
  const env = { RDAP_BOOTSTRAP_URL: bootstrap.documentUrl, XDG_CACHE_HOME: own.path };
  expect((await check(['a.example'], env)).code).toBe(0);
  expect((await check(['b.example'], env)).code).toBe(0);
  expect(bootstrap.requests.length).toBe(1);
});

describe('settings', () => {
  it.each([
    ['RDAP_TIMEOUT_MS', 'an integer from 1 to 86400000'],
    ['WHOIS', 'one of on, off'],
  ])('that are invalid are reported with code 64: %s', async (name, accepted) => {
    expect(await check(['new.test'], { [name]: 'soon' })).toEqual({
      code: 64,
      stdout: '',
      stderr: `${name} must be ${accepted}, got "soon".\n`,
    });
  });

  it('of the server do not matter', async () => {
    const { code } = await check(['new.test'], { PORT: 'x', STORE_URL: 'y', LOG_LEVEL: 'z' });
    expect(code).toBe(0);
  });

  it('state how many names are looked up at a time', async () => {
    const names = ['a.test', 'taken.test', 'c.test', 'd.test', 'reserved.test'];
    const { code, stdout } = await check(names, { MAX_LOOKUPS: '2' });
    const rows = rowsIn(stdout).toSorted((a, b) => a.index - b.index);
    expect([code, rows.map(({ input }) => input)]).toEqual([0, names]);
    expect(rows.map(({ available }) => available)).toEqual([true, false, true, true, false]);
  });

  it('do not make calls that are too large', async () => {
    const long = Array.from({ length: 300 }, (_, at) => `${'a'.repeat(250)}${at}.test`);
    const { stdout } = await check(['new.test', ...long, 'taken.test'], { MAX_LOOKUPS: '1000' });
    const rows = rowsIn(stdout).toSorted((a, b) => a.index - b.index);
    expect(rows.map(({ index }) => index)).toEqual([...Array(302).keys()]);
    expect([rows.at(0), rows.at(-1)]).toMatchObject([{ available: true }, { available: false }]);
  });
});

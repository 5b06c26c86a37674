import { join } from 'node:path';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { checkConfig } from '../../../src/cli/commands/check-config.ts';
import { systemClock } from '../../../src/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { commandLineEnvironment, runProcess } from '../../support/gateways/command-line.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import type { CommandResult } from '../../support/package/run.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { registered } from '../../support/bodies/replies.ts';
import { scratch } from '../../support/stores/scratch.ts';
import { sql } from '../../support/stores/sql.ts';

type Environment = ReturnType<typeof commandLineEnvironment>;

const checkAsProcess = (env: Environment) => runProcess(['serve', '--check-config'], env);

/** Checks settings in this process. */
async function checkHere(env: Environment): Promise<CommandResult> {
  const output = new PassThrough();
  const code = await checkConfig(readConfig(env), output);
  return { code, stdout: await text(output.end()), stderr: '' };
}

async function check(environment: Readonly<Record<string, string>>, runs = checkHere) {
  await using folder = await scratch();
  const own = { ...commandLineEnvironment(folder.path), STORE_URL: folder.storeUrl };
  const { code, stdout, stderr } = await runs({ ...own, ...environment });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, 22).trim(), line.slice(22, 30).trim(), line.slice(30)] as const);
  return { code, stdout, stderr, rows, files: await readdir(folder.path) };
}

it('prints what works with the settings, without creating the store', async () => {
  await using registry = await startFakeRegistry();
  registry.fallback(({ name }) => registered(name));
  await using bootstrap = await writeBootstrap(bootstrapOf({ com: registry.baseUrl }));
  await using folder = await scratch();
  const SOURCES_FILE = join(folder.path, 'sources.json');
  const disabled = { dns: null, das: null, whois: null };
  await writeFile(SOURCES_FILE, JSON.stringify({ suffixes: { '': disabled } }));
  const { code, rows, stderr, files } = await check({
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    SOURCES_FILE,
  });
  expect(rows).toEqual([
    ['Store', 'ok', expect.stringMatching(/^SQLite /)],
    ['Bootstrap document', 'ok', expect.stringMatching(/^file: \d+ TLDs can be looked up$/)],
    ['RDAP', 'ok', 'nic.com: registered'],
    ['DNS (port 53)', 'unused', 'disabled'],
    ['Availability service', 'unused', 'disabled'],
    ['WHOIS (port 43)', 'unused', 'disabled'],
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(files.filter((name) => name.startsWith('gateway'))).toEqual([]);
});

it('exits with 1 if a registry is not reached', async () => {
  const { code, rows } = await check({}, checkAsProcess);
  expect(code).toBe(1);
  expect(rows.slice(0, 3)).toMatchObject([
    ['Store', 'ok', expect.stringMatching(/^SQLite /)],
    [
      'Bootstrap document',
      'failed',
      expect.stringMatching(/^127\.0\.0\.1:1 was not loaded; built-in: \d+ TLDs can be looked up$/),
    ],
    ['RDAP', 'failed', expect.stringMatching(/^nic\.com: \S+ could not be reached\b/)],
  ]);
});

it.each([
  ['a setting', { PORT: 'x' }, /^PORT must be an integer/, checkAsProcess],
  ['a file', { RDAP_LIMITS: '/missing/limits.json' }, /^Settings +failed .*RDAP_LIMITS/m],
  ['a folder', { STORE_URL: 'sqlite:/dev/null/gateway.db' }, /^Store +failed /],
  [
    'a database',
    { STORE_URL: 'postgres://u:hidden@127.0.0.1:1/g' },
    /^Store +failed .*unreachable/,
  ],
])(
  'exits with 2 if %s cannot be used, without its password',
  async (_what, env, reason, runs = checkHere) => {
    const { code, stdout, stderr } = await check(env, runs);
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(reason);
    expect(stdout + stderr).not.toContain('hidden');
  },
);

it.each<[what: string, damage: (ledger: string) => Promise<void>, reason: RegExp]>([
  ['that is no database', (ledger) => writeFile(ledger, 'text'), /corrupt.* Restore it/],
  [
    'whose watches are no database',
    (ledger) => writeFile(ledger.replace('.db', '-watches.db'), 'text'),
    /gateway-watches\.db cannot be opened: .* restore/,
  ],
  ['that was emptied', (ledger) => writeFile(ledger, ''), /missing or empty.* Restore it/],
  ['that is missing', (ledger) => rm(ledger), /missing or empty.* Restore it/],
  [
    'that lacks entries',
    async (ledger) => {
      const [id] = (await readFile(`${ledger}-last-entry`, 'latin1')).split(' ');
      await writeFile(`${ledger}-last-entry`, `${id} ${'7'.padStart(16, '0')}\n`);
    },
    /entry 7 was written\. Restore it/,
  ],
])('exits with 2 for a store %s, as the start would', async (_what, damage, reason) => {
  await using folder = await scratch();
  const { storeUrl, path } = folder;
  await (await openAccounts(storeUrl, { clock: systemClock, freeCredits: 0 })).close();
  await damage(join(path, 'gateway.db'));
  const { code, stdout } = await check({ STORE_URL: storeUrl });
  expect([code, stdout]).toEqual([2, expect.stringMatching(/^Store +failed /)]);
  expect(stdout).toMatch(reason);
});

it.skipIf(postgresMissing)('connects to PostgreSQL without creating tables', async () => {
  const storeUrl = await sharedPostgres.database();
  const { rows } = await check({ STORE_URL: storeUrl });
  expect(rows[0]).toMatchObject(['Store', 'ok', expect.stringMatching(/^PostgreSQL /)]);
  const tables = await sql(storeUrl, `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`);
  expect(tables).toEqual([]);
});

import { readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { openSqlFile } from '../../src/storage/sqlite/sql-file.ts';
import {
  commandLineEnvironment,
  runCommandLine,
  runProcess,
} from '../support/gateways/command-line.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { expireReservations } from '../support/stores/expire-reservations.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startProcess } from '../support/gateways/gateway-process.ts';
import { callerWith, costIn, type Caller } from '../support/gateways/metered-gateway.ts';
import { codeBlocksIn, guideText } from '../support/checks/guides.ts';
import { postgresMissing, startPostgres } from '../support/stores/postgres.ts';
import { registered } from '../support/bodies/replies.ts';
import { run } from '../support/package/run.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';
import { withLedger } from '../support/stores/ledger.ts';

const registry = await forThisFile(startFakeRegistry);
registry.fallback(({ name }) => registered(name));
const bootstrap = await forThisFile(writeBootstrap, bootstrapOf({ example: registry.baseUrl }));

const start = (storeUrl: string) =>
  startProcess({
    PORT: '0',
    AUTH: 'required',
    STORE_URL: storeUrl,
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
    RDAP_RATE: '0',
  });

interface Payer {
  readonly id: string;
  readonly key: string;
  /** Credits charged according to responses. */
  charged: number;
  /** Requests that were refused because the ledger did not respond in time. */
  refused: number;
}

describe('a SQLite ledger', () => {
  it(
    'continues from a backup that was made under load, as the operations guide describes',
    { timeout: 60_000 },
    async () => {
      await using folder = await scratch();
      const inWatches = async (sql: string) => {
        const watches = await openSqlFile(join(folder.path, 'gateway-watches.db'));
        return watches.query(sql).finally(() => watches.close());
      };
      const payers = await withLedger(folder.storeUrl, createPayers);
      const before = await whileCharging(folder.storeUrl, payers, async () => {
        const known = payers.map(({ charged }) => charged);
        await inWatches("INSERT INTO feeds VALUES ('a', 'a', 'a', 1)");
        expect(await backUp(folder, { runs: runProcess })).toMatchObject({ code: 0 });
        await inWatches('DELETE FROM feeds');
        return known;
      });
      expect(payers.map(({ refused }) => refused)).toEqual(payers.map(() => 0));
      const restored = await run('sh', ['-c', commandIn(folder.path, 'Restore SQLite')]);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(await inWatches('SELECT id FROM feeds')).toEqual([{ id: 'a' }]);

      await expireReservations(folder.storeUrl);
      const used = await withLedger(folder.storeUrl, async (store) => {
        expect(await store.check()).toEqual([]);
        return Promise.all(
          payers.map(({ id }) => store.balance(id).then((balance) => balance.used)),
        );
      });
      for (const [index, payer] of payers.entries()) {
        expect(used[index]).toBeGreaterThanOrEqual(before[index] ?? Infinity);
        expect(used[index]).toBeLessThanOrEqual(payer.charged);
      }
      const [first] = payers;
      await using gateway = start(folder.storeUrl);
      const { url } = await gateway.logged('listening');
      const answer = await customer(first, url).fetch('/v1/status?domain=after.example');
      expect(costIn(answer)).toMatchObject({ charged: 1, remaining: credits - (used[0] ?? 0) - 1 });
    },
  );

  it('has a backup that only its owner can read', async () => {
    await using folder = await scratch();
    await withLedger(folder.storeUrl, createPayers);
    expect(await backUp(folder)).toMatchObject({ code: 0 });
    expect((await stat(join(folder.path, 'backup.db'))).mode & 0o777).toBe(0o600);
  });

  it('replaces the last backup, and only by a complete one', async () => {
    await using folder = await scratch();
    await withLedger(folder.storeUrl, createPayers);
    expect(await backUp(folder)).toMatchObject({ code: 0, stderr: '' });
    await withLedger(folder.storeUrl, createPayers);
    expect(await backUp(folder)).toMatchObject({ code: 0, stderr: '' });
    const copied = `sqlite:${join(folder.path, 'backup.db')}`;
    const accounts = await withLedger(copied, (store) => store.list());
    expect(accounts).toHaveLength(16);
    await writeFile(join(folder.path, 'gateway.db'), 'damaged');
    const failed = await backUp(folder);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^The backup failed, and \S+ is unchanged: .+\n$/);
    expect(await withLedger(copied, (store) => store.list())).toHaveLength(16);
    expect((await readdir(folder.path)).filter((name) => /incomplete/.test(name))).toEqual([]);
  });

  it('may be backed up to the same file at the same time', async () => {
    await using folder = await scratch();
    await withLedger(folder.storeUrl, createPayers);
    const results = await Promise.all(
      Array.from({ length: 4 }, () => backUp(folder, { runs: runProcess })),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
    const copied = `sqlite:${join(folder.path, 'backup.db')}`;
    expect(await withLedger(copied, (store) => store.list())).toHaveLength(8);
    expect((await readdir(folder.path)).filter((name) => /incomplete/.test(name))).toEqual([]);
  });

  it('is not created by a backup of a path that does not exist', async () => {
    await using folder = await scratch();
    const { code, stderr } = await backUp(folder);
    expect([code, stderr]).toEqual([64, expect.stringContaining('does not exist')]);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.each(['gateway.db', 'gateway-watches.db', 'gateway-answers.db', 'link/gateway.db'])(
    'is not backed up over %s, which the store uses',
    async (file) => {
      await using folder = await scratch();
      await withLedger(folder.storeUrl, createPayers);
      await symlink(folder.path, join(folder.path, 'link'));
      for (const other of ['watches', 'answers'])
        await writeFile(join(folder.path, `gateway-${other}.db`), '');
      const before = await stat(join(folder.path, file));
      expect(await backUp(folder, { file })).toEqual({
        code: 64,
        stdout: '',
        stderr: expect.stringContaining('is a file of the store'),
      });
      expect((await stat(join(folder.path, file))).ino).toBe(before.ino);
    },
  );

  it('is not replaced by the backup of its watches', async () => {
    await using folder = await scratch();
    const storeUrl = `sqlite:${join(folder.path, 'backup-watches.db')}`;
    await withLedger(storeUrl, createPayers);
    expect(await backUp({ path: folder.path, storeUrl })).toMatchObject({ code: 64 });
    expect(await withLedger(storeUrl, (store) => store.list())).toHaveLength(8);
  });

  it('names the command for PostgreSQL', async () => {
    const environment = {
      ...commandLineEnvironment('/tmp'),
      STORE_URL: 'postgres://u:secret@db/g',
    };
    const { code, stderr } = await runCommandLine(['backup', 'g.dump'], environment);
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining('pg_dump --format=custom --file=g.dump "$STORE_URL"'),
    ]);
    expect(stderr).not.toContain('secret');
  });
});

const backUp = (
  { path, storeUrl }: Pick<Scratch, 'path' | 'storeUrl'>,
  { file = 'backup.db', runs = runCommandLine } = {},
) => runs(['backup', join(path, file)], { ...commandLineEnvironment(path), STORE_URL: storeUrl });

// The npm package of PostgreSQL lacks pg_dump, so a database copied by the server replaces dump and
// restore.
describe.skipIf(postgresMissing)('a PostgreSQL ledger', () => {
  // A busy machine stalls the server in the same way, for longer than a statement may take.
  it(
    'has what was charged although the server stalled, also in a copy that it makes',
    { timeout: 60_000 },
    async () => {
      await using postgres = await startPostgres();
      const [storeUrl, other] = [await postgres.database(), await postgres.database()];
      const payers = await withLedger(storeUrl, createPayers);
      await whileCharging(storeUrl, payers, async () => {
        await postgres.freeze();
        await expect.poll(() => payers.some(({ refused }) => refused > 0)).toBe(true);
        await postgres.thaw();
        const before = payers.map(({ charged }) => charged);
        await expect
          .poll(() => payers.every(({ charged }, index) => charged > (before[index] ?? Infinity)), {
            timeout: 20_000,
          })
          .toBe(true);
      });
      const administrator = new Client(other);
      await administrator.connect();
      await administrator.query(
        `CREATE DATABASE restored TEMPLATE "${new URL(storeUrl).pathname.slice(1)}"`,
      );
      await administrator.end();

      const restored = Object.assign(new URL(storeUrl), { pathname: '/restored' }).href;
      await expireReservations(restored);
      const used = await withLedger(restored, async (store) => {
        expect(await store.check()).toEqual([]);
        return Promise.all(
          payers.map(({ id }) => store.balance(id).then((balance) => balance.used)),
        );
      });
      expect(used).toEqual(payers.map(({ charged }) => charged));
      await using gateway = start(restored);
      const { url } = await gateway.logged('listening');
      const answer = await customer(payers[0], url).fetch('/v1/status?domain=after.example');
      expect(costIn(answer)).toMatchObject({ charged: 1, remaining: credits - (used[0] ?? 0) - 1 });
    },
  );
});

const operations = codeBlocksIn(guideText('operations'));

/** Returns a command of the operations guide, for a ledger and a backup in this folder. */
function commandIn(folder: string, title: string): string {
  const command = operations.find(({ heading }) => heading === title)?.code ?? '';
  return command
    .replaceAll('data/gateway', join(folder, 'gateway'))
    .replaceAll('gateway-backup', join(folder, 'backup'));
}

const credits = 1_000_000;

async function createPayers(store: AccountStore): Promise<readonly Payer[]> {
  return Promise.all(
    Array.from({ length: 8 }, async () => {
      const key = generateKey();
      const { id } = await store.create({ name: 'Payer', credits, origins: [] }, hashOf(key));
      return { id, key, charged: 0, refused: 0 };
    }),
  );
}

/**
 * Sends requests of all payers, one at a time each, before, during and after `work`; then stops the
 * gateway.
 */
async function whileCharging<T>(
  storeUrl: string,
  payers: readonly Payer[],
  work: () => Promise<T>,
): Promise<T> {
  await using gateway = start(storeUrl);
  const { url } = await gateway.logged('listening');
  const warm = Promise.withResolvers<void>();
  const done = new AbortController();
  const sending = payers.map(async (payer) => {
    const caller = customer(payer, url);
    for (let count = 0; !done.signal.aborted; count++) {
      const answer = await caller.fetch(
        `/v1/${count % 2 ? 'rdap' : 'status'}?domain=${payer.id}-${count % 50}.example`.toLowerCase(),
      );
      if (answer.status === 200) payer.charged += costIn(answer).charged;
      else {
        expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
        payer.refused += 1;
      }
      if (payers.every(({ charged }) => charged > 10)) warm.resolve();
    }
  });
  await warm.promise;
  const result = await work();
  done.abort();
  await Promise.all(sending);
  gateway.kill('SIGTERM');
  expect(await gateway.ended).toMatchObject({ code: 0 });
  return result;
}

const customer = (payer: Payer | undefined, url: string): Caller =>
  callerWith(payer?.key ?? '', (path, init) => fetch(new URL(path, url), init));

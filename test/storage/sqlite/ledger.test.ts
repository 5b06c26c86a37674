import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { killRounds } from '../../support/stores/kill-ledger.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { run } from '../../support/package/run.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';

let folder: Scratch;
let path: string;

beforeEach(async () => {
  folder = await forThisTest(scratch);
  path = join(folder.path, 'gateway.db');
});

const open = (clock = manualClock()) => openAccounts(`sqlite:${path}`, { clock, freeCredits: 10 });
const create = (store: AccountStore) =>
  store.create({ name: 'Test', credits: null, origins: [] }, hashOf(generateKey()));

describe('opening a ledger fails with a remedy', () => {
  it('if a newer gateway wrote it', async () => {
    await createLedger();
    runSql('PRAGMA user_version = 99');
    expect(await openError()).toContain(
      'newer version of this gateway. Run that version, or restore a backup',
    );
  });

  it('if it is not a database', async () => {
    writeFileSync(path, 'Dear diary, '.repeat(1000));
    const before = readFileSync(path, 'utf8');
    expect(await openError()).toContain(
      'is corrupt or not a ledger. Restore it from a backup, or move it away',
    );
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('if it is the database of another program', async () => {
    runSql('CREATE TABLE accounts (username TEXT)');
    expect(await openError()).toContain('not a ledger');
  });

  it('if it is truncated', async () => {
    await createLedger();
    writeFileSync(path, readFileSync(path).subarray(0, 9000));
    expect(await openError()).toContain('is corrupt');
  });

  it('if a page of its accounts is corrupt', async () => {
    await createLedger();
    overwritePage(rootPageOf('accounts'));
    expect(await openError()).toContain('is corrupt');
  });

  it('if a page of its counters is corrupt', async () => {
    await createLedger();
    overwritePage(rootPageOf('counters'));
    expect(await openError()).toContain('is corrupt');
  });

  it('if it is a folder', async () => {
    mkdirSync(path);
    expect(await openError()).toContain('cannot be opened. Set STORE_URL to a file');
  });

  it('if its folder is a file', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    path = join(folder.path, 'file/gateway.db');
    expect(await openError()).toContain('cannot be opened. Set STORE_URL to a file');
  });

  it('if this user cannot write to it', async () => {
    await createLedger();
    chmodSync(path, 0o444);
    chmodSync(folder.path, 0o555);
    expect(await openUnprivileged()).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('Grant this user write access to the file'),
    });
  });

  it('if this user can write only to its write-ahead log', async () => {
    const store = await open();
    chmodSync(path, 0o444);
    for (const place of [`${path}-wal`, `${path}-shm`, folder.path]) chmodSync(place, 0o777);
    expect(await openUnprivileged()).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('Grant this user write access to the file'),
    });
    await store.close();
  });

  it('if this user cannot create its folder', async () => {
    chmodSync(folder.path, 0o555);
    path = join(folder.path, 'data/gateway.db');
    expect(await openUnprivileged()).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('Grant this user write access to the file'),
    });
  });
});

const tinyDisk = (size: string) => [
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`,
];
const { code: noTinyDisks } = await run('unshare', [...tinyDisk('64k'), '/tmp', 'true']).catch(
  () => ({ code: 1 }),
);

// Skipped if this user cannot mount a small file system to fill.
describe.skipIf(noTinyDisks !== 0)('a ledger on a full disk', () => {
  it('cannot be opened', async () => {
    expect(await onTinyDisk('48k')).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('Free disk space'),
    });
  });

  it('charges nothing, still returns keys and balances, and recovers when space is free', async () => {
    const result = (await onTinyDisk('1m')) as { granted: number };
    expect(result).toEqual({
      granted: expect.any(Number),
      settled: 'LedgerUnavailableError',
      used: 10 + result.granted,
      found: true,
      probed: 'LedgerUnavailableError',
      afterwards: true,
      refunded: 1,
      usedAtLast: result.granted + 1,
      check: [],
    });
  });
});

it('does not block the event loop while a charge waits for the disk', async () => {
  const store = await open();
  const { id } = await create(store);
  const disk = new DatabaseSync(path);
  disk.exec('BEGIN IMMEDIATE');
  let charged = false;
  const charge = store.charge(id, 1).finally(() => (charged = true));
  for (let turn = 0; turn < 1000; turn++) await nextTurn();
  expect(charged).toBe(false);
  disk.exec('ROLLBACK');
  disk.close();
  expect(await charge).toMatchObject({ granted: true });
  await store.close();
});

describe('combined charges of one account', () => {
  it('each return the credits remaining after them', async () => {
    expect(await chargeConcurrently([1, 2, 3])).toEqual({ remaining: [9, 7, 4], used: 6 });
  });

  it('are granted in order if not all of them fit', async () => {
    expect(await chargeConcurrently([4, 5, 6, 1])).toEqual({
      remaining: [6, 1, false, 0],
      used: 10,
    });
  });

  it('are charged to the month in which each was made', async () => {
    const clock = manualClock(Date.UTC(2026, 11, 1) - 1);
    const store = await open(clock);
    const { id } = await create(store);
    const november = [store.charge(id, 1), store.charge(id, 2)];
    clock.advance(1);
    const balances = (await Promise.all([...november, store.charge(id, 4)])).map(
      ({ balance }) => balance,
    );
    expect(balances.map(({ used, resetsAt }) => [used, new Date(resetsAt).getUTCMonth()])).toEqual([
      [1, 11],
      [3, 11],
      [4, 0],
    ]);
    await store.close();
  });

  it('are separate for each account', async () => {
    const store = await open();
    const ids = await Promise.all(Array.from({ length: 3 }, async () => (await create(store)).id));
    const results = await Promise.all(
      ids.flatMap((id, index) => [store.charge(id, index), store.charge(id, index)]),
    );
    expect(results.map(({ balance }) => balance.remaining)).toEqual([10, 10, 9, 8, 8, 6]);
    await store.close();
  });
});

it('migrates a ledger of the first release, and refunds its reservations', async () => {
  const before = await open();
  const { id } = await create(before);
  await before.charge(id, 1);
  await before.reserve(id, 3);
  await before.close();
  runSql('ALTER TABLE reservations DROP COLUMN expires_at');
  runSql('ALTER TABLE reservations RENAME COLUMN entry TO id');
  runSql('ALTER TABLE accounts DROP COLUMN documents');
  runSql('ALTER TABLE accounts DROP COLUMN role');
  runSql('ALTER TABLE accounts DROP COLUMN rate');
  runSql('ALTER TABLE accounts DROP COLUMN expires_at');
  runSql('ALTER TABLE counters DROP COLUMN charged_at');
  runSql('PRAGMA user_version = 1');
  const store = await open();
  expect((await store.balance(id)).used).toBe(4);
  expect(await store.list()).toMatchObject([{ id, role: null, rate: null }]);
  expect(await store.refundExpired()).toBe(1);
  expect([(await store.balance(id)).used, await store.check()]).toEqual([1, []]);
  await store.close();
});

it('never lets two gateways on one file spend the same credit', async () => {
  const stores = await Promise.all([open(), open()]);
  const { id } = await create(stores[0]);
  const results = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => stores[index % 2]?.charge(id, 1)),
  );
  expect(results.filter((result) => result?.granted)).toHaveLength(10);
  await Promise.all(stores.map((store) => store.close()));
});

it(
  'loses no acknowledged charge and counts none twice after kill -9',
  { timeout: 60_000 },
  async () => {
    const report = await killRounds(3, path);
    expect(report).toMatchObject({ lost: 0, doubled: 0, discrepancies: 0 });
    expect(report.acknowledged).toBeGreaterThan(0);
  },
);

/** Charges concurrently. Returns the credits remaining after each charge, and the final usage. */
async function chargeConcurrently(amounts: readonly number[]) {
  const store = await open();
  const { id } = await create(store);
  const results = await Promise.all(amounts.map((amount) => store.charge(id, amount)));
  const { used } = await store.balance(id);
  expect(await store.check()).toEqual([]);
  await store.close();
  return { remaining: results.map(({ granted, balance }) => granted && balance.remaining), used };
}

async function createLedger(): Promise<void> {
  const store = await open();
  const { id } = await create(store);
  await store.charge(id, 1);
  await store.close();
  const unprivilegedId = 65_534;
  if (process.getuid?.() === 0)
    for (const place of [path, folder.path]) chownSync(place, unprivilegedId, unprivilegedId);
}

function runSql(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

function rootPageOf(table: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(row?.['rootpage']);
}

function overwritePage(page: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(file);
  expect(statSync(path).size).toBeGreaterThanOrEqual(page * 4096);
}

async function openError(): Promise<string> {
  const error = await open().then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error?.name).toBe('LedgerOpenError');
  expect(error?.message).toContain(path);
  expect(error?.message).not.toContain('\n');
  return error?.message ?? '';
}

/** Opens the ledger as an unprivileged user, since permissions do not restrict root. */
async function openUnprivileged(): Promise<unknown> {
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout, stderr } = await run(
    process.execPath,
    ['test/support/stores/ledger-process.ts', path],
    { ...identity, env: {} },
  );
  chmodSync(folder.path, 0o755);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function onTinyDisk(size: string): Promise<unknown> {
  const script = ['test/support/stores/ledger-process.ts', path, join(folder.path, 'filler')];
  const { stdout, stderr } = await run(
    'unshare',
    [...tinyDisk(size), folder.path, process.execPath, ...script],
    { env: process.env },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

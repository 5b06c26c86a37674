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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { killRounds } from '../../support/killed-ledger.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { run } from '../../support/run.ts';
import { scratch, type Scratch } from '../../support/scratch.ts';

let folder: Scratch;
let path: string;

beforeEach(async () => {
  folder = await scratch();
  path = join(folder.path, 'gateway.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

const open = (clock = manualClock()) => openAccounts(`sqlite:${path}`, { clock, freeCredits: 10 });
const create = (store: AccountStore) =>
  store.create({ name: 'Test', credits: null, origins: [] }, hashOf(generateKey()));

describe('a ledger that cannot be used is a refusal to start that says what to do', () => {
  it('when a newer gateway wrote it', async () => {
    await makeLedger();
    change('PRAGMA user_version = 99');
    expect(await refusal()).toContain(
      'newer version of this gateway; run that version, or restore a backup',
    );
  });

  it('when it is no database', async () => {
    writeFileSync(path, 'Dear diary, '.repeat(1000));
    const before = readFileSync(path, 'utf8');
    expect(await refusal()).toContain(
      'is damaged, or no ledger at all; restore it from a backup, or move it away',
    );
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('when it is the database of another program', async () => {
    change('CREATE TABLE accounts (username TEXT)');
    expect(await refusal()).toContain('no ledger at all');
  });

  it('when it is cut short', async () => {
    await makeLedger();
    writeFileSync(path, readFileSync(path).subarray(0, 9000));
    expect(await refusal()).toContain('is damaged');
  });

  it('when a page of its accounts is damaged', async () => {
    await makeLedger();
    overwritePage(rootPageOf('accounts'));
    expect(await refusal()).toContain('is damaged');
  });

  it('when a page of its counters is damaged', async () => {
    await makeLedger();
    overwritePage(rootPageOf('counters'));
    expect(await refusal()).toContain('is damaged');
  });

  it('when it is a folder', async () => {
    mkdirSync(path);
    expect(await refusal()).toContain('cannot be opened; name a file in STORE_URL');
  });

  it('when its folder is a file', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    path = join(folder.path, 'file/gateway.db');
    expect(await refusal()).toContain('cannot be opened; name a file in STORE_URL');
  });

  it('when this user may not write it', async () => {
    await makeLedger();
    chmodSync(path, 0o444);
    chmodSync(folder.path, 0o555);
    expect(await asNobody()).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('let this user write the file'),
    });
  });

  it('when this user may not write it, but may write its log', async () => {
    const store = await open();
    chmodSync(path, 0o444);
    for (const place of [`${path}-wal`, `${path}-shm`, folder.path]) chmodSync(place, 0o777);
    expect(await asNobody()).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('let this user write the file'),
    });
    await store.close();
  });

  it('when this user may not make its folder', async () => {
    chmodSync(folder.path, 0o555);
    path = join(folder.path, 'data/gateway.db');
    expect(await asNobody()).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('let this user write the file'),
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

// Where this user may not mount a file system of its own, there is no disk to fill.
describe.skipIf(noTinyDisks !== 0)('a disk that is full', () => {
  it('is a refusal to start', async () => {
    expect(await onTinyDisk('48k')).toMatchObject({
      name: 'LedgerOpenError',
      message: expect.stringContaining('free some space on its disk'),
    });
  });

  it('charges nobody, still knows every key and balance, and goes on once there is room', async () => {
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

it('while the disk keeps a charge waiting, everything else goes on', async () => {
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

describe('charges of one account that are committed together', () => {
  it('are each told what was left after them', async () => {
    expect(await chargesOf([1, 2, 3])).toEqual({ left: [9, 7, 4], used: 6 });
  });

  it('are granted in turn where not all of them fit', async () => {
    expect(await chargesOf([4, 5, 6, 1])).toEqual({ left: [6, 1, false, 0], used: 10 });
  });

  it('count in the month in which each was made', async () => {
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

  it('do not mix with those of others', async () => {
    const store = await open();
    const ids = await Promise.all(Array.from({ length: 3 }, async () => (await create(store)).id));
    const results = await Promise.all(
      ids.flatMap((id, index) => [store.charge(id, index), store.charge(id, index)]),
    );
    expect(results.map(({ balance }) => balance.remaining)).toEqual([10, 10, 9, 8, 8, 6]);
    await store.close();
  });
});

it('a ledger of the first release is brought up to date, and what was reserved in it is refunded', async () => {
  const before = await open();
  const { id } = await create(before);
  await before.charge(id, 1);
  await before.reserve(id, 3);
  await before.close();
  change('ALTER TABLE reservations DROP COLUMN expires_at');
  change('ALTER TABLE reservations RENAME COLUMN entry TO id');
  change('PRAGMA user_version = 1');
  const store = await open();
  expect((await store.balance(id)).used).toBe(4);
  expect(await store.refundExpired()).toBe(1);
  expect([(await store.balance(id)).used, await store.check()]).toEqual([1, []]);
  await store.close();
});

it('two gateways on one file never spend the same credit', async () => {
  const stores = await Promise.all([open(), open()]);
  const { id } = await create(stores[0]);
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, index) => stores[index % 2]?.charge(id, 1)),
  );
  expect(results.filter((result) => result?.granted)).toHaveLength(10);
  await Promise.all(stores.map((store) => store.close()));
});

it('no kill -9 loses an acknowledged charge or counts one twice', { timeout: 60_000 }, async () => {
  const report = await killRounds(3, path);
  expect(report).toMatchObject({ lost: 0, doubled: 0, discrepancies: 0 });
  expect(report.acknowledged).toBeGreaterThan(0);
});

/** Charges all at once; what each was told is left, and what is used in the end. */
async function chargesOf(amounts: readonly number[]) {
  const store = await open();
  const { id } = await create(store);
  const results = await Promise.all(amounts.map((amount) => store.charge(id, amount)));
  const { used } = await store.balance(id);
  expect(await store.check()).toEqual([]);
  await store.close();
  return { left: results.map(({ granted, balance }) => granted && balance.remaining), used };
}

async function makeLedger(): Promise<void> {
  const store = await open();
  const { id } = await create(store);
  await store.charge(id, 1);
  await store.close();
  const nobody = 65_534;
  if (process.getuid?.() === 0)
    for (const place of [path, folder.path]) chownSync(place, nobody, nobody);
}

function change(sql: string): void {
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

async function refusal(): Promise<string> {
  const error = await open().then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error?.name).toBe('LedgerOpenError');
  expect(error?.message).toContain(path);
  expect(error?.message).not.toContain('\n');
  return error?.message ?? '';
}

/** Opens it as a user who is not root, whom no permission stops. */
async function asNobody(): Promise<unknown> {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout, stderr } = await run(process.execPath, ['test/support/ledger-process.ts', path], {
    ...nobody,
    env: {},
  });
  chmodSync(folder.path, 0o755);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function onTinyDisk(size: string): Promise<unknown> {
  const script = ['test/support/ledger-process.ts', path, join(folder.path, 'filler')];
  const { stdout, stderr } = await run(
    'unshare',
    [...tinyDisk(size), folder.path, process.execPath, ...script],
    { env: process.env },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startProcess } from '../../support/gateways/gateway-process.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';

let folder: Scratch;
let path: string;
beforeEach(async () => {
  folder = await forThisTest(scratch);
  path = join(folder.path, 'gateway.db');
});

const open = (at = path) =>
  openAccounts(`sqlite:${at}`, { clock: manualClock(), freeCredits: 1000 });

async function withLedger<T>(use: (store: AccountStore) => Promise<T>, at = path): Promise<T> {
  const store = await open(at);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const createAccount = (store: AccountStore) =>
  store.create({ name: 'Test', credits: null, origins: [] }, hashOf(generateKey()));

async function charge(store: AccountStore, id: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1)
    expect(await store.charge(id, 1)).toMatchObject({ granted: true });
}

async function openError(at = path): Promise<string> {
  const error: unknown = await open(at).then(
    (store) => store.close(),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'LedgerOpenError' });
  const { message } = error as Error;
  expect(message).toContain(at);
  expect(message).not.toContain('\n');
  return message;
}

/** Copies an open ledger without its write-ahead log. Returns the path of the copy. */
function copyWithoutLog(): string {
  const copy = join(folder.path, 'copy', 'gateway.db');
  mkdirSync(join(folder.path, 'copy'));
  expect(existsSync(`${path}-wal`)).toBe(true);
  for (const part of ['', '-last-entry']) copyFileSync(path + part, copy + part);
  return copy;
}

describe('opening a ledger fails', () => {
  it.each(['truncated to nothing', 'deleted'])('if its file was %s', async (how) => {
    await withLedger(createAccount);
    if (how === 'deleted') rmSync(path);
    else truncateSync(path);
    for (const attempt of [1, 2]) {
      expect(await openError(), `attempt ${attempt}`).toContain(
        `is missing or empty, but ${path}-last-entry shows that it had entries. Restore it`,
      );
    }
    expect(existsSync(path) ? readFileSync(path).length : 0).toBe(0);
  });

  it('if its write-ahead log is missing', async () => {
    const { id } = await withLedger(createAccount);
    await withLedger((store) => charge(store, id, 44));
    await withLedger(async (store) => {
      await charge(store, id, 56);
      const copy = copyWithoutLog();
      for (const attempt of [1, 2]) {
        expect(await openError(copy), `attempt ${attempt}`).toContain(
          `ends at entry 44, but according to ${copy}-last-entry, entry 100 was written`,
        );
      }
    });
  });

  it('if its write-ahead log with all its data is missing', async () => {
    await withLedger(async (store) => {
      await createAccount(store);
      const copy = copyWithoutLog();
      for (const attempt of [1, 2])
        expect(await openError(copy), `attempt ${attempt}`).toMatch(
          /is missing or empty, but|is not the ledger that/,
        );
    });
  });

  it('if it was replaced with another ledger', async () => {
    const other = join(folder.path, 'other.db');
    await withLedger(createAccount);
    await withLedger(createAccount, other);
    copyFileSync(other, path);
    expect(await openError()).toContain('is not the ledger that');
  });

  it('so that the gateway exits with code 2 and one line', async () => {
    await withLedger(createAccount);
    truncateSync(path);
    await using gateway = startProcess({ PORT: '0', STORE_URL: folder.storeUrl });
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^The ledger [^\n]* is missing or empty, but [^\n]*\n$/);
  });
});

describe('opening a ledger succeeds', () => {
  it('if the operator accepts the loss by deleting the last-entry file', async () => {
    const { id } = await withLedger(createAccount);
    copyFileSync(path, join(folder.path, 'backup.db'));
    await withLedger((store) => charge(store, id, 5));
    copyFileSync(join(folder.path, 'backup.db'), path);
    expect(await openError()).toContain(`or delete ${path}-last-entry to accept the loss`);
    rmSync(`${path}-last-entry`);
    await withLedger((store) => charge(store, id, 1));
    expect(await withLedger(async (store) => (await store.balance(id)).used)).toBe(1);
  });

  it('if an older gateway wrote it, and protects it from then on', async () => {
    const { id } = await withLedger(createAccount);
    rmSync(`${path}-last-entry`);
    const older = new DatabaseSync(path);
    older.exec('PRAGMA application_id = 0');
    older.close();
    await withLedger((store) => charge(store, id, 1));
    truncateSync(path);
    expect(await openError()).toContain('is missing or empty');
  });

  it.each(['', 'nonsense', '00000001'])('if the last-entry file is invalid: %j', async (text) => {
    const { id } = await withLedger(createAccount);
    writeFileSync(`${path}-last-entry`, text);
    await withLedger((store) => charge(store, id, 1));
    truncateSync(path);
    expect(await openError()).toContain('is missing or empty');
  });

  it('for two gateways at once, whichever writes last', async () => {
    const { id } = await withLedger(createAccount);
    await withLedger((first) =>
      withLedger(async (second) => {
        for (let times = 0; times < 5; times += 1)
          await Promise.all([charge(first, id, 2), charge(second, id, 3)]);
      }),
    );
    expect(await withLedger(async (store) => (await store.balance(id)).used)).toBe(25);
  });
});

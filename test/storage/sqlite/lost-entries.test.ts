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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { startProcess } from '../../support/gateway-process.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { scratch, type Scratch } from '../../support/scratch.ts';

let folder: Scratch;
let path: string;
beforeEach(async () => {
  folder = await scratch();
  path = join(folder.path, 'gateway.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

const open = (at = path) =>
  openAccounts(`sqlite:${at}`, { clock: manualClock(), freeCredits: 1000 });

async function withLedger<T>(work: (store: AccountStore) => Promise<T>, at = path): Promise<T> {
  const store = await open(at);
  try {
    return await work(store);
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

async function refusal(at = path): Promise<string> {
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

/** Copies a ledger as it is on the disk while it is open, without its write-ahead log. Returns where the copy is. */
function copyWithoutLog(): string {
  const copy = join(folder.path, 'copy', 'gateway.db');
  mkdirSync(join(folder.path, 'copy'));
  expect(existsSync(`${path}-wal`)).toBe(true);
  for (const part of ['', '-last-entry']) copyFileSync(path + part, copy + part);
  return copy;
}

describe('a ledger that lost entries is not opened', () => {
  it.each(['truncated to nothing', 'deleted'])('when its file was %s', async (how) => {
    await withLedger(createAccount);
    if (how === 'deleted') rmSync(path);
    else truncateSync(path);
    for (const attempt of [1, 2]) {
      expect(await refusal(), `attempt ${attempt}`).toContain(
        `is empty, but ${path}-last-entry says that it was not; restore it`,
      );
    }
    expect(existsSync(path) ? readFileSync(path).length : 0).toBe(0);
  });

  it('when its write-ahead log is gone', async () => {
    const { id } = await withLedger(createAccount);
    await withLedger((store) => charge(store, id, 44));
    await withLedger(async (store) => {
      await charge(store, id, 56);
      const copy = copyWithoutLog();
      for (const attempt of [1, 2]) {
        expect(await refusal(copy), `attempt ${attempt}`).toContain(
          `ends at entry 44, but ${copy}-last-entry says that entry 100 was written`,
        );
      }
    });
  });

  it('when its write-ahead log, which held all of it, is gone', async () => {
    await withLedger(async (store) => {
      await createAccount(store);
      const copy = copyWithoutLog();
      for (const attempt of [1, 2])
        expect(await refusal(copy), `attempt ${attempt}`).toMatch(
          /is empty, but|is not the one that/,
        );
    });
  });

  it('when another ledger is in its place', async () => {
    const other = join(folder.path, 'other.db');
    await withLedger(createAccount);
    await withLedger(createAccount, other);
    copyFileSync(other, path);
    expect(await refusal()).toContain('is not the one that');
  });

  it('and the gateway ends with code 2 and one line', async () => {
    await withLedger(createAccount);
    truncateSync(path);
    await using gateway = startProcess({ PORT: '0', STORE_URL: folder.storeUrl });
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^The ledger [^\n]* is empty, but [^\n]*\n$/);
  });
});

describe('a ledger is opened', () => {
  it('when the operator accepts the loss by deleting the file that tells of it', async () => {
    const { id } = await withLedger(createAccount);
    copyFileSync(path, join(folder.path, 'backup.db'));
    await withLedger((store) => charge(store, id, 5));
    copyFileSync(join(folder.path, 'backup.db'), path);
    expect(await refusal()).toContain(`or delete ${path}-last-entry to accept the loss`);
    rmSync(`${path}-last-entry`);
    await withLedger((store) => charge(store, id, 1));
    expect(await withLedger(async (store) => (await store.balance(id)).used)).toBe(1);
  });

  it('when an older gateway wrote it, and is protected from then on', async () => {
    const { id } = await withLedger(createAccount);
    rmSync(`${path}-last-entry`);
    const older = new DatabaseSync(path);
    older.exec('PRAGMA application_id = 0');
    older.close();
    await withLedger((store) => charge(store, id, 1));
    truncateSync(path);
    expect(await refusal()).toContain('is empty');
  });

  it.each(['', 'nonsense', '00000001'])(
    'when the file beside it is not readable: %j',
    async (text) => {
      const { id } = await withLedger(createAccount);
      writeFileSync(`${path}-last-entry`, text);
      await withLedger((store) => charge(store, id, 1));
      truncateSync(path);
      expect(await refusal()).toContain('is empty');
    },
  );

  it('by two gateways at once, whichever writes last', async () => {
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyKeys, KeyUse } from '../../src/accounts/idempotency.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'idempotency-'));
const closing: (() => Promise<void>)[] = [];
let opened = 0;
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true });
});

const options = (clock: ManualClock) => ({ clock, freeCredits: 0 });
const open = {
  memory: async (clock: ManualClock): Promise<IdempotencyKeys> => openAccounts('memory:', options(clock)),
  sqlite: async (clock: ManualClock) => sqliteKeys(join(folder, `${opened++}.db`), clock),
};

async function sqliteKeys(path: string, clock: ManualClock): Promise<IdempotencyKeys> {
  const accounts = await openAccounts(`sqlite:${path}`, options(clock));
  closing.push(() => accounts.close());
  return accounts;
}

const hour = 60 * 60 * 1000;
const use: KeyUse = { caller: 'alice', key: 'k', fingerprint: 'one' };

describe.each(Object.keys(open) as (keyof typeof open)[])('keys in %s', (kind) => {
  let clock: ManualClock;
  let keys: IdempotencyKeys;
  beforeEach(async () => {
    clock = manualClock();
    keys = await open[kind](clock);
  });

  it('a call is owed once, however often it comes with the same key and body', async () => {
    expect(await keys.claim(use)).toEqual({ conflict: false, charged: 0 });
    expect(await keys.owe(use, 6)).toBe(6);
    expect(await keys.claim(use)).toEqual({ conflict: false, charged: 6 });
    expect(await keys.owe(use, 6)).toBe(0);
    expect(await keys.owe(use, 6)).toBe(0);
  });

  it('two at the same time are owed once', async () => {
    await Promise.all([keys.claim(use), keys.claim(use)]);
    const owed = await Promise.all([keys.owe(use, 6), keys.owe(use, 6)]);
    expect(owed.toSorted()).toEqual([0, 6]);
  });

  it('one that was cut short and comes again owes the rest', async () => {
    await keys.claim(use);
    expect(await keys.owe(use, 2)).toBe(2);
    expect(await keys.owe(use, 0)).toBe(0);
    expect(await keys.owe(use, 6)).toBe(4);
    expect((await keys.claim(use)).charged).toBe(6);
  });

  it('another body is a conflict, and changes nothing', async () => {
    await keys.claim(use);
    await keys.owe(use, 6);
    expect((await keys.claim({ ...use, fingerprint: 'two' })).conflict).toBe(true);
    expect(await keys.claim(use)).toEqual({ conflict: false, charged: 6 });
  });

  it('keys of others are other keys', async () => {
    await keys.claim(use);
    await keys.owe(use, 6);
    for (const other of [
      { caller: 'bob', key: 'k' },
      { caller: 'alice', key: 'K' },
      { caller: 'alicek', key: '' },
    ]) {
      expect(await keys.claim({ ...other, fingerprint: 'two' })).toEqual({ conflict: false, charged: 0 });
    }
  });

  it('a key stands for its body for 24 h from its first use, and then for any', async () => {
    await keys.claim(use);
    await keys.owe(use, 6);
    clock.advance(23 * hour);
    expect((await keys.claim(use)).charged).toBe(6);
    clock.advance(hour - 1);
    expect((await keys.claim({ ...use, fingerprint: 'two' })).conflict).toBe(true);
    clock.advance(1);
    expect(await keys.claim({ ...use, fingerprint: 'two' })).toEqual({ conflict: false, charged: 0 });
  });

  it('a call that outlives its key is owed in full, and not counted for the next body', async () => {
    await keys.claim(use);
    clock.advance(24 * hour);
    await keys.claim({ ...use, fingerprint: 'two' });
    expect(await keys.owe(use, 6)).toBe(6);
    expect((await keys.claim({ ...use, fingerprint: 'two' })).charged).toBe(0);
  });
});

it('a key in a file outlives the process, and is shared with others', async () => {
  const clock = manualClock();
  const path = join(folder, 'shared.db');
  const [first, second] = [await sqliteKeys(path, clock), await sqliteKeys(path, clock)];
  await first.claim(use);
  await first.owe(use, 6);
  expect(await second.claim(use)).toEqual({ conflict: false, charged: 6 });
  expect(await second.owe(use, 6)).toBe(0);
});

it('keys that have run out leave the file again', async () => {
  const clock = manualClock();
  const path = join(folder, 'swept.db');
  const keys = await sqliteKeys(path, clock);
  for (let number = 0; number < 25; number++) await keys.claim({ ...use, key: `${number}` });
  clock.advance(24 * hour);
  for (const key of ['a', 'b', 'c']) await keys.claim({ ...use, key });
  const database = new DatabaseSync(path);
  closing.push(async () => database.close());
  expect(database.prepare('SELECT key FROM idempotency_keys').all()).toEqual([{ key: 'a' }, { key: 'b' }, { key: 'c' }]);
});

import { expect, it } from 'vitest';
import { hashOf, generateKey, type ApiKey } from '../../src/accounts/api-key.ts';
import { KeyCache } from '../../src/accounts/key-cache.ts';
import { memoryAccounts } from '../../src/storage/sqlite/accounts.ts';
import { manualClock } from '../support/time/manual-clock.ts';

/** Creates a key cache on a store with one account, and counts the reads of the store. */
async function setUp(maxKeys?: number) {
  const clock = manualClock();
  const store = memoryAccounts({ clock, freeCredits: 10 });
  const key = generateKey();
  const account = await store.create({ name: 'Test', credits: null, origins: [] }, hashOf(key));
  let reads = 0;
  const countingRead = (sent: string) => {
    reads += 1;
    return store.findByHash(hashOf(sent as ApiKey));
  };
  return {
    clock,
    store,
    key,
    account,
    check: checkOf(new KeyCache(countingRead, clock, maxKeys)),
    reads: () => reads,
  };
}

const checkOf = (keys: KeyCache) => (key: Parameters<KeyCache['accountOf']>[0]) =>
  keys.accountOf(key);

it('returns the account of a key and reads the store once for concurrent requests', async () => {
  const { check, key, account, reads } = await setUp();
  expect(await Promise.all(Array.from({ length: 1000 }, () => check(key)))).toEqual(
    Array.from({ length: 1000 }, () => account),
  );
  expect(reads()).toBe(1);
});

it('rejects an unknown key repeatedly, and reads the store once', async () => {
  const { check, reads } = await setUp();
  const unknown = generateKey();
  for (let tries = 0; tries < 3; tries++)
    await expect(check(unknown)).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(reads()).toBe(1);
});

it('rejects a revoked key within two seconds', async () => {
  const { clock, check, store, key, account } = await setUp();
  await check(key);
  await store.revoke(account.id);
  clock.advance(1999);
  await expect(check(key)).rejects.toMatchObject({ code: 'invalid_api_key' });
});

it('does not cache errors of the store', async () => {
  const { store, key, account } = await setUp();
  let fails = true;
  const read = (sent: string) =>
    fails ? Promise.reject(new Error('disk failure')) : store.findByHash(hashOf(sent as ApiKey));
  const check = checkOf(new KeyCache(read, manualClock()));
  await expect(check(key)).rejects.toThrow('disk failure');
  fails = false;
  expect(await check(key)).toEqual(account);
});

it('uses an account while the store fails, and its role for a minute', async () => {
  const clock = manualClock();
  const store = memoryAccounts({ clock, freeCredits: 0 });
  const key = generateKey();
  await store.create({ name: 'Test', credits: null, origins: [], role: 'operator' }, hashOf(key));
  let fails = false;
  const check = checkOf(
    new KeyCache(
      (sent) =>
        fails
          ? Promise.reject(new Error('disk failure'))
          : store.findByHash(hashOf(sent as ApiKey)),
      clock,
    ),
  );
  expect((await check(key)).role).toBe('operator');
  fails = true;
  const roles: unknown[] = [];
  for (let read = 0; read < 4; read += 1) {
    clock.advance(19_999);
    roles.push((await check(key)).role);
  }
  expect(roles).toEqual(['operator', 'operator', 'operator', null]);
  fails = false;
  clock.advance(1000);
  expect((await check(key)).role).toBe('operator');
});

it('reads a key again after a second', async () => {
  const { clock, check, key, reads } = await setUp();
  await check(key);
  clock.advance(999);
  await check(key);
  expect(reads()).toBe(1);
  clock.advance(1);
  await check(key);
  expect(reads()).toBe(2);
});

it('evicts the least recently used key when it is full', async () => {
  const { check, key, reads } = await setUp(2);
  await check(key);
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await check(key);
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await check(key);
  expect(reads()).toBe(3);
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await check(key);
  expect(reads()).toBe(6);
});

import { expect, it } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { KeyCache } from '../../src/accounts/key-cache.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { memoryAccounts } from '../../src/storage/memory/accounts.ts';
import { manualClock } from '../support/manual-clock.ts';

/** A store with an account, and how often it was asked for a key. */
async function setUp(maxKeys?: number) {
  const clock = manualClock();
  const store = memoryAccounts({ clock, freeCredits: 10 });
  const key = generateKey();
  const account = await store.create({ name: 'Test', credits: null, origins: [] }, hashOf(key));
  let asked = 0;
  const counted: Pick<AccountStore, 'findByHash'> = {
    findByHash(hash) {
      asked += 1;
      return store.findByHash(hash);
    },
  };
  return {
    clock,
    store,
    key,
    account,
    check: checkOf(new KeyCache(counted, clock, maxKeys)),
    asked: () => asked,
  };
}

const checkOf = (keys: KeyCache) => (key: Parameters<KeyCache['accountOf']>[0]) =>
  keys.accountOf(key);

it('returns whose key it is, and reads the store once for many requests', async () => {
  const { check, key, account, asked } = await setUp();
  expect(await Promise.all(Array.from({ length: 1000 }, () => check(key)))).toEqual(
    Array.from({ length: 1000 }, () => account),
  );
  expect(asked()).toBe(1);
});

it('refuses an unknown key, however often it is tried, and reads the store once', async () => {
  const { check, asked } = await setUp();
  const unknown = generateKey();
  for (let tries = 0; tries < 3; tries++)
    await expect(check(unknown)).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(asked()).toBe(1);
});

it('stops a revoked key within two seconds', async () => {
  const { clock, check, store, key, account } = await setUp();
  await check(key);
  await store.revoke(account.id);
  clock.advance(1999);
  await expect(check(key)).rejects.toMatchObject({ code: 'invalid_api_key' });
});

it('does not cache that the store failed', async () => {
  const { store, key, account } = await setUp();
  let fails = true;
  const sometimes = {
    findByHash: (hash: Parameters<AccountStore['findByHash']>[0]) =>
      fails ? Promise.reject(new Error('the disk is gone')) : store.findByHash(hash),
  };
  const check = checkOf(new KeyCache(sometimes, manualClock()));
  await expect(check(key)).rejects.toThrow('the disk is gone');
  fails = false;
  expect(await check(key)).toEqual(account);
});

it('reads a key again when its second is over', async () => {
  const { clock, check, key, asked } = await setUp();
  await check(key);
  clock.advance(999);
  await check(key);
  expect(asked()).toBe(1);
  clock.advance(1);
  await check(key);
  expect(asked()).toBe(2);
});

it('evicts the key that was used least recently where there are more than it may cache', async () => {
  const { check, key, asked } = await setUp(2);
  await check(key);
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await check(key);
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await check(key);
  expect(asked()).toBe(3);
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await expect(check(generateKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  await check(key);
  expect(asked()).toBe(6);
});

import { expect, it } from 'vitest';
import { hashOf, makeKey } from '../../src/accounts/api-key.ts';
import { keyCheck } from '../../src/accounts/key-check.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { memoryAccounts } from '../../src/storage/memory/accounts.ts';
import { manualClock } from '../support/manual-clock.ts';

/** A store with an account, and how often it was asked for a key. */
async function setUp(mostRemembered?: number) {
  const clock = manualClock();
  const store = memoryAccounts({ clock, freeCredits: 10 });
  const key = makeKey();
  const account = await store.create({ name: 'Test', credits: null, origins: [] }, hashOf(key));
  let asked = 0;
  const counted: Pick<AccountStore, 'findByHash'> = {
    findByHash(hash) {
      asked += 1;
      return store.findByHash(hash);
    },
  };
  return { clock, store, key, account, check: keyCheck(counted, clock, mostRemembered), asked: () => asked };
}

it('tells whose key it is, and asks the store once for many requests', async () => {
  const { check, key, account, asked } = await setUp();
  expect(await Promise.all(Array.from({ length: 1000 }, () => check(key)))).toEqual(Array.from({ length: 1000 }, () => account));
  expect(asked()).toBe(1);
});

it('refuses a key that nobody holds, however often it is tried, and asks the store once', async () => {
  const { check, asked } = await setUp();
  const unknown = makeKey();
  for (let tries = 0; tries < 3; tries++) await expect(check(unknown)).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(asked()).toBe(1);
});

it('stops a revoked key within two seconds', async () => {
  const { clock, check, store, key, account } = await setUp();
  await check(key);
  await store.revoke(account.id);
  clock.advance(1999);
  await expect(check(key)).rejects.toMatchObject({ code: 'invalid_api_key' });
});

it('does not remember that the store failed', async () => {
  const { store, key, account } = await setUp();
  let fails = true;
  const sometimes = {
    findByHash: (hash: Parameters<AccountStore['findByHash']>[0]) =>
      fails ? Promise.reject(new Error('the disk is gone')) : store.findByHash(hash),
  };
  const check = keyCheck(sometimes, manualClock());
  await expect(check(key)).rejects.toThrow('the disk is gone');
  fails = false;
  expect(await check(key)).toEqual(account);
});

it('remembers nothing of a key when its second is over', async () => {
  const { clock, check, key, asked } = await setUp();
  await check(key);
  await expect(check(makeKey())).rejects.toMatchObject({ code: 'invalid_api_key' });
  clock.advance(1000);
  expect(clock.pending).toBe(0);
  await check(key);
  expect(asked()).toBe(3);
});

it('remembers no more keys than it has room for', async () => {
  const { check, key, asked } = await setUp(2);
  await check(key);
  await Promise.allSettled([check(makeKey()), check(makeKey())]);
  await check(key);
  expect(asked()).toBe(4);
});

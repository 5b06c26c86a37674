import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { generateKey, hashOf, parseKey } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { scratch } from '../../support/stores/scratch.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { runKeys } from '../../support/gateways/command-line.ts';
import { withLedger } from '../../support/stores/ledger.ts';

let folder: string;
let storeUrl: string;

beforeEach(async () => {
  ({ path: folder } = await forThisTest(scratch));
  storeUrl = `sqlite:${join(folder, 'gateway.db')}`;
});

const day = 24 * 60 * 60 * 1000;

const keys = (...args: readonly string[]) => runKeys(storeUrl, args);

/** Runs a command that must succeed, and parses its JSON. */
async function keysJson(...args: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await keys(...args, '--json');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(?:There was no store at .+\n)?$/)]);
  return JSON.parse(stdout);
}

const worksAt = (key: string, time: number) =>
  withLedger(
    storeUrl,
    async (store) => (await store.findByHash(hashOf(parseKey(key) ?? generateKey()))) !== undefined,
    { clock: { ...systemClock, now: () => time } },
  );

describe('an account name', () => {
  it('is accepted wherever an ID is', async () => {
    const { id, key } = await keysJson('create', '--name', 'Alice');
    expect((await keys('set', 'Alice', '--credits', '7')).stdout).toContain(id);
    const rotated = await keysJson('rotate', 'Alice');
    expect([rotated.id, rotated.key === key]).toEqual([id, false]);
    expect((await keys('revoke', 'Alice')).stdout).toContain(id);
    expect(await keysJson('list')).toMatchObject([{ id, credits: 7, state: 'revoked' }]);
  });

  it('is given to a second active account only with --force', async () => {
    const { id } = await keysJson('create', '--name', 'Alice');
    expect(await keys('create', '--name', ' Alice ')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^Account ${id} already has .*--force\\.\n$`)),
    });
    expect(await keysJson('list')).toHaveLength(1);
    await keysJson('create', '--name', 'Alice', '--force');
    expect(await keysJson('list')).toHaveLength(2);
  });

  it('is rejected if several active accounts have it, and their IDs are listed', async () => {
    const first = await keysJson('create', '--name', 'Alice');
    const second = await keysJson('create', '--name', 'Alice', '--force');
    for (const command of [
      ['set', 'Alice', '--credits', '1'],
      ['rotate', 'Alice'],
    ]) {
      const { code, stderr } = await keys(...command);
      expect(code).toBe(1);
      expect(stderr).toContain(first.id);
      expect(stderr).toContain(second.id);
    }
    expect((await keys('revoke', 'Alice')).code).toBe(1);
    await keys('revoke', first.id);
    expect((await keysJson('rotate', 'Alice')).id).toBe(second.id);
  });

  it('can be used again after its account was revoked', async () => {
    const first = await keysJson('create', '--name', 'Alice');
    await keys('revoke', first.id);
    const second = await keysJson('create', '--name', 'Alice');
    expect((await keysJson('rotate', 'Alice')).id).toBe(second.id);
  });

  it('is not mistaken for an account whose ID it is', async () => {
    const { id } = await keysJson('create', '--name', 'Alice');
    await keysJson('create', '--name', id);
    await keys('revoke', id);
    expect(await keysJson('list')).toMatchObject([
      { name: 'Alice', state: 'revoked' },
      { name: id, state: 'active' },
    ]);
  });
});

describe('an expiry', () => {
  it('ends a key at the start of a date, in UTC', async () => {
    const { key } = await keysJson('create', '--name', 'App', '--expires', '2999-02-28');
    const end = Date.UTC(2999, 1, 28);
    expect([await worksAt(key, end - 1), await worksAt(key, end)]).toEqual([true, false]);
    expect((await keys('list')).stdout).toContain(' 2999-02-28 00:00Z ');
  });

  it('ends a key after a number of days', async () => {
    const before = systemClock.now();
    const { key } = await keysJson('create', '--name', 'App', '--expires', '30d');
    const after = systemClock.now();
    expect(await worksAt(key, before + 30 * day - 1)).toBe(true);
    expect(await worksAt(key, after + 30 * day)).toBe(false);
  });

  it('can be set, changed and removed later', async () => {
    const { key } = await keysJson('create', '--name', 'App');
    const expiresAt = async () => (await keysJson('list'))[0].expiresAt;
    expect(await expiresAt()).toBeNull();
    await keys('set', 'App', '--expires', '2999-02-28');
    await keys('set', 'App', '--credits', '3');
    expect(await expiresAt()).toBe('2999-02-28T00:00:00.000Z');
    await keys('set', 'App', '--expires', 'never');
    expect(await expiresAt()).toBeNull();
    expect(await worksAt(key, Date.UTC(3000, 0))).toBe(true);
  });

  it('is shown as the state of an account, once it has passed', async () => {
    await withLedger(storeUrl, (store) =>
      store.create(
        { name: 'App', credits: null, origins: [], expiresAt: systemClock.now() - 1 },
        hashOf(generateKey()),
      ),
    );
    expect((await keys('list')).stdout).toMatch(/ expired$/m);
    expect(await keysJson('list')).toMatchObject([{ state: 'expired' }]);
  });

  it.each(['2020-01-01', '2999-02-30', '0d', '30', '30h', 'soon', '2999-02-28T00:00'])(
    'must be in the future and in a known format: %s',
    async (text) => {
      expect(await keys('create', '--name', 'App', '--expires', text)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^--expires must be [^\n]+\n$/),
      });
    },
  );
});

describe('--json', () => {
  it('prints every field of `list`', async () => {
    const { id } = await keysJson('create', '--name', 'A b', '--origin', 'https://a.example');
    await withLedger(storeUrl, (store) => store.charge(id, 3));
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await keysJson('list')).toEqual([
      {
        id,
        name: 'A b',
        credits: null,
        limit: 10_000,
        createdAt: isoTime,
        lastChargedAt: isoTime,
        expiresAt: null,
        revokedAt: null,
        state: 'active',
        origins: ['https://a.example'],
        documents: null,
        role: null,
        rate: null,
      },
    ]);
  });

  it('prints every field of `usage`', async () => {
    const { id } = await keysJson('create', '--name', 'App', '--credits', '50');
    await withLedger(storeUrl, (store) => store.charge(id, 3));
    const month = new Date(systemClock.now()).toISOString().slice(0, 7);
    expect(await keysJson('usage')).toEqual([{ month, id, name: 'App', used: 3, limit: 50 }]);
  });
});

describe('the help', () => {
  it.each([[['--help']], [['help']]])('explains each command: %j', async (args) => {
    const { code, stdout } = await keys(...args);
    expect(code).toBe(0);
    for (const command of ['create', 'list', 'usage', 'set', 'rotate', 'revoke'])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} +[A-Z].{10}`, 'm'));
  });

  it.each([[['create', '--help']], [['help', 'create']]])(
    'explains each option of a command: %j',
    async (args) => {
      const { code, stdout } = await keys(...args);
      expect(code).toBe(0);
      for (const option of ['name', 'credits', 'origin', 'expires', 'force', 'json'])
        expect(stdout).toMatch(new RegExp(`^ {2}--${option} .*[A-Z].{5}`, 'm'));
    },
  );
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashOf, parseKey, type KeyHash } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { scratch } from '../../support/stores/scratch.ts';
import { runKeys } from '../../support/gateways/command-line.ts';
import { withLedger } from '../../support/stores/ledger.ts';

let folder: string;
let storeUrl: string;

beforeEach(async () => {
  ({ path: folder } = await forThisTest(scratch));
  storeUrl = `sqlite:${join(folder, 'data/gateway.db')}`;
});

describe('the `keys` command', () => {
  it('creates an account and prints its key once; only the hash of the key is stored', async () => {
    const { code, stdout, stderr } = await keys(
      'create',
      '--name',
      'Zoë',
      '--credits',
      '5',
      '--origin',
      'https://a.example/',
    );
    const key = /^key {3}(\S+)$/m.exec(stdout)?.[1] ?? '';
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout.split(key)).toHaveLength(2);
    await withLedger(storeUrl, async (store) => {
      expect(await store.findByHash(hashIn(key))).toMatchObject({
        name: 'Zoë',
        credits: 5,
        origins: ['https://a.example'],
      });
    });
    expect(filesContaining(key)).toEqual([]);
    expect((await keys('list')).stdout).not.toContain(key.slice(4, 20));
  });

  it('says that it has created the store, at which no gateway runs', async () => {
    const created = `There was no store at ${storeUrl}, so it was created. The key works only at a gateway with this STORE_URL.\n`;
    expect(await keys('create', '--name', 'App')).toMatchObject({ code: 0, stderr: created });
    expect(await keys('create', '--name', 'Page')).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints only a JSON object with --json', async () => {
    const created = JSON.parse((await keys('create', '--json', '--name', 'App')).stdout);
    expect(created).toEqual({
      id: expect.any(String),
      name: 'App',
      key: expect.stringMatching(/^rgw_/),
    });
    const rotated = JSON.parse((await keys('rotate', created.id, '--json')).stdout);
    expect(rotated).toEqual({ ...created, key: expect.stringMatching(/^rgw_/) });
    expect(rotated.key).not.toBe(created.key);
  });

  it('creates, rotates and revokes keys while a gateway has the file open', async () => {
    await withLedger(storeUrl, async (store) => {
      const { id, key } = JSON.parse((await keys('create', '--name', 'App', '--json')).stdout);
      expect(await store.charge(id, 3)).toMatchObject({ granted: true });
      const fresh = JSON.parse((await keys('rotate', id, '--json')).stdout).key;
      expect(await store.findByHash(hashIn(key))).toEqual(expect.objectContaining({ id }));
      expect(await store.findByHash(hashIn(fresh))).toEqual(expect.objectContaining({ id }));
      expect((await keys('revoke', id)).code).toBe(0);
      expect(await store.findByHash(hashIn(key))).toBeUndefined();
      expect(await store.findByHash(hashIn(fresh))).toBeUndefined();
    });
  });

  it('does not change the reservations of a running gateway', async () => {
    await withLedger(storeUrl, async (store) => {
      const { id } = JSON.parse((await keys('create', '--name', 'App', '--json')).stdout);
      await store.reserve(id, 7);
      await keys('list');
      expect(await store.balance(id)).toMatchObject({ used: 7 });
    });
  });

  it('lists accounts and their usage', async () => {
    const { id } = JSON.parse(
      (await keys('create', '--name', 'First', '--credits', '50', '--json')).stdout,
    );
    const second = JSON.parse((await keys('create', '--name', 'Second', '--json')).stdout).id;
    await withLedger(storeUrl, async (store) => {
      await store.charge(id, 31);
      await store.revoke(id);
    });
    const day = new Date(systemClock.now()).toISOString().slice(0, 10);
    const listed = (await keys('list')).stdout;
    expect(listed).toMatch(
      new RegExp(`^${id} +First +50 +${day} +${day} \\d\\d:\\d\\dZ +never +revoked ${day}$`, 'm'),
    );
    expect(listed).toMatch(
      new RegExp(`^${second} +Second +10000 \\(free\\) +${day} +- +never +active$`, 'm'),
    );
    const used = (await keys('usage')).stdout;
    expect(used).toMatch(new RegExp(`^${day.slice(0, 7)} +${id} +First +31 +50$`, 'm'));
    expect(used).toMatch(new RegExp(`^${day.slice(0, 7)} +${second} +Second +0 +10000$`, 'm'));
  });

  it('changes the credits and origins of an account, and resets them', async () => {
    const { id, key } = JSON.parse(
      (await keys('create', '--name', 'App', '--credits', '5', '--json')).stdout,
    );
    const account = () => withLedger(storeUrl, async (store) => store.findByHash(hashIn(key)));
    expect(await keys('set', id, '--credits', '70')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/ App +70 /),
    });
    expect(await account()).toMatchObject({ credits: 70, origins: [] });
    await keys('set', id, '--origin', 'https://a.example', '--origin', 'https://b.example/');
    expect(await account()).toMatchObject({
      credits: 70,
      origins: ['https://a.example', 'https://b.example'],
    });
    await keys('set', id, '--credits', 'free', '--origin', 'any');
    expect(await account()).toMatchObject({ credits: null, origins: [] });
  });

  it('gives an account its own rate limit, and the default again', async () => {
    await keys('create', '--name', 'App', '--rate', '60');
    expect((await keys('list')).stdout).toMatch(/ active +60$/m);
    for (const [rate, shown] of [
      ['0', / active +0$/m],
      ['default', / active$/m],
    ] as const) {
      expect(await keys('set', 'App', '--rate', rate)).toMatchObject({ code: 0, stderr: '' });
      expect((await keys('list')).stdout).toMatch(shown);
    }
  });

  it('gives an account the role of an operator, and takes it away', async () => {
    await keys('create', '--name', 'Ops', '--role', 'operator');
    expect((await keys('list')).stdout).toMatch(/ active +operator$/m);
    expect(await keys('set', 'Ops', '--role', 'none')).toMatchObject({ code: 0, stderr: '' });
    expect((await keys('list')).stdout).not.toMatch(/ operator$/m);
  });

  it.each(['--help', '-h'])('prints the usage for %s and exits with 0', async (option) => {
    for (const args of [[option], ['create', option]]) {
      expect(await keys(...args)).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^Usage:/),
        stderr: '',
      });
    }
  });

  it.each([
    [[], 'Missing command.'],
    [['invent'], 'Unknown command "invent".'],
    [['constructor'], 'Unknown command "constructor".'],
    [['usage', 'fe'], 'Unexpected argument "fe".'],
    [['list', '--name', 'App'], 'Unknown option --name.'],
    [['set', 'a', '--json'], 'Unknown option --json.'],
    [['set', 'a'], '`set` requires --credits, --rate, --origin, --expires, --role or --documents.'],
    [['rotate'], 'Missing ACCOUNT.'],
    [['revoke', 'a', 'b'], 'Unexpected argument "b".'],
  ])('prints the error in %j, and how to see the usage', async (args, message) => {
    const { code, stdout, stderr } = await keys(...args);
    expect([code, stdout, stderr.slice(0, message.length)]).toEqual([2, '', message]);
    expect(stderr).toMatch(/--help|requires/);
  });

  it.each([
    [['list']],
    [['usage']],
    [['set', 'a', '--credits', '1']],
    [['rotate', 'a']],
    [['revoke', 'a']],
  ])('does not create a missing store for %j, and names the missing file', async (args) => {
    expect(await keys(...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]+\n$/),
    });
    expect((await keys(...args)).stderr).toContain(storeUrl);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [['create']],
    [['create', '--name', '']],
    [['create', '--name', 'a\nb']],
    [['create', '--name', 'App', 'extra']],
    [['create', '--name', 'App', '--credits', '-1']],
    [['create', '--name', 'App', '--credits', '1.5']],
    [['create', '--name', 'App', '--rate', '-1']],
    [['create', '--name', 'App', '--rate', '1000001']],
    [['create', '--name', 'App', '--rate', 'free']],
    [['create', '--name', 'App', '--origin', 'https://a.example/path']],
    [['create', '--name', 'App', '--origin', 'a.example']],
    [['create', '--name', 'App', '--role', 'admin']],
    [['create', '--name', 'App', '--origin', 'any', '--origin', 'https://a.example']],
    [['list', '--colour']],
  ])('exits with 2 and says what is expected for %j', async (args) => {
    const { code, stdout, stderr } = await keys(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--help|must be/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('exits with 2, and one line, for watches that another version has written', async () => {
    await keys('create', '--name', 'Alice');
    using file = new DatabaseSync(join(folder, 'data/gateway-watches.db'));
    file.exec('PRAGMA user_version = 99');
    const { code, stdout, stderr } = await keys('signing', 'rotate');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^The watches .+ version 99; this gateway supports up to \d+\. Grant .+\n$/,
    );
  });

  it('exits with 2 if STORE_URL is memory:, where keys would be lost', async () => {
    storeUrl = 'memory:';
    expect(await keys('list')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('STORE_URL is memory:'),
    });
  });

  it.each([['set', '--credits', '1'], ['rotate'], ['revoke']])(
    'exits with 1 if the account to %s does not exist',
    async (command, ...options) => {
      await keys('create', '--name', 'App');
      expect(await keys(command, 'missing', ...options)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('"missing"'),
      });
    },
  );
});

const keys = (...args: readonly string[]) => runKeys(storeUrl, args);

function hashIn(text: string): KeyHash {
  const key = parseKey(text);
  if (!key) throw new Error('The text is not a key.');
  return hashOf(key);
}

function filesContaining(secret: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(secret));
}

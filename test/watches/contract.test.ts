import { afterAll, describe, expect, it as base } from 'vitest';
import { generateKey, hashOf } from '../../src/accounts/api-key.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import type { Difference } from '../../src/watches/observation.ts';
import { Problem } from '../../src/domain/problems.ts';
import { DeliveryQueue } from '../../src/watches/webhooks/delivery-queue.ts';
import { newState } from '../../src/watches/name-state.ts';
import { sharedAccount, type Watcher } from '../../src/watches/types.ts';
import { Watches } from '../../src/watches/watches.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { missing, openStores, withoutWebhooks, type StoreKind } from './stores.ts';

const stores = openStores();
afterAll(() => stores[Symbol.asyncDispose]());

const directory: ConstructorParameters<typeof Watches>[0]['directory'] = {
  resolve: ({ suffix }) =>
    suffix === 'unknown'
      ? { problem: new Problem('unsupported_tld', 'No registry is known.') }
      : ({ registry: {}, policy: {} } as never),
};

const kinds: readonly StoreKind[] = ['memory', 'sqlite', 'postgres'];
const day = 24 * 60 * 60 * 1000;

describe.each(kinds)('%s', (kind) => {
  const it = base
    .extend('clock', () => manualClock())
    .extend('database', async ({ skip }, { onCleanup }) => {
      skip(missing(kind) !== undefined, missing(kind));
      const database = await stores.open(kind);
      onCleanup(() => database.close());
      return database;
    })
    .extend('accounts', ({ clock, database }, { onCleanup }) => {
      const accounts = database.accounts({ clock, freeCredits: 100 });
      onCleanup(async () => {
        expect(await accounts.check()).toEqual([]);
        await accounts.close();
      });
      return accounts;
    })
    .extend('watches', async ({ clock, database, accounts }, { onCleanup }) => {
      const options = { ...withoutWebhooks, database, directory, clock, onDue: () => undefined };
      const watches = new Watches({ ...options, ledger: accounts });
      onCleanup(() => watches.stop());
      await watches.changeLog.open();
      return watches;
    })
    .extend('change', ({ clock, database, watches }) => {
      return (name: string, type: Difference['type'] = 'EXPIRY') =>
        database.transaction((query) =>
          watches.changeLog.append(query, name, [differenceAt(clock.now(), type)]),
        );
    })
    .extend('watcher', ({ accounts }) => createWatcher(accounts, 'a'))
    .extend('other', ({ accounts }) => createWatcher(accounts, 'b'));

  it('watches names once, in the order of the entries, with problems', async ({
    watches,
    watcher,
    accounts,
  }) => {
    const entries = ['B.example', 'a.example', 'b.example', 'a..b', 'x.unknown'];
    const rows = await watches.watch(watcher, entries, 'shop');
    expect(
      rows.map(({ domain, problem, label }) => [domain, problem?.code ?? null, label]),
    ).toEqual([
      ['b.example', null, 'shop'],
      ['a.example', null, 'shop'],
      ['b.example', null, 'shop'],
      ['a..b', 'invalid_name', null],
      ['x.unknown', 'unsupported_tld', null],
    ]);
    await Promise.all([
      watches.watch(watcher, ['a.example']),
      watches.watch(watcher, ['c.example'], 'new'),
    ]);
    expect((await accounts.balance(watcher.id)).used).toBe(30);
    const page = await watches.names.list(watcher, { limit: 2 });
    expect(page.items.map(({ domain }) => domain)).toEqual(['a.example', 'b.example']);
    expect(page.hasNext).toBe(true);
    const labelled = await watches.names.list(watcher, {
      label: 'new',
      limit: 9,
      after: 'b.example',
    });
    expect(labelled.items.map(({ domain }) => domain)).toEqual(['c.example']);
  });

  it('watches nothing if the credits do not suffice', async ({ watches, watcher, accounts }) => {
    const names = Array.from({ length: 11 }, (_, index) => `n${index}.example`);
    await expect(watches.watch(watcher, names)).rejects.toMatchObject({
      code: 'insufficient_credits',
      status: 402,
    });
    expect((await watches.names.list(watcher, { limit: 20 })).items).toEqual([]);
    expect((await accounts.balance(watcher.id)).used).toBe(0);
    await watches.watch(watcher, names.slice(1));
    expect((await accounts.balance(watcher.id)).remaining).toBe(0);
    await watches.watch(watcher, ['free.test']);
  });

  it('pays a month once, although watching ends and begins again', async ({
    watches,
    watcher,
    accounts,
  }) => {
    await watches.watch(watcher, ['a.example']);
    expect((await watches.names.unwatch(watcher, ['a.example', '?']))[0]).toMatchObject({
      domain: 'a.example',
      startedAt: null,
    });
    await watches.watch(watcher, ['a.example']);
    expect((await accounts.balance(watcher.id)).used).toBe(10);
  });

  it('lets callers without a key share 100 names', async ({ watches }) => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}.example`);
    await watches.watch(sharedAccount, names);
    await watches.watch(sharedAccount, names);
    await expect(watches.watch(sharedAccount, ['one-more.example'])).rejects.toMatchObject({
      code: 'too_many_watches',
    });
    expect((await watches.names.list(sharedAccount, { limit: 200 })).items).toHaveLength(100);
  });

  it.for<[string, (watches: Watches, watcher: Watcher) => Promise<unknown>]>([
    ['webhooks', ({ webhooks }, watcher) => webhooks.create(watcher, 'https://hook.example/')],
    ['feeds', ({ webhooks }, watcher) => webhooks.createFeed(watcher)],
  ])('lets an account have ten %s', async ([, create], { watches, watcher, other }) => {
    for (let count = 0; count < 10; count += 1) await create(watches, watcher);
    await expect(create(watches, watcher)).rejects.toMatchObject({ code: 'limit_reached' });
    await create(watches, other);
  });

  it('returns the changes since watching began, by name, type and cursor', async ({
    watches,
    watcher,
    other,
    change,
  }) => {
    await watches.watch(other, ['a.example']);
    await change('a.example');
    await watches.watch(watcher, ['a.example', 'b.example']);
    for (const type of ['EXPIRY', 'PHASE', 'DNSSEC'] as const) await change('a.example', type);
    await change('b.example', 'PHASE');
    await change('c.example', 'PHASE');
    const types = async (filter: Parameters<Watches['changes']>[1], of = watcher) =>
      (await watches.changes(of, filter, 10)).items.map(
        ({ domain, type }) => `${domain[0]} ${type}`,
      );
    expect(await types({})).toEqual(['a EXPIRY', 'a PHASE', 'a DNSSEC', 'b PHASE']);
    expect(await types({}, other)).toHaveLength(4);
    expect(await types({ domain: 'a.example', types: ['PHASE', 'DNSSEC'] })).toEqual([
      'a PHASE',
      'a DNSSEC',
    ]);
    const { items, hasNext } = await watches.changes(watcher, {}, 2);
    expect(hasNext).toBe(true);
    expect(await types({ after: items[1]?.id })).toEqual(['a DNSSEC', 'b PHASE']);
    expect(await types({ after: await watches.head() })).toEqual([]);
    await watches.names.unwatch(watcher, ['a.example']);
    await watches.watch(watcher, ['a.example']);
    expect(await types({})).toEqual(['b PHASE']);
  });

  it('expires cursors of other logs and of old changes', async ({
    watches,
    watcher,
    clock,
    change,
  }) => {
    const expired = { code: 'cursor_expired', status: 410 };
    const start = await watches.head();
    await watches.watch(watcher, ['a.example']);
    await change('a.example');
    const first = await watches.head();
    await watches.changeLog.open();
    clock.advance(91 * day);
    await change('a.example');
    await change('a.example');
    const after = (cursor: string) => watches.changes(watcher, { after: cursor }, 9);
    expect((await after(start)).items).toHaveLength(3);
    await watches.changeLog.deleteOld(90);
    const oldest = await watches.changeLog.oldest();
    await expect(after(start)).rejects.toMatchObject({ ...expired, oldest });
    for (const cursor of [first, oldest]) expect((await after(cursor)).items).toHaveLength(2);
    const [log, seq] = (await watches.head()).split('-');
    for (const cursor of [`${log}-${Number(seq) + 1}`, `0123456789-${seq}`, 'x', ''])
      await expect(after(cursor)).rejects.toMatchObject(expired);
  });

  it('follows: replays, then yields new changes in order', async ({
    watches,
    watcher,
    change,
    clock,
  }) => {
    await watches.watch(watcher, ['a.example']);
    await change('a.example', 'PHASE');
    const start = await watches.changeLog.oldest();
    const { signal } = new AbortController();
    const replayed = watches.follow(watcher, { after: start }, signal);
    const live = watches.follow(watcher, { types: ['DNSSEC'] }, signal);
    const next = live.next();
    expect((await replayed.next()).value).toMatchObject({ type: 'PHASE' });
    await clock.whenPending();
    await change('a.example', 'EXPIRY');
    await change('a.example', 'DNSSEC');
    // A change of another node is found by reading.
    const poll = setInterval(() => clock.advance(1000), 5);
    expect((await replayed.next()).value).toMatchObject({ type: 'EXPIRY' });
    expect((await next).value).toMatchObject({ type: 'DNSSEC' });
    clearInterval(poll);
    await watches.stop();
    expect((await live.next()).done).toBe(true);
  });

  it('delivers to webhooks in order, and again after a failure', async ({
    watches,
    watcher,
    other,
    change,
    clock,
    database,
  }) => {
    const { webhooks } = watches;
    const queue = new DeliveryQueue(database, clock, watches.changeLog);
    await watches.watch(watcher, ['a.example', 'b.example']);
    await change('a.example', 'PHASE');
    const { secret, ...hook } = await webhooks.create(
      watcher,
      'https://hook.example/',
      ['EXPIRY'],
      await watches.changeLog.oldest(),
    );
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(await webhooks.list(watcher)).toEqual([hook]);
    await change('a.example');
    await change('b.example');
    const [first, none] = await queue.claim(9);
    expect(first?.change.domain).toBe('a.example');
    expect(first?.secrets).toEqual([secret]);
    expect(none).toBeUndefined();
    expect(await queue.claim(9)).toEqual([]);
    if (!first) throw new Error('no delivery');
    await queue.failed(first, 'HTTP 500', clock.now() + 5000);
    expect((await webhooks.list(watcher))[0]).toMatchObject({
      failingSince: clock.now(),
      lastProblem: 'HTTP 500',
    });
    clock.advance(5000);
    const [again] = await queue.claim(9);
    expect([again?.change.id, again?.attempts]).toEqual([first.change.id, 1]);
    if (again) await queue.delivered(again);
    const [second] = await queue.claim(9);
    expect(second?.change.domain).toBe('b.example');
    if (second) await queue.failed(second, 'HTTP 410', undefined);
    clock.advance(day);
    expect(await queue.claim(9)).toEqual([]);
    const { id } = hook;
    const rotated = await webhooks.update(watcher, id, {
      after: first.change.id,
      types: [],
      rotateSecret: true,
    });
    expect([rotated.isDisabled, rotated.types, rotated.failingSince]).toEqual([false, [], null]);
    const [replay] = await queue.claim(9);
    expect(replay?.change.domain).toBe('b.example');
    expect(replay?.secrets).toEqual([rotated.secret, secret]);
    await watches.names.unwatch(watcher, ['b.example']);
    clock.advance(day);
    expect(await queue.claim(9)).toEqual([]);
    await expect(webhooks.delete(other, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(webhooks.update(other, id, {})).rejects.toMatchObject({ code: 'not_found' });
    await webhooks.delete(watcher, id);
    expect(await webhooks.list(watcher)).toEqual([]);
  });

  it('stores only the hashes of feeds, and ends what a revoked key has', async ({
    watches,
    watcher,
    other,
    database,
  }) => {
    const { id, token } = await watches.webhooks.createFeed(watcher);
    expect(await watches.webhooks.accountOfFeed(token)).toBe(watcher.id);
    expect(JSON.stringify(await database.query('SELECT * FROM feeds'))).not.toContain(token);
    await expect(watches.webhooks.deleteFeed(other, id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await watches.watch(watcher, ['a.example']);
    await watches.names.endAccount(watcher.id);
    expect(await watches.webhooks.accountOfFeed(token)).toBeUndefined();
    expect((await watches.names.list(watcher, { limit: 1 })).items).toEqual([]);
    expect(await database.query('SELECT name FROM watched_names')).toEqual([]);
  });

  it('rolls back what rejects', async ({ database }) => {
    const failing = database.transaction(async (query) => {
      await query('INSERT INTO watched_names (name, next_look, state) VALUES ($1, 1, $2)', [
        'a',
        JSON.stringify(newState(1)),
      ]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(database.query('SELECT nothing')).rejects.toThrow();
    expect(await database.query('SELECT * FROM watched_names')).toEqual([]);
  });
});

function differenceAt(now: number, type: Difference['type']): Difference {
  return { type, notBefore: now - 1, seenAt: now, before: {}, after: {}, evidence: null };
}

async function createWatcher(accounts: AccountStore, name: string): Promise<Watcher> {
  const plan = { name, credits: null, origins: [] };
  return { id: (await accounts.create(plan, hashOf(generateKey()))).id, isMetered: true };
}

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { generateKey, hashOf } from '../../src/accounts/api-key.ts';
import { createAnswer, failedAnswer, type Answer } from '../../src/domain/answer.ts';
import { Problem } from '../../src/domain/problems.ts';
import type { Registration } from '../../src/domain/registration.ts';
import type { SourceInfo } from '../../src/domain/source.ts';
import { createLog } from '../../src/log.ts';
import type { SqlDatabase } from '../../src/shared/sql-database.ts';
import { memoryAccounts } from '../../src/storage/sqlite/accounts.ts';
import { HostSlots } from '../../src/watches/host-slots.ts';
import { Observer } from '../../src/watches/observer.ts';
import { sharedAccount, type Watcher } from '../../src/watches/types.ts';
import { Watches } from '../../src/watches/watches.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { missing, openStores, withoutWebhooks } from './stores.ts';

const stores = openStores();
afterAll(() => stores[Symbol.asyncDispose]());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
type Node = Awaited<ReturnType<World['node']>>;
type Truth = 'free' | 'down' | 'busy' | Partial<Registration>;

/** Registries and zones that answer with the truth that a test sets, by name. */
class World {
  /** How far the clock was set back. */
  setBackMs = 0;
  readonly #time = manualClock();
  readonly clock = { ...this.#time, now: () => this.#time.now() - this.setBackMs };
  accounts = memoryAccounts({ clock: this.clock, freeCredits: 20 });
  readonly truth = new Map<string, Truth>();
  /** The names that were looked at, in order. */
  readonly records: string[] = [];
  readonly zones: string[] = [];
  readonly endpoint = 'https://rdap.example/';

  readonly directory = {
    resolve: () => ({
      policy: { kind: 'OPEN' } as const,
      registry: {
        id: this.endpoint,
        sources: [
          { kind: 'rdap', endpoint: this.endpoint, provesAvailable: true },
          { kind: 'dns', endpoint: null, provesAvailable: false },
        ] satisfies SourceInfo[],
        readCache: async () => new Map(),
        lookup: async ({ name }: { name: { ascii: string } }) => {
          this.records.push(name.ascii);
          return this.#answer(name.ascii);
        },
      },
    }),
  };

  readonly zone = {
    lookup: async ({ name }: { name: { ascii: string } }) => {
      this.zones.push(name.ascii);
      const delegation = this.truth.get(name.ascii) === 'free' ? 'absent' : 'delegated';
      return createAnswer({ verdict: 'REGISTERED' } as const, { delegation });
    },
  };

  /** Starts a node on a database. */
  async node(database: SqlDatabase, { intervalMs = 0 } = {}) {
    const { clock, accounts, directory } = this;
    const options = { database, directory, clock };
    const watches = new Watches({
      ...withoutWebhooks,
      ...options,
      ledger: accounts,
      onDue: () => observer.wake(),
    });
    const observer: Observer = new Observer({
      ...options,
      changes: watches.changeLog,
      names: watches.names,
      accounts,
      zone: this.zone,
      dnsFirst: true,
      slots: new HostSlots(() => intervalMs, clock),
      changeDays: 90,
      log: createLog('silent'),
    });
    await watches.changeLog.open();
    return { watches, observer };
  }

  async account(): Promise<Watcher> {
    const plan = { name: 'a', credits: null, origins: [] };
    return { id: (await this.accounts.create(plan, hashOf(generateKey()))).id, isMetered: true };
  }

  /** Passes time in rounds of ten seconds, or in larger steps, in which the nodes look at names. */
  async pass(ms: number, step: number, ...nodes: readonly { observer: Observer }[]): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      this.clock.advance(step);
      for (const { observer } of nodes) observer.wake();
      for (const { observer } of nodes) await observer.idle();
    }
  }

  #answer(name: string): Answer {
    const truth = this.truth.get(name) ?? {};
    const provenance = { endpoint: this.endpoint, checkedAt: this.clock.now() };
    if (truth === 'down' || truth === 'busy')
      return failedAnswer(new Problem('registry_error', 'down'), { ...provenance, failure: truth });
    if (truth === 'free') return createAnswer({ verdict: 'AVAILABLE' }, provenance);
    const registration: Registration = {
      hosts: [],
      statuses: ['active'],
      contacts: [],
      events: [],
      redacted: [],
      dnssec: { dsRecords: [] },
      ...truth,
    };
    return createAnswer({ verdict: 'REGISTERED', registration: () => registration }, provenance);
  }
}

async function typesOf(watches: Watches, watcher: Watcher = sharedAccount) {
  const { items } = await watches.changes(watcher, {}, 1000);
  return items.map(({ domain, type }) => `${domain} ${type}`);
}

describe('the observer', () => {
  it('looks at a stable name as often as the table says', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'));
    await node.watches.watch(sharedAccount, ['a.example']);
    await node.observer.idle();
    expect([world.records, world.zones]).toEqual([['a.example'], []]);
    await world.pass(28 * day, 30 * minute, node);
    expect(world.records.length).toBe(5);
    expect(world.zones.length).toBe(28 - 4);
    expect(await typesOf(node.watches)).toEqual([]);
    await node.observer.stop();
  });

  it('asks the registry at once if the delegation has changed', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'));
    await node.watches.watch(sharedAccount, ['a.example']);
    await world.pass(2 * day, 30 * minute, node);
    world.truth.set('a.example', 'free');
    await world.pass(day + 30 * minute, 10 * minute, node);
    expect(await typesOf(node.watches)).toEqual(['a.example AVAILABLE']);
    await node.observer.stop();
  });

  it('looks at all names that are due, however many, before the next round', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'));
    // More than the 64 that are looked at together.
    const names = Array.from({ length: 100 }, (_, index) => `n${index}.example`);
    await node.watches.watch(sharedAccount, names);
    await node.observer.idle();
    expect(new Set(world.records)).toEqual(new Set(names));
    await node.observer.stop();
  });

  it('looks at names of the sandbox every ten seconds', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'));
    await node.watches.watch(sharedAccount, ['dropping.test']);
    const seen: string[] = [];
    for (let odd = 0; odd < 4; odd++) {
      world.truth.set('dropping.test', odd % 2 === 0 ? 'free' : {});
      await world.pass(minute, 10_000, node);
      seen.push(...(await typesOf(node.watches)).slice(seen.length));
    }
    expect(seen.map((each) => each.split(' ')[1])).toEqual([
      'REGISTERED',
      'AVAILABLE',
      'REGISTERED',
    ]);
    await node.observer.stop();
  });

  it('reports an outage once, and stops spending requests', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'));
    await node.watches.watch(sharedAccount, ['a.test', 'b.example']);
    await node.observer.idle();
    for (const name of ['a.test', 'b.example']) world.truth.set(name, 'down');
    await world.pass(2 * 60 * minute, 10_000, node);
    expect(await typesOf(node.watches)).toEqual(['a.test WITHOUT_VERDICT']);
    world.truth.clear();
    await world.pass(minute, 10_000, node);
    expect(await typesOf(node.watches)).toEqual(['a.test WITHOUT_VERDICT', 'a.test VERDICT_BACK']);
    await node.observer.stop();
  });

  it('looks at names and finds changes although the clock was set back by a year', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'), { intervalMs: 1000 });
    const names = Array.from({ length: 60 }, (_, index) => `n${index}.example`);
    await node.watches.watch(sharedAccount, [...names, 'a.test']);
    await node.observer.idle();
    world.truth.set('a.test', 'free');
    await world.pass(10_000, 10_000, node);
    world.records.length = 0;
    world.zones.length = 0;
    world.setBackMs = 365 * day;
    await world.pass(3 * minute, 10_000, node);
    // Those that waited for a slot of the host.
    expect(new Set(world.records).size).toBeGreaterThan(30);
    expect(new Set([...world.records, ...world.zones])).toEqual(new Set([...names, 'a.test']));
    expect(await typesOf(node.watches)).toEqual(['a.test AVAILABLE']);
    await node.observer.stop();
  });

  it('spreads the looks at a host, and slows down after a 429', async () => {
    const world = new World();
    const node = await world.node(await stores.open('memory'), { intervalMs: 1000 });
    const names = Array.from({ length: 60 }, (_, index) => `n${index}.example`);
    await node.watches.watch(sharedAccount, names);
    await node.observer.idle();
    expect(world.records.length).toBe(10);
    await world.pass(minute, 10_000, node);
    expect(world.records.length).toBeLessThanOrEqual(70);
    expect(new Set(world.records).size).toBe(60);
    for (const name of names) world.truth.set(name, 'busy');
    world.records.length = 0;
    await world.pass(8 * day, 30 * minute, node);
    await node.observer.stop();
    expect(world.records.length).toBeGreaterThan(0);
  });

  it('looks again at what a process has claimed that died', async () => {
    const world = new World();
    const database = await stores.open('sqlite');
    const node = await world.node(database);
    await node.watches.watch(sharedAccount, ['a.example']);
    await node.observer.idle();
    world.truth.set('a.example', { registrar: { ianaId: '2' }, updatedAt: '2026-11-22T00:00:00Z' });
    await database.query('UPDATE watched_names SET next_look = $1', [
      world.clock.now() + 2 * minute,
    ]);
    await node.observer.stop();
    await database.close();
    const again = await world.node(await stores.open('sqlite', true));
    await world.pass(minute, 10_000, again);
    expect(world.records).toHaveLength(1);
    await world.pass(2 * minute, 10_000, again);
    expect(world.records).toHaveLength(1);
    expect(world.zones).toHaveLength(1);
    await again.observer.stop();
  });

  it.skipIf(missing('postgres'))(
    'never looks at a name twice, on three nodes',
    async () => {
      const world = new World();
      const databases = [await stores.open('postgres')];
      databases.push(await stores.open('postgres', true), await stores.open('postgres', true));
      const nodes = await Promise.all(databases.map((database) => world.node(database)));
      const names = Array.from({ length: 90 }, (_, index) => `n${index}.test`);
      await nodes[0]?.watches.watch(sharedAccount, names);
      for (const { observer } of nodes) observer.wake();
      for (const { observer } of nodes) await observer.idle();
      expect(world.records.toSorted()).toEqual(names.toSorted());
      await world.pass(10_000, 10_000, ...nodes);
      expect(world.records).toHaveLength(180);
      for (const { observer } of nodes) await observer.stop();
      for (const database of databases) await database.close();
    },
    60_000,
  );
});

const used = async ({ accounts }: World) =>
  (await accounts.usage()).map(({ month, used: sum }) => `${month} ${sum}`);
const problems = async ({ watches }: Node, watcher: Watcher) =>
  (await watches.names.list(watcher, { limit: 9 })).items.map(
    ({ problem }) => problem?.code ?? null,
  );

describe.each(['memory', 'postgres'] as const)('the price of watches, %s', (kind) => {
  beforeEach((context) => context.skip(missing(kind) !== undefined, missing(kind)));

  type Test = (world: World, node: Node, watcher: Watcher) => Promise<void>;
  const withNode = async (test: Test) => {
    await using parts = new AsyncDisposableStack();
    const world = new World();
    const database = parts.adopt(await stores.open(kind), (open) => open.close());
    const options = { clock: world.clock, freeCredits: 20 };
    world.accounts = parts.adopt(database.accounts(options), (open) => open.close());
    const node = await world.node(database);
    parts.defer(() => node.observer.stop());
    await test(world, node, await world.account());
    expect(await world.accounts.check()).toEqual([]);
  };
  const cases: Record<string, Test> = {
    'is taken each month with the first look, refunded without a verdict, and pauses a watch':
      async (world, node, watcher) => {
        world.truth.set('b.example', 'down');
        await node.watches.watch(watcher, ['a.example', 'b.example', 'free.test']);
        await node.observer.idle();
        expect(await used(world)).toEqual(['2026-11 20']);
        await world.pass(12 * day, 6 * hour, node);
        expect(await used(world)).toEqual(['2026-12 20', '2026-11 10']);
        await world.accounts.change(watcher.id, { credits: 10 });
        world.truth.clear();
        await world.pass(31 * day, 6 * hour, node);
        expect((await used(world))[0]).toBe('2027-01 10');
        expect((await problems(node, watcher)).toSorted()).toEqual([
          'insufficient_credits',
          null,
          null,
        ]);
        await world.accounts.change(watcher.id, { credits: 20 });
        await world.pass(day, 6 * hour, node);
        expect(await problems(node, watcher)).toEqual([null, null, null]);
        expect((await used(world))[0]).toBe('2027-01 20');
      },
    'is taken once for each month, although the clock of the next node is behind': async (
      world,
      node,
      watcher,
    ) => {
      await node.watches.watch(watcher, ['a.example']);
      await world.pass(14 * day, 6 * hour, node);
      const once = ['2026-12 10', '2026-11 10'];
      expect(await used(world)).toEqual(once);
      world.setBackMs = 10 * day;
      await node.watches.watch(watcher, ['a.example'], 'again');
      await world.pass(14 * day, 6 * hour, node);
      expect(await used(world)).toEqual(once);
    },
    'is refunded once for a month without a verdict, although watching ended': async (
      world,
      node,
      watcher,
    ) => {
      world.truth.set('b.example', 'down');
      await node.watches.watch(watcher, ['a.example', 'b.example']);
      await node.observer.idle();
      await node.watches.names.unwatch(watcher, ['a.example', 'b.example']);
      await world.pass(12 * day, 6 * hour, node);
      expect(await used(world)).toEqual(['2026-11 10']);
    },
    'is refunded for the last month of a revoked key': async (world, node, watcher) => {
      world.truth.set('b.example', 'down');
      await node.watches.watch(watcher, ['b.example']);
      await world.accounts.revoke(watcher.id);
      await world.pass(12 * day, 6 * hour, node);
      expect(await used(world)).toEqual(['2026-11 0']);
    },
    'ends with the key that is revoked': async (world, node, watcher) => {
      await node.watches.watch(watcher, ['a.example']);
      await node.observer.idle();
      await world.accounts.revoke(watcher.id);
      await world.pass(minute, 10_000, node);
      expect(await problems(node, watcher)).toEqual([]);
    },
    'ends with the key that expires': async (world, node, watcher) => {
      await node.watches.watch(watcher, ['a.example']);
      await world.accounts.change(watcher.id, { expiresAt: world.clock.now() + 90_000 });
      await world.pass(minute, 10_000, node);
      expect(await problems(node, watcher)).toEqual([null]);
      await world.pass(2 * minute, 10_000, node);
      expect(await problems(node, watcher)).toEqual([]);
      world.records.length = 0;
      await world.pass(10 * day, 6 * hour, node);
      expect(world.records).toEqual([]);
    },
  };
  it.each(Object.entries(cases))('%s', { timeout: 60_000 }, (_, test) => withNode(test));
});

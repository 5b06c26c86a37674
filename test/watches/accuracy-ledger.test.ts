import { afterAll, describe, expect, it } from 'vitest';
import type { Accuracy, AccuracySample } from '../../src/domain/accuracy.ts';
import { createAnswer, failedAnswer } from '../../src/domain/answer.ts';
import { Problem } from '../../src/domain/problems.ts';
import type { DomainName } from '../../src/domain/names/domain-name.ts';
import type { Registration } from '../../src/domain/registration.ts';
import { createLog } from '../../src/log.ts';
import type { SqlDatabase } from '../../src/shared/sql-database.ts';
import { AccuracyLedger } from '../../src/watches/accuracy-ledger.ts';
import { HostSlots } from '../../src/watches/host-slots.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { seededRandom } from '../support/time/random.ts';
import { missing, openStores } from './stores.ts';

const stores = openStores();
afterAll(() => stores[Symbol.asyncDispose]());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const old = '2001-02-03T04:05:06Z';
type Truth = 'free' | 'busy' | 'down' | { readonly createdAt?: string };

/** Registries, one per TLD, that say what a test sets. Time passes only when the test says so. */
class World {
  readonly clock = manualClock();
  readonly random = seededRandom(1);
  /** The names that were looked at, in order. */
  readonly looks: string[] = [];
  truthOf: (name: string) => Truth = () => 'free';

  node(database: SqlDatabase, { share = 1, intervalMs = 0, isDated = true } = {}) {
    const { clock } = this;
    const slots = new HostSlots(() => intervalMs, clock);
    const sample: AccuracySample = { rows: [] };
    const ledger = new AccuracyLedger({
      share,
      sample,
      isDated: () => isDated,
      database,
      directory: { resolve: ({ ascii }) => this.#resolve(ascii) },
      slots,
      random: () => this.random.below(1_000_000) / 1_000_000,
      clock,
      log: createLog('silent'),
    });
    ledger.start();
    return {
      ledger,
      slots,
      answer: (name: string) => sample.take?.(name as DomainName, clock.now()),
      rows: (): readonly Accuracy[] => sample.rows,
    };
  }

  /** Passes time, in which nodes judge what is due after each step. */
  async pass(ms: number, step: number, ...nodes: readonly { ledger: AccuracyLedger }[]) {
    for (let passed = 0; passed < ms; passed += step) {
      for (const { ledger } of nodes) await ledger.idle();
      this.clock.advance(step);
      for (const { ledger } of nodes) await ledger.idle();
    }
  }

  #resolve(name: DomainName) {
    const endpoint = `https://rdap.${name.split('.')[1]}/`;
    return {
      policy: { kind: 'OPEN' } as const,
      registry: {
        id: endpoint,
        sources: [{ kind: 'rdap', endpoint, provesAvailable: true } as const],
        readCache: async () => new Map(),
        lookup: async () => {
          this.looks.push(name);
          const truth = this.truthOf(name);
          const provenance = { endpoint, checkedAt: this.clock.now() };
          if (truth === 'free') return createAnswer({ verdict: 'AVAILABLE' } as const, provenance);
          if (typeof truth === 'string')
            return failedAnswer(new Problem('registry_error', truth), {
              ...provenance,
              failure: truth,
            });
          const registration: Registration = {
            hosts: [],
            statuses: ['active'],
            contacts: [],
            events: [],
            redacted: [],
            dnssec: { dsRecords: [] },
            ...truth,
          };
          return createAnswer(
            { verdict: 'REGISTERED', registration: () => registration } as const,
            provenance,
          );
        },
      },
    };
  }
}

describe.each(['memory', 'sqlite', 'postgres'] as const)('the ledger in %s', (kind) => {
  it.skipIf(missing(kind))('has each answer judged twice, by one of two nodes', async () => {
    const world = new World();
    const database = await stores.open(kind);
    const nodes = [world.node(database), world.node(database)] as const;
    const names = Array.from({ length: 40 }, (_, index) => `name${index}.shop`);
    for (const name of names) nodes[0].answer(name);
    await world.pass(hour - minute, hour - minute, ...nodes);
    expect(world.looks.length).toBe(0);
    await world.pass(2 * minute, 10_000, ...nodes);
    expect(world.looks.toSorted()).toEqual(names.toSorted());

    // A node that stops leaves its looks to the others.
    await nodes[0].ledger.stop();
    const restarted = world.node(database);
    world.truthOf = (name) => (name === names[3] ? { createdAt: old } : 'free');
    await world.pass(day, 10 * minute, nodes[1], restarted);
    expect(world.looks.length).toBe(80);
    const since = world.clock.now() - day - hour - minute;
    expect(restarted.rows()).toMatchObject([{ tld: 'shop', sampled: 40, contradicted: 1 }]);
    expect(Math.abs((restarted.rows()[0]?.since ?? 0) - since)).toBeLessThan(hour);
    await nodes[1].ledger.stop();
    await restarted.ledger.stop();
    await database.close();
  });
});

describe('the ledger', () => {
  const start = Date.UTC(2026, 10, 21);
  it.each<[string, Truth, Partial<Accuracy> | undefined]>([
    ['an older registration', { createdAt: old }, { sampled: 1, contradicted: 1 }],
    ['a later one', { createdAt: new Date(start + minute).toISOString() }, { contradicted: 0 }],
    ['the day of the answer', { createdAt: '2026-11-21T00:00:00Z' }, { contradicted: 0 }],
    ['a registration without a date', {}, undefined],
    ['no answer', 'down', undefined],
  ])('judges %s', async (_case, truth, expected) => {
    const world = new World();
    const database = await stores.open('memory');
    const node = world.node(database);
    world.clock.advance(1000);
    world.truthOf = () => truth;
    node.answer('name.shop');
    await world.pass(3 * day, 10 * minute, node);
    expect(node.rows()).toEqual(expected ? [expect.objectContaining(expected)] : []);
    const left = await database.query('SELECT name FROM accuracy_looks');
    expect(left).toEqual([]);
    await node.ledger.stop();
  });

  it('takes nothing of TLDs that publish no dates, and of the sandbox', async () => {
    const world = new World();
    const database = await stores.open('memory');
    world.node(database).answer('name.test');
    const undated = world.node(database, { isDated: false });
    undated.answer('name.shop');
    await world.pass(2 * hour, hour, undated);
    expect(world.looks).toEqual([]);
  });

  it('leaves the requests of a host to watches while one waits', async () => {
    const world = new World();
    const node = world.node(await stores.open('memory'), { intervalMs: minute });
    node.answer('name.shop');
    await world.pass(hour - 10_000, hour - 10_000, node);
    const takeForWatch = () => node.slots.take('https://rdap.shop/');
    expect([takeForWatch(), takeForWatch()]).toEqual([world.clock.now(), expect.anything()]);
    await world.pass(minute, 10_000, node);
    expect(world.looks).toEqual([]);
    await world.pass(5 * minute, 10_000, node);
    expect(world.looks).toEqual(['name.shop']);
    await node.ledger.stop();
  });

  it('finds every loss of more than 1 % of a TLD in the samples of its first day', async () => {
    const world = new World();
    const { clock, random } = world;
    const begin = clock.now();
    const node = world.node(await stores.open('memory'), { share: 0.5, intervalMs: 400 });
    const tlds = Array.from({ length: 12 }, (_, index) => ({
      tld: `tld${index}`,
      // Every third registry loses nothing; the others lose 1.1 % and more for one to six hours.
      share: index % 3 === 0 ? 0 : 0.011 + index * 0.004,
      hours: 1 + (index % 6),
    }));
    let wrong = 0;
    world.truthOf = (name) => {
      const [, number = '', kind] = /^n\d+-(\d+)(lost)?\./.exec(name) ?? [];
      return kind && clock.now() - begin > Number(number) ? { createdAt: old } : 'free';
    };
    for (let at = 0; at < 2 * day + hour; at += minute) {
      if (at < day)
        for (const { tld, share, hours } of tlds) {
          const isLost = random.below(1_000_000) < share * 1_000_000;
          wrong += Number(isLost);
          node.answer(`n${at}-${isLost ? `${at + hours * hour}lost` : '0'}.${tld}`);
        }
      await world.pass(minute, minute, node);
    }
    expect(wrong).toBeGreaterThan(100);
    for (const { tld, share } of tlds) {
      const row = node.rows().find((each) => each.tld === tld);
      expect(row?.sampled).toBeGreaterThan(600);
      expect(share === 0).toBe(row?.contradicted === 0);
    }
    await node.ledger.stop();
  }, 60_000);
});

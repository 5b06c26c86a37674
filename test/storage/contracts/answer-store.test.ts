import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it as base } from 'vitest';
import type { StoredAnswer } from '../../../src/domain/answer.ts';
import { replaces, type AnswerStore } from '../../../src/registries/cache/store.ts';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { createLog } from '../../../src/log.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { PostgresAnswers } from '../../../src/storage/postgres/answers.ts';
import { openPostgresDatabase, type Database } from '../../../src/storage/postgres/database.ts';
import { SqliteAnswers } from '../../../src/storage/sqlite/answers.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import {
  alpha,
  answerWithText,
  beta,
  availableAnswer,
  delta,
  epsilon,
  gamma,
  registeredAnswer,
  verdictOf,
  withoutRecord,
} from './sample-answers.ts';

const folder = mkdtempSync(join(tmpdir(), 'answers-'));
const log = createLog('silent');
const cleanup = new AsyncDisposableStack();
let opened = 0;
let database: Database;
beforeAll(async () => {
  if (postgresMissing) return;
  database = cleanup.adopt(
    await openPostgresDatabase(await sharedPostgres.database(), log, 10_000),
    (connected) => connected.close(),
  );
});
afterAll(async () => {
  await cleanup.disposeAsync();
  rmSync(folder, { recursive: true });
});

/** Each opens an empty store. */
const open = {
  memory: async () => new MemoryAnswers(),
  sqlite: async () => new SqliteAnswers(join(folder, `${opened++}.db`), log),
  postgres: async () => {
    await database.rows('TRUNCATE answers, notes');
    return new PostgresAnswers(database, log);
  },
};

describe.each(Object.keys(open) as (keyof typeof open)[])('%s answer store', (kind) => {
  beforeEach(({ skip }) =>
    skip(kind === 'postgres' && postgresMissing !== undefined, postgresMissing),
  );

  // Vitest reads from the first parameter which fixtures this one uses.
  // oxlint-disable-next-line no-empty-pattern
  const it = base.extend('store', async ({}, { onCleanup }) => {
    const store = await open[kind]();
    onCleanup(() => store.close());
    return store;
  });

  it('reads several names at once, and omits those that are not stored', async ({ store }) => {
    await Promise.all([
      store.putAnswer(availableAnswer(alpha, 1)),
      store.putAnswer(registeredAnswer(beta, 2)),
    ]);
    expect(await store.getAnswers([alpha, gamma, beta, alpha], 'registration')).toEqual(
      mapOf(availableAnswer(alpha, 1), registeredAnswer(beta, 2)),
    );
    expect(await store.getAnswers([], 'registration')).toEqual(new Map());
  });

  it('omits the registrations if only verdicts are read, and still stores them', async ({
    store,
  }) => {
    await Promise.all([
      store.putAnswer(registeredAnswer(alpha, 1)),
      store.putAnswer(availableAnswer(beta, 2)),
    ]);
    for (let time = 0; time < 2; time++) {
      expect(await store.getAnswers([alpha, beta], 'verdict')).toEqual(
        mapOf(verdictOf(registeredAnswer(alpha, 1)), verdictOf(availableAnswer(beta, 2))),
      );
    }
    expect(await store.getAnswers([alpha, beta], 'registration')).toEqual(
      mapOf(registeredAnswer(alpha, 1), availableAnswer(beta, 2)),
    );
  });

  it("returns the registry's object unchanged, including unusual keys and characters", async ({
    store,
  }) => {
    const raw = JSON.parse(
      '{"__proto__":{"a":1},"nul":"\\u0000","half":"\\ud800","deep":[[[{"":null}]]],"ü😀":1e300}',
    );
    await store.putAnswer(registeredAnswer(alpha, 1, `O'Neill "“😀`, raw));
    const [answer] = (await store.getAnswers([alpha], 'registration')).values();
    expect(JSON.stringify(answer?.registration?.().raw)).toBe(JSON.stringify(raw));
    expect(answer).toEqual(registeredAnswer(alpha, 1, `O'Neill "“😀`, raw));
  });

  it('stores and reads 500 names concurrently', async ({ store }) => {
    const answers = Array.from({ length: 500 }, (_, index) =>
      registeredAnswer(parseDomainName(`name-${index}.example`), index),
    );
    await Promise.all(answers.map((answer) => store.putAnswer(answer)));
    expect(
      await store.getAnswers(
        answers.map(({ name }) => name),
        'registration',
      ),
    ).toEqual(mapOf(...answers));
  });

  it('returns an answer as soon as it is put, before it is written', async ({ store }) => {
    const written = store.putAnswer(availableAnswer(alpha, 1));
    expect(await store.getAnswers([alpha], 'registration')).toEqual(
      mapOf(availableAnswer(alpha, 1)),
    );
    await written;
  });

  it('never replaces a newer answer with an older one', async ({ store }) => {
    await store.putAnswer(registeredAnswer(alpha, 20));
    await store.putAnswer(availableAnswer(alpha, 10));
    await Promise.all([
      store.putAnswer(registeredAnswer(beta, 20)),
      store.putAnswer(availableAnswer(beta, 10)),
    ]);
    expect(await store.getAnswers([alpha, beta], 'registration')).toEqual(
      mapOf(registeredAnswer(alpha, 20), registeredAnswer(beta, 20)),
    );
  });

  it('prefers another verdict to AVAILABLE within a minute, as clocks of nodes may differ', async ({
    store,
  }) => {
    for (const answer of [
      availableAnswer(alpha, 50_000),
      registeredAnswer(alpha, 10_000),
      registeredAnswer(beta, 50_000),
      availableAnswer(beta, 10_000),
    ])
      await store.putAnswer(answer);
    for (const answer of [availableAnswer(gamma, 70_001), registeredAnswer(gamma, 10_001)])
      await store.putAnswer(answer);
    expect(await store.getAnswers([alpha, beta, gamma], 'registration')).toEqual(
      mapOf(
        registeredAnswer(alpha, 10_000),
        registeredAnswer(beta, 50_000),
        registeredAnswer(gamma, 10_001),
      ),
    );
    await Promise.all([
      store.putAnswer(registeredAnswer(alpha, 20_000)),
      store.putAnswer(availableAnswer(alpha, 80_000)),
      store.putAnswer(registeredAnswer(alpha, 30_000)),
    ]);
    expect(await store.getAnswers([alpha], 'registration')).toEqual(
      mapOf(registeredAnswer(alpha, 30_000)),
    );
    await store.putAnswer(availableAnswer(alpha, 90_000));
    expect(await store.getAnswers([alpha], 'registration')).toEqual(
      mapOf(availableAnswer(alpha, 90_000)),
    );
  });

  it('deletes only answers and records from before a time', async ({ store }) => {
    await Promise.all([
      store.putAnswer(registeredAnswer(alpha, 9)),
      store.putAnswer(registeredAnswer(beta, 19)),
      store.putAnswer(registeredAnswer(gamma, 20)),
      store.putAnswer(answerWithText(delta, 19, 'Ada')),
      store.putAnswer(answerWithText(epsilon, 20, 'Ada')),
    ]);
    await store.deleteExpired(10, 20);
    const names = [alpha, beta, gamma, delta, epsilon];
    expect(await store.getAnswers(names, 'registration')).toEqual(
      mapOf(
        withoutRecord(registeredAnswer(beta, 19)),
        registeredAnswer(gamma, 20),
        withoutRecord(answerWithText(delta, 19, 'Ada')),
        answerWithText(epsilon, 20, 'Ada'),
      ),
    );
  });

  it('deletes AVAILABLE answers after a time if any answer is of the future', async ({
    store,
    skip,
  }) => {
    const { deleteUndated }: AnswerStore = store;
    if (!deleteUndated) return skip('It ends with its process.');
    await Promise.all([
      store.putAnswer(availableAnswer(alpha, 10)),
      store.putAnswer(availableAnswer(beta, 11)),
      store.putAnswer(registeredAnswer(gamma, 21)),
      store.putAnswer(availableAnswer(delta, 21)),
    ]);
    const names = async () =>
      Array.from((await store.getAnswers([alpha, beta, gamma, delta], 'verdict')).keys());
    await deleteUndated.call(store, 10, 21);
    expect(await names()).toHaveLength(4);
    await deleteUndated.call(store, 10, 20);
    await store.deleteExpired(0, 0);
    expect(await names()).toEqual([alpha, gamma]);
  });

  it('deletes records although one is not valid JSON, and serves other requests meanwhile', async ({
    store,
  }) => {
    const names = Array.from({ length: 45 }, (_, index) =>
      parseDomainName(`name-${index}.example`),
    );
    await Promise.all([
      store.putAnswer({ ...answerWithText(alpha, 1, 'Ada'), objectText: () => '{' }),
      ...names.map((name) => store.putAnswer(answerWithText(name, 1, 'Ada'))),
    ]);
    const deletion = { isDone: false, turns: 0 };
    const deleted = store.deleteExpired(0, 10).finally(() => (deletion.isDone = true));
    for (; !deletion.isDone; deletion.turns += 1) await nextTurn();
    await deleted;
    expect(deletion.turns).toBeGreaterThanOrEqual(5);
    expect(await store.getAnswers(names, 'registration')).toEqual(
      mapOf(...names.map((name) => withoutRecord(answerWithText(name, 1, 'Ada')))),
    );
  });

  it('deletes no record of an unregistered name, which has none', async ({ store }) => {
    await store.putAnswer(availableAnswer(alpha, 1));
    await store.deleteExpired(0, 10);
    expect(await store.getAnswers([alpha], 'registration')).toEqual(
      mapOf(availableAnswer(alpha, 1)),
    );
  });

  it('stores the first of several values for a key, and returns it to all writers', async ({
    store,
  }) => {
    const stored = await Promise.all(
      ['one', 'two', 'three'].map((value) => store.putIfAbsent('key', value)),
    );
    expect(new Set(stored).size).toBe(1);
    expect(await store.read('key')).toEqual(new Map([['key', stored[0]]]));
    await store.put('key', 'overwritten');
    expect(await store.putIfAbsent('key', 'late')).toBe('overwritten');
  });

  it('deletes a value only if it was not replaced', async ({ store }) => {
    await store.put('key', 'second');
    await store.deleteIf('key', 'first');
    expect(await store.read('key')).toEqual(new Map([['key', 'second']]));
    await store.deleteIf('key', 'second');
    expect(await store.read('key')).toEqual(new Map());
  });

  it('behaves like a map of names for random sequences of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = await open[kind]();
        const model = new Map<string, StoredAnswer>();
        try {
          for (const next of steps) await next(store, model);
        } finally {
          await store.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});

base('evicts the least recently used name from a full memory store', async () => {
  const store = new MemoryAnswers(1000);
  await store.putAnswer(availableAnswer(alpha, 1));
  await store.putAnswer(availableAnswer(beta, 2));
  await store.getAnswers([alpha], 'registration');
  await store.putAnswer(availableAnswer(gamma, 3));
  expect([...(await store.getAnswers([alpha, beta, gamma], 'registration')).keys()]).toEqual([
    alpha,
    gamma,
  ]);
});

base(
  'limits a memory store by the characters of its records, and evicts the least recently used names',
  async () => {
    const store = new MemoryAnswers(20_000);
    const names = Array.from({ length: 20 }, (_, index) => parseDomainName(`n${index}.example`));
    const countStored = async () => (await store.getAnswers(names, 'verdict')).size;
    for (const name of names)
      await store.putAnswer(registeredAnswer(name, 1, 'Ada Lovelace', { fn: 'x'.repeat(2000) }));
    const records = await countStored();
    expect(records).toBeGreaterThan(3);
    expect(records * 2000).toBeLessThan(20_000);
    expect(Array.from((await store.getAnswers(names, 'verdict')).keys())).toEqual(
      names.slice(-records),
    );
    // Answers without records, and those that replace others, take less space.
    await store.deleteExpired(0, 2);
    for (const name of names) await store.putAnswer(availableAnswer(name, 3));
    expect(await countStored()).toBe(20);
  },
);

type Step = (store: AnswerStore, model: Map<string, StoredAnswer>) => Promise<void>;

const name = fc.constantFrom(alpha, beta, gamma);
const time = fc.integer({ min: 0, max: 9 });
const answer = fc.oneof(
  fc.tuple(name, time).map(([of, at]) => availableAnswer(of, at)),
  fc
    .tuple(name, time, fc.string({ unit: 'binary' }))
    .map(([of, at, person]) => registeredAnswer(of, at, person)),
  fc.tuple(name, time, fc.string()).map(([of, at, person]) => answerWithText(of, at, person)),
  // Long records are compressed, some of them together.
  fc
    .tuple(name, time, fc.constantFrom(9000, 20_000))
    .map(([of, at, length]) => answerWithText(of, at, `${at}`.repeat(length))),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(answer, fc.boolean()).map(([added, isFlushed]): Step => async (store, model) => {
    if (replaces(added, model.get(added.name))) model.set(added.name, added);
    const written = store.putAnswer(added);
    // Expiry writes buffered answers without delay.
    if (isFlushed) await Promise.all([written, store.deleteExpired(0, 0)]);
  }),
  fc.array(name).map((names): Step => async (store, model) => {
    expect(await store.getAnswers(names, 'registration')).toEqual(
      mapOf(...[...model.values()].filter((stored) => names.some((each) => each === stored.name))),
    );
  }),
  fc.array(name).map((names): Step => async (store, model) => {
    const expected = [...model.values()].filter((stored) =>
      names.some((each) => each === stored.name),
    );
    const found = await store.getAnswers(names, 'verdict');
    // The store may return more detail than requested.
    expect(mapOf(...[...found.values()].map(verdictOf))).toEqual(mapOf(...expected.map(verdictOf)));
  }),
  fc.tuple(time, time).map(([answersBefore, recordsBefore]): Step => async (store, model) => {
    await store.deleteExpired(answersBefore, recordsBefore);
    for (const [key, stored] of model) {
      if (stored.checkedAt < answersBefore) model.delete(key);
      else if (stored.checkedAt < recordsBefore) model.set(key, withoutRecord(stored));
    }
  }),
);

function mapOf(...answers: StoredAnswer[]): Map<string, StoredAnswer> {
  return new Map(answers.map((each) => [each.name, each]));
}

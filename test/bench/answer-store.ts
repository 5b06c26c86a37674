// What the stores of answers do that `npm run bench` does not ask for: how fast they are filled, what a name takes in memory, and for how long
// a sweep keeps everybody else waiting: `node test/bench/answer-store.ts [names] [folder]`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerStore } from '../../src/cache/store.ts';
import { createLog } from '../../src/log.ts';
import { MemoryAnswers } from '../../src/storage/memory/answers.ts';
import { SqliteAnswers } from '../../src/storage/sqlite/answers/answers.ts';
import { typicalAnswer } from './typical-answer.ts';

const names = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'answer-store-'));
const learned = Date.UTC(2026, 0, 1);

// The store's timer does not keep a process alive.
const keepAlive = setInterval(() => {}, 60_000);
try {
  await measureMemory();
  await measureSqlite();
} finally {
  clearInterval(keepAlive);
  rmSync(folder, { recursive: true });
}

async function measureSqlite(): Promise<void> {
  const store = new SqliteAnswers(join(folder, 'answers.db'), createLog('warn'));
  console.log(
    'sqlite',
    { names, putsPerSecond: await fill(store, names) },
    'sweep',
    await sweepAndWatch(store),
  );
  await store.close();
}

async function measureMemory(): Promise<void> {
  const kept = Math.min(names, 100_000);
  const before = process.memoryUsage().rss;
  const store = new MemoryAnswers();
  const putsPerSecond = await fill(store, kept);
  console.log('memory', {
    names: kept,
    putsPerSecond,
    bytesPerName: Math.round((process.memoryUsage().rss - before) / kept),
  });
  await store.close();
}

/** Puts as many at a time as come from a large search. */
async function fill(store: AnswerStore, count: number): Promise<number> {
  const from = performance.now();
  for (let index = 0; index < count; index += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, count - index) }, (_, n) =>
        store.putAnswer(typicalAnswer(index + n, learned + index + n)),
      ),
    );
  return Math.round((count / (performance.now() - from)) * 1000);
}

/** Forgets the records of all, then the older half; tells the longest time in which the event loop served nobody. */
async function sweepAndWatch(store: AnswerStore) {
  const from = performance.now();
  const pauses: number[] = [];
  let last = from;
  const watch = setInterval(() => {
    pauses.push(performance.now() - last);
    last = performance.now();
  }, 0);
  await store.deleteExpired(learned + names / 2, learned + names);
  clearInterval(watch);
  pauses.sort((a, b) => a - b);
  const at = (share: number) => Math.round(pauses[Math.floor(pauses.length * share)] ?? 0);
  return {
    seconds: Math.round((performance.now() - from) / 1000),
    pauseMs: { median: at(0.5), p99: at(0.99), longest: at(0.9999999) },
  };
}

// Measures the answer stores beyond `npm run bench`: writes per second, memory per name, and how
// long expiry blocks the event loop: `node test/bench/answer-store.ts [names] [folder]`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerStore } from '../../src/registries/cache/store.ts';
import { createLog } from '../../src/log.ts';
import { MemoryAnswers } from '../../src/storage/memory/answers.ts';
import { SqliteAnswers } from '../../src/storage/sqlite/answers.ts';
import { typicalAnswer } from './servers/typical-answer.ts';

const names = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'answer-store-'));
const startTime = Date.UTC(2026, 0, 1);

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
    'expiry',
    await measureExpiry(store),
  );
  await store.close();
}

async function measureMemory(): Promise<void> {
  const stored = Math.min(names, 100_000);
  const before = process.memoryUsage().rss;
  const store = new MemoryAnswers();
  const putsPerSecond = await fill(store, stored);
  console.log('memory', {
    names: stored,
    putsPerSecond,
    bytesPerName: Math.round((process.memoryUsage().rss - before) / stored),
  });
  await store.close();
}

/** Stores answers in batches of the size of a large search. */
async function fill(store: AnswerStore, count: number): Promise<number> {
  const from = performance.now();
  for (let index = 0; index < count; index += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, count - index) }, (_, n) =>
        store.putAnswer(typicalAnswer(index + n, startTime + index + n)),
      ),
    );
  return Math.round((count / (performance.now() - from)) * 1000);
}

/**
 * Deletes all records and the older half of the answers. Returns the longest times for which the
 * event loop was blocked.
 */
async function measureExpiry(store: AnswerStore) {
  const from = performance.now();
  const pauses: number[] = [];
  let last = from;
  const watch = setInterval(() => {
    pauses.push(performance.now() - last);
    last = performance.now();
  }, 0);
  await store.deleteExpired(startTime + names / 2, startTime + names);
  clearInterval(watch);
  pauses.sort((a, b) => a - b);
  const at = (share: number) => Math.round(pauses[Math.floor(pauses.length * share)] ?? 0);
  return {
    seconds: Math.round((performance.now() - from) / 1000),
    pauseMs: { median: at(0.5), p99: at(0.99), longest: at(0.9999999) },
  };
}

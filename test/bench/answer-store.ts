// How large the answers are on disk and how fast they come back: `node test/bench/answer-store.ts [names] [folder]`.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerStore } from '../../src/cache/store.ts';
import { createLog } from '../../src/log.ts';
import { memoryAnswers } from '../../src/storage/memory/answers.ts';
import { openSqliteAnswers } from '../../src/storage/sqlite/answers.ts';
import { learned, nameOf, typicalAnswer } from './typical-answer.ts';

const names = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'answer-store-'));

try {
  await measureMemory();
  await measureSqlite();
} finally {
  rmSync(folder, { recursive: true });
}

async function measureSqlite(): Promise<void> {
  const path = join(folder, 'answers.db');
  const store = openSqliteAnswers(path, createLog('warn'));
  await fillAndRead('sqlite', store);
  console.log('sweep', await sweepAndWatch(store));
  await store.close();
  const compact = JSON.stringify(typicalAnswer(1)).length;
  const bytes = Math.round(statSync(path).size / names);
  console.log({ bytesPerName: bytes, compactJsonBytes: compact, ratio: (bytes / compact).toFixed(2) });
}

async function measureMemory(): Promise<void> {
  const kept = Math.min(names, 100_000);
  const before = process.memoryUsage().rss;
  const store = memoryAnswers(kept);
  for (let index = 0; index < kept; index++) await store.put(typicalAnswer(index));
  const perName = Math.round((process.memoryUsage().rss - before) / kept);
  console.log('memory', { names: kept, bytesPerName: perName, getMany500: await readRate(store, kept, 500) });
  await store.close();
}

async function fillAndRead(kind: string, store: AnswerStore): Promise<void> {
  let filled = 0;
  for (const size of new Set([Math.min(1000, names), names])) {
    const from = performance.now();
    const added = size - filled;
    for (; filled < size; filled += 20)
      await Promise.all(numbers(filled, Math.min(filled + 20, size)).map((n) => store.put(typicalAnswer(n))));
    const puts = rate(added, from);
    console.log(kind, { names: size, puts20: puts, get: await readRate(store, size, 1), getMany500: await readRate(store, size, 500) });
  }
}

/** Names read in a second, `batch` at a time, at random. */
async function readRate(store: AnswerStore, size: number, batch: number): Promise<number> {
  const batches = Array.from({ length: 10_000 / batch }, () =>
    Array.from({ length: batch }, () => nameOf(Math.floor(Math.random() * size))),
  );
  for (const batchOfNames of batches) await store.getMany(batchOfNames);
  const from = performance.now();
  for (const batchOfNames of batches) await store.getMany(batchOfNames);
  return rate(10_000, from);
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
  await store.sweep(learned + names / 2, learned + names);
  clearInterval(watch);
  pauses.sort((a, b) => a - b);
  const at = (share: number) => Math.round(pauses[Math.floor(pauses.length * share)] ?? 0);
  return { seconds: Math.round((performance.now() - from) / 1000), pauseMs: { median: at(0.5), p99: at(0.99), longest: at(0.9999999) } };
}

function rate(count: number, from: number): number {
  return Math.round((count / (performance.now() - from)) * 1000);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

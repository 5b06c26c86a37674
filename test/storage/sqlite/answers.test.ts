import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredAnswer } from '../../../src/domain/answer.ts';
import type { AnswerStore } from '../../../src/registries/cache/store.ts';
import { parseDomainName, type DomainName } from '../../../src/domain/names/domain-name.ts';
import { SqliteAnswers } from '../../../src/storage/sqlite/answers.ts';
import { alpha, beta, availableAnswer, registeredAnswer } from '../contracts/sample-answers.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { scratch } from '../../support/stores/scratch.ts';

let folder: string;
let path: string;
let lines: { msg: string; file: string; quarantine: string }[];
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });

beforeEach(async () => {
  ({ path: folder } = await forThisTest(scratch));
  path = join(folder, 'answers.db');
  lines = [];
});

it('returns answers after a restart', async () => {
  await storeAnswers(registeredAnswer(alpha, 1));
  expect(await storedAnswers()).toEqual([registeredAnswer(alpha, 1)]);
});

it('writes buffered answers on closing', async () => {
  const store = new SqliteAnswers(path, log);
  const written = store.putAnswer(availableAnswer(alpha, 1));
  await store.close();
  await written;
  expect(await storedAnswers()).toEqual([availableAnswer(alpha, 1)]);
});

it('writes the answers of a search together, also during reads', async () => {
  const store = new SqliteAnswers(path, log);
  using file = openCounter();
  const writes = namesOf(50).map(async (name) => {
    await nextTurn();
    await store.putAnswer(availableAnswer(name, 1));
  });
  const counts = new Set<number>();
  for (; file.written() < 50; await nextTurn()) {
    counts.add(file.written());
    await store.getAnswers([beta], 'verdict');
  }
  expect([...counts]).toEqual([0]);
  await Promise.all(writes);
  await store.close();
});

it.each([
  ['REGISTERED', registeredAnswer(alpha, 2)],
  ['RESERVED', { ...availableAnswer(alpha, 2), verdict: 'RESERVED' as const }],
  ['REGISTERED, if its caller knows the stored verdict,', registeredAnswer(alpha, 2), 'AVAILABLE'],
] as const)(
  'replaces an AVAILABLE answer with %s immediately, so that it is not returned after a crash',
  async (_verdict, answer, previous?: 'AVAILABLE') => {
    await storeAnswers(availableAnswer(alpha, 1));
    const store = new SqliteAnswers(path, log);
    await store.getAnswers([alpha], 'verdict');
    const writes = store.putAnswer(answer, previous);
    // A caller may read the answer in this turn of the event loop.
    expect(verdictInFile()).toBe(answer.verdict);
    expect(await storedIn(store)).toEqual([answer]);
    await writes;
    await store.close();
  },
);

it('never overwrites an answer with a buffered AVAILABLE answer that it replaced', async () => {
  const store = new SqliteAnswers(path, log);
  const writes = [
    store.putAnswer(availableAnswer(alpha, 1)),
    store.putAnswer(registeredAnswer(alpha, 2)),
  ];
  expect(verdictInFile()).toBe('REGISTERED');
  await Promise.all(writes);
  await store.close();
  expect(await storedAnswers()).toEqual([registeredAnswer(alpha, 2)]);
});

describe('answers that cannot be written', () => {
  it('are rejected once the store is closed', async () => {
    const store = new SqliteAnswers(path, log);
    await store.close();
    for (const answer of [registeredAnswer(alpha, 1), availableAnswer(beta, 1)])
      await expect(store.putAnswer(answer)).rejects.toThrow(/not open|finalized/);
  });

  it('take precedence over older ones, are written later, and are logged once', async () => {
    const store = new SqliteAnswers(path, log);
    await store.putAnswer(availableAnswer(alpha, 1));
    rejectWrites();
    await store.putAnswer(registeredAnswer(alpha, 5));
    await store.putAnswer(availableAnswer(beta, 6));
    expect(await storedIn(store)).toEqual([registeredAnswer(alpha, 5), availableAnswer(beta, 6)]);
    expect(await storedAnswers()).toEqual([availableAnswer(alpha, 1)]);
    sql('DROP TRIGGER refusal');
    await expect
      .poll(storedAnswers)
      .toEqual([registeredAnswer(alpha, 5), availableAnswer(beta, 6)]);
    await store.close();
    const msg =
      'Cache writes fail. The latest answers are held in memory and written later. Check the store.';
    expect(lines).toEqual([
      expect.objectContaining({
        msg,
        err: expect.objectContaining({ message: 'the disk is full' }),
      }),
    ]);
  });

  it('are written immediately by a later answer that replaces the AVAILABLE in the file', async () => {
    await storeAnswers(availableAnswer(alpha, 1));
    const store = new SqliteAnswers(path, log);
    rejectWrites();
    const writes = [store.putAnswer(registeredAnswer(alpha, 5), 'AVAILABLE')];
    expect(verdictInFile()).toBe('AVAILABLE');
    sql('DROP TRIGGER refusal');
    writes.push(store.putAnswer(registeredAnswer(alpha, 6), 'REGISTERED'));
    expect(verdictInFile()).toBe('REGISTERED');
    await Promise.all(writes);
    await store.close();
  });

  it('are all written on closing', async () => {
    const store = new SqliteAnswers(path, log);
    rejectWrites();
    await Promise.all(namesOf(120).map((name) => store.putAnswer(availableAnswer(name, 5))));
    expect((await store.getAnswers(namesOf(120), 'verdict')).size).toBe(120);
    sql('DROP TRIGGER refusal');
    await store.close();
    using file = openCounter();
    expect(file.written()).toBe(120);
  });

  it('are retained in memory for the latest thousand names', async () => {
    const store = new SqliteAnswers(path, log);
    rejectWrites();
    await Promise.all(namesOf(1500).map((name) => store.putAnswer(availableAnswer(name, 5))));
    expect([...(await store.getAnswers(namesOf(1500), 'verdict')).keys()]).toEqual(
      namesOf(1500).slice(-1000),
    );
    sql('DROP TRIGGER refusal');
    await store.close();
  });
});

it('lets several processes create the file and write concurrently', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map(writeInAnotherProcess));
  const names = ['a', 'b', 'c', 'd'].flatMap((prefix) =>
    Array.from({ length: 100 }, (_, index) => parseDomainName(`${prefix}-${index}.example`)),
  );
  const store = new SqliteAnswers(path, log);
  expect((await store.getAnswers(names, 'registration')).size).toBe(400);
  await store.close();
  expect(lines).toEqual([]);
});

it('reads and stores answers during a long expiry, which ends on closing', async () => {
  const store = new SqliteAnswers(path, log);
  const old = Array.from({ length: 1000 }, (_, index) =>
    registeredAnswer(parseDomainName(`old-${index}.example`), 1),
  );
  await Promise.all(old.map((answer) => store.putAnswer(answer)));
  const expiry = store.deleteExpired(10, 10);
  await store.putAnswer(availableAnswer(alpha, 20));
  expect((await store.getAnswers([alpha], 'registration')).size).toBe(1);
  await store.close();
  await expiry;
});

it('overwrites deleted contacts on the disk', async () => {
  const store = new SqliteAnswers(path, log);
  await store.putAnswer(registeredAnswer(alpha, 1, 'Deleted Person'));
  await store.putAnswer(registeredAnswer(beta, 1, 'Deleted Person'.repeat(1000)));
  expect(onDisk()).toContain('Deleted Person');
  await store.deleteExpired(0, 10);
  expect(onDisk()).not.toContain('Deleted Person');
  await store.close();
});

it('overwrites a registration on the disk reason its name becomes available or its answer is deleted', async () => {
  const store = new SqliteAnswers(path, log);
  await Promise.all([
    store.putAnswer(registeredAnswer(alpha, 1, 'Former Holder')),
    store.putAnswer(registeredAnswer(beta, 1, 'Deleted Person')),
  ]);
  await store.putAnswer(availableAnswer(alpha, 5));
  await store.deleteExpired(3, 0);
  expect(onDisk()).not.toMatch(/Former Holder|Deleted Person|A Registrar/);
  expect([...(await store.getAnswers([alpha, beta], 'registration')).values()]).toEqual([
    availableAnswer(alpha, 5),
  ]);
  await store.close();
});

describe('a corrupt cache database is quarantined and recreated', () => {
  const corruptions: Record<string, () => void> = {
    'if it is not a database': () => writeFileSync(path, 'not a database at all '.repeat(500)),
    'if it was truncated': () => truncateSync(path, 5000),
    'if a newer gateway wrote it': () => sql('PRAGMA user_version = 99'),
    'if it contains different tables': () => sql('DROP TABLE answers; CREATE TABLE answers (id)'),
    'if a read finds a corrupt page': () => corruptPageOf('answers'),
    'if a read finds a corrupt text': () =>
      sql("UPDATE registrations SET summary = '{' || summary"),
    'if a read finds a corrupt object': () =>
      sql("UPDATE registrations SET summary = '', record = '{'"),
  };

  it.each(Object.keys(corruptions))('%s', async (reason) => {
    await storeAnswers(registeredAnswer(alpha, 1));
    corruptions[reason]?.();
    const damaged = readFileSync(path);
    const store = new SqliteAnswers(path, log);
    expect(await store.getAnswers([alpha], 'registration')).toEqual(new Map());
    await store.putAnswer(availableAnswer(beta, 2));
    await store.close();
    expect(await storedAnswers()).toEqual([availableAnswer(beta, 2)]);
    const msg = 'Corrupt cache database quarantined and recreated.';
    expect(lines).toEqual([
      expect.objectContaining({
        msg,
        file: path,
        quarantine: expect.stringMatching(/\.broken-\d{13}$/),
      }),
    ]);
    expect(readFileSync(lines[0]?.quarantine ?? '').equals(damaged)).toBe(true);
  });

  it('together with its write-ahead log, if another process has it open', async () => {
    await storeAnswers(registeredAnswer(alpha, 1));
    const otherProcess = new DatabaseSync(path);
    otherProcess.exec('PRAGMA user_version = 99');
    expect(await storedAnswers()).toEqual([]);
    expect(existsSync(`${lines[0]?.quarantine}-wal`)).toBe(true);
    otherProcess.close();
    expect(lines).toHaveLength(1);
  });

  it('but not if the path cannot be opened', () => {
    mkdirSync(path);
    expect(() => new SqliteAnswers(path, log)).toThrow('unable to open database file');
    expect(readdirSync(folder)).toEqual(['answers.db']);
  });
});

async function storeAnswers(...answers: StoredAnswer[]): Promise<void> {
  const store = new SqliteAnswers(path, log);
  await Promise.all(answers.map((answer) => store.putAnswer(answer)));
  await store.close();
}

async function storedAnswers(): Promise<StoredAnswer[]> {
  const store = new SqliteAnswers(path, log);
  const found = await storedIn(store);
  await store.close();
  return found;
}

async function storedIn(store: AnswerStore): Promise<StoredAnswer[]> {
  return [...(await store.getAnswers([alpha, beta], 'registration')).values()];
}

/** Stores 100 answers sequentially in another process, so that concurrent processes contend for the file. */
async function writeInAnotherProcess(prefix: string): Promise<void> {
  const program = `
    const { SqliteAnswers } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/storage/sqlite/answers.ts'))});
    const store = new SqliteAnswers(${JSON.stringify(path)}, console);
    const answer = { verdict: 'AVAILABLE', endpoint: 'https://rdap.example/', checkedAt: 1, isComplete: true };
    for (let index = 0; index < 100; index++) {
      void store.putAnswer({ ...answer, name: '${prefix}-' + index + '.example' });
      await store.deleteExpired(0, 0);
    }
    await store.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
}

function sql(statements: string): void {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
}

/** Corrupts the first page of a table. */
function corruptPageOf(table: string): void {
  const database = new DatabaseSync(path);
  const page = Number(
    database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage'],
  );
  database.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
}

function onDisk(): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'latin1'))
    .join('');
}

function namesOf(count: number): readonly DomainName[] {
  return Array.from({ length: count }, (_, index) => parseDomainName(`name-${index}.example`));
}

/** Makes every write of an answer fail. */
function rejectWrites(): void {
  sql(
    "CREATE TRIGGER refusal BEFORE INSERT ON answers BEGIN SELECT raise(ABORT, 'the disk is full'); END",
  );
}

/** Returns the verdict on `alpha` in the file. */
function verdictInFile(): unknown {
  const file = new DatabaseSync(path, { readOnly: true });
  const row = file.prepare('SELECT verdict FROM answers WHERE name = ?').get(alpha);
  file.close();
  return row?.['verdict'];
}

/** Opens the file to count the answers in it. */
function openCounter() {
  const file = new DatabaseSync(path, { readOnly: true });
  const count = file.prepare('SELECT count(*) AS count FROM answers');
  return { written: () => Number(count.get()?.['count']), [Symbol.dispose]: () => file.close() };
}

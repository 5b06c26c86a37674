import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerStore, StoredAnswer } from '../../../src/cache/store.ts';
import { parseDomainName, type DomainName } from '../../../src/domain/domain-name.ts';
import { SqliteAnswers } from '../../../src/storage/sqlite/answers/answers.ts';
import { alpha, beta, availableAnswer, registeredAnswer } from '../contracts/sample-answers.ts';

let folder: string;
let path: string;
let lines: { msg: string; file: string; quarantine: string }[];
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'answers-'));
  path = join(folder, 'answers.db');
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

it('answers live through a restart', async () => {
  await keep(registeredAnswer(alpha, 1));
  expect(await known()).toEqual([registeredAnswer(alpha, 1)]);
});

it('closing loses nothing that was put', async () => {
  const store = new SqliteAnswers(path, log);
  const safe = store.putAnswer(availableAnswer(alpha, 1));
  await store.close();
  await safe;
  expect(await known()).toEqual([availableAnswer(alpha, 1)]);
});

it('stores the answers of a search together, also while others read', async () => {
  const store = new SqliteAnswers(path, log);
  using file = watch();
  const putting = namesOf(50).map(async (name) => {
    await nextTurn();
    await store.putAnswer(availableAnswer(name, 1));
  });
  const counts = new Set<number>();
  for (; file.written() < 50; await nextTurn()) {
    counts.add(file.written());
    await store.getAnswers([beta], 'verdict');
  }
  expect([...counts]).toEqual([0]);
  await Promise.all(putting);
  await store.close();
});

it.each([
  ['REGISTERED', registeredAnswer(alpha, 2)],
  ['RESERVED', { ...availableAnswer(alpha, 2), verdict: 'RESERVED' as const }],
])(
  'an AVAILABLE answer is not returned any more once %s is known, here or after a crash',
  async (_verdict, answer) => {
    await keep(availableAnswer(alpha, 1));
    const store = new SqliteAnswers(path, log);
    await store.getAnswers([alpha], 'verdict');
    const putting = store.putAnswer(answer);
    // A caller may read the answer in this turn of the event loop.
    expect(verdictInFile()).toBe(answer.verdict);
    expect(await storedIn(store)).toEqual([answer]);
    await putting;
    await store.close();
  },
);

it('an AVAILABLE answer that is not written yet is never written over what replaces it', async () => {
  const store = new SqliteAnswers(path, log);
  const putting = [
    store.putAnswer(availableAnswer(alpha, 1)),
    store.putAnswer(registeredAnswer(alpha, 2)),
  ];
  expect(verdictInFile()).toBe('REGISTERED');
  await Promise.all(putting);
  await store.close();
  expect(await known()).toEqual([registeredAnswer(alpha, 2)]);
});

describe('answers that cannot be stored', () => {
  it('are rejected once the store is closed', async () => {
    const store = new SqliteAnswers(path, log);
    await store.close();
    for (const answer of [registeredAnswer(alpha, 1), availableAnswer(beta, 1)])
      await expect(store.putAnswer(answer)).rejects.toThrow(/not open|finalized/);
  });

  it('hide what is older, are stored as soon as that works, and are logged once', async () => {
    const store = new SqliteAnswers(path, log);
    await store.putAnswer(availableAnswer(alpha, 1));
    refuse();
    await store.putAnswer(registeredAnswer(alpha, 5));
    await store.putAnswer(availableAnswer(beta, 6));
    expect(await storedIn(store)).toEqual([registeredAnswer(alpha, 5), availableAnswer(beta, 6)]);
    expect(await known()).toEqual([availableAnswer(alpha, 1)]);
    sql('DROP TRIGGER refusal');
    await expect.poll(known).toEqual([registeredAnswer(alpha, 5), availableAnswer(beta, 6)]);
    await store.close();
    const msg = 'Answers cannot be stored now. The latest are kept in memory until they can.';
    expect(lines).toEqual([
      expect.objectContaining({
        msg,
        err: expect.objectContaining({ message: 'the disk is full' }),
      }),
    ]);
  });

  it('are stored on closing, however many they are', async () => {
    const store = new SqliteAnswers(path, log);
    refuse();
    await Promise.all(namesOf(120).map((name) => store.putAnswer(availableAnswer(name, 5))));
    expect((await store.getAnswers(namesOf(120), 'verdict')).size).toBe(120);
    sql('DROP TRIGGER refusal');
    await store.close();
    using file = watch();
    expect(file.written()).toBe(120);
  });

  it('are kept in memory for the last thousand names', async () => {
    const store = new SqliteAnswers(path, log);
    refuse();
    await Promise.all(namesOf(1500).map((name) => store.putAnswer(availableAnswer(name, 5))));
    expect([...(await store.getAnswers(namesOf(1500), 'verdict')).keys()]).toEqual(
      namesOf(1500).slice(-1000),
    );
    sql('DROP TRIGGER refusal');
    await store.close();
  });
});

it('several processes may make the file and write at once', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map(writeInAnotherProcess));
  const names = ['a', 'b', 'c', 'd'].flatMap((who) =>
    Array.from({ length: 100 }, (_, index) => parseDomainName(`${who}-${index}.example`)),
  );
  const store = new SqliteAnswers(path, log);
  expect((await store.getAnswers(names, 'registration')).size).toBe(400);
  await store.close();
  expect(lines).toEqual([]);
});

it('answers are given and taken while a long sweep is under way, and closing ends it', async () => {
  const store = new SqliteAnswers(path, log);
  const old = Array.from({ length: 1000 }, (_, index) =>
    registeredAnswer(parseDomainName(`old-${index}.example`), 1),
  );
  await Promise.all(old.map((answer) => store.putAnswer(answer)));
  const swept = store.deleteExpired(10, 10);
  await store.putAnswer(availableAnswer(alpha, 20));
  expect((await store.getAnswers([alpha], 'registration')).size).toBe(1);
  await store.close();
  await swept;
});

it('a forgotten contact can no longer be read from the disk', async () => {
  const store = new SqliteAnswers(path, log);
  await store.putAnswer(registeredAnswer(alpha, 1, 'Forgotten Person'));
  await store.putAnswer(registeredAnswer(beta, 1, 'Forgotten Person'.repeat(1000)));
  expect(onDisk()).toContain('Forgotten Person');
  await store.deleteExpired(0, 10);
  expect(onDisk()).not.toContain('Forgotten Person');
  await store.close();
});

it('nothing of a registration stays on the disk once its name is free, or its answer is forgotten', async () => {
  const store = new SqliteAnswers(path, log);
  await Promise.all([
    store.putAnswer(registeredAnswer(alpha, 1, 'Former Holder')),
    store.putAnswer(registeredAnswer(beta, 1, 'Forgotten Person')),
  ]);
  await store.putAnswer(availableAnswer(alpha, 5));
  await store.deleteExpired(3, 0);
  expect(onDisk()).not.toMatch(/Former Holder|Forgotten Person|A Registrar/);
  expect([...(await store.getAnswers([alpha, beta], 'registration')).values()]).toEqual([
    availableAnswer(alpha, 5),
  ]);
  await store.close();
});

describe('a corrupt file is quarantined and recreated', () => {
  const damages: Record<string, () => void> = {
    'when it is no database': () => writeFileSync(path, 'not a database at all '.repeat(500)),
    'when it was cut off': () => truncateSync(path, 5000),
    'when a newer gateway wrote it': () => sql('PRAGMA user_version = 99'),
    'when the tables in it are not ours': () =>
      sql('DROP TABLE answers; CREATE TABLE answers (id)'),
    'when it turns out on reading that a page is damaged': () => damagePageOf('answers'),
    'when it turns out on reading that a text is damaged': () =>
      sql("UPDATE registrations SET summary = '{' || summary"),
  };

  it.each(Object.keys(damages))('%s', async (when) => {
    await keep(registeredAnswer(alpha, 1));
    damages[when]?.();
    const damaged = readFileSync(path);
    const store = new SqliteAnswers(path, log);
    expect(await store.getAnswers([alpha], 'registration')).toEqual(new Map());
    await store.putAnswer(availableAnswer(beta, 2));
    await store.close();
    expect(await known()).toEqual([availableAnswer(beta, 2)]);
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

  it('together with its log, while somebody still has it open', async () => {
    await keep(registeredAnswer(alpha, 1));
    const somebody = new DatabaseSync(path);
    somebody.exec('PRAGMA user_version = 99');
    expect(await known()).toEqual([]);
    expect(existsSync(`${lines[0]?.quarantine}-wal`)).toBe(true);
    somebody.close();
    expect(lines).toHaveLength(1);
  });

  it('but a path that cannot be used is a refusal to open, and stays as it is', () => {
    mkdirSync(path);
    expect(() => new SqliteAnswers(path, log)).toThrow('unable to open database file');
    expect(readdirSync(folder)).toEqual(['answers.db']);
  });
});

async function keep(...answers: StoredAnswer[]): Promise<void> {
  const store = new SqliteAnswers(path, log);
  await Promise.all(answers.map((answer) => store.putAnswer(answer)));
  await store.close();
}

async function known(): Promise<StoredAnswer[]> {
  const store = new SqliteAnswers(path, log);
  const found = await storedIn(store);
  await store.close();
  return found;
}

async function storedIn(store: AnswerStore): Promise<StoredAnswer[]> {
  return [...(await store.getAnswers([alpha, beta], 'registration')).values()];
}

/** Puts 100 answers, one after the other, so that the processes get in each other's way. */
async function writeInAnotherProcess(who: string): Promise<void> {
  const program = `
    const { SqliteAnswers } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/storage/sqlite/answers/answers.ts'))});
    const store = new SqliteAnswers(${JSON.stringify(path)}, console);
    const answer = { verdict: 'AVAILABLE', endpoint: 'https://rdap.example/', checkedAt: 1, isComplete: true };
    for (let index = 0; index < 100; index++) {
      void store.putAnswer({ ...answer, name: '${who}-' + index + '.example' });
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

/** Damages the page on which a table begins. */
function damagePageOf(table: string): void {
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

/** From now on no answer can be stored. */
function refuse(): void {
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

/** Counts the answers in the file. */
function watch() {
  const file = new DatabaseSync(path, { readOnly: true });
  const count = file.prepare('SELECT count(*) AS count FROM answers');
  return { written: () => Number(count.get()?.['count']), [Symbol.dispose]: () => file.close() };
}

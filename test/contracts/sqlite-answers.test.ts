import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerStore, StoredAnswer } from '../../src/cache/store.ts';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import { openSqliteAnswers } from '../../src/storage/sqlite/answers.ts';
import { alpha, beta, free, held } from './sample-answers.ts';

let folder: string;
let path: string;
let lines: { msg: string; file: string; setAside: string }[];
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'answers-'));
  path = join(folder, 'answers.db');
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

it('answers live through a restart', async () => {
  await keep(held(alpha, 1));
  expect(await known()).toEqual([held(alpha, 1)]);
});

it('closing loses nothing that was put', async () => {
  const store = openSqliteAnswers(path, log);
  const safe = store.put(free(alpha, 1));
  await store.close();
  await safe;
  expect(await known()).toEqual([free(alpha, 1)]);
});

describe('answers are written', () => {
  it('though more keep coming', async () => {
    const store = openSqliteAnswers(path, log);
    using file = watch();
    const putting = [store.put(held(alpha, 1))];
    for (let at = 2; file.written() === 0; at += 1) {
      putting.push(store.put(held(beta, at)));
      await nextTurn();
    }
    await Promise.all(putting);
    await store.close();
  });

  it.each([
    ['asks', async (store: AnswerStore) => void (await store.getMany([beta], 'verdict'))],
    ['learns something', async (store: AnswerStore) => void store.put(free(beta, 1))],
  ])('when nobody %s any more', async (_what, use) => {
    const store = openSqliteAnswers(path, log);
    using file = watch();
    const putting = store.put(held(alpha, 1));
    await goOn(() => use(store));
    expect(file.written()).toBe(0);
    await putting;
    expect(file.written()).toBeGreaterThan(0);
    await store.close();
  });

  it.each([
    ['held', held(alpha, 2), [alpha]],
    ['held, and nobody has read it', held(alpha, 2), []],
    ['reserved', { ...free(alpha, 2), verdict: 'RESERVED' as const }, [alpha]],
  ])('without delay where a "free" stands in the file: %s', async (_what, answer, read) => {
    await keep(free(alpha, 1));
    const store = openSqliteAnswers(path, log);
    await store.getMany(read, 'verdict');
    const putting = store.put(answer);
    await askOn(store);
    expect(await known()).toEqual([answer]);
    await putting;
    await store.close();
  });

  it('later, when somebody asks while they are', async () => {
    const store = openSqliteAnswers(path, log);
    using file = watch();
    const many = Array.from({ length: 400 }, (_, index) => parseDomainName(`many-${index}.example`));
    const putting = Promise.all(many.map((name) => store.put(free(name, 5))));
    while (file.written() === 0) await nextTurn();
    await askOn(store);
    expect(file.written()).toBeLessThan(400);
    await putting;
    expect(file.written()).toBe(400);
    await store.close();
  });
});

describe('what could not be written', () => {
  const names = Array.from({ length: 120 }, (_, index) => parseDomainName(`name-${index}.example`));

  it('hides what is older, and is written when others were', async () => {
    const store = openSqliteAnswers(path, log);
    const found = async () => [...(await store.getMany([alpha, beta], 'registration')).values()];
    await store.put(free(alpha, 1));
    refuse();
    await expect(store.put(held(alpha, 5))).rejects.toThrow('the disk is full');
    expect(await found()).toEqual([held(alpha, 5)]);
    sql('DROP TRIGGER refusal');
    await store.put(free(beta, 6));
    expect(await found()).toEqual([held(alpha, 5), free(beta, 6)]);
    await store.close();
    expect(await known()).toEqual([held(alpha, 5), free(beta, 6)]);
  });

  it('is written at the end, however much it is', async () => {
    const store = openSqliteAnswers(path, log);
    refuse();
    const put = await Promise.allSettled(names.map((name) => store.put(free(name, 5))));
    expect(new Set(put.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect((await store.getMany(names, 'verdict')).size).toBe(120);
    sql('DROP TRIGGER refusal');
    await store.close();
    const again = openSqliteAnswers(path, log);
    expect((await again.getMany(names, 'verdict')).size).toBe(120);
    await again.close();
  });

  it('is kept in mind for the last thousand names', async () => {
    const store = openSqliteAnswers(path, log);
    refuse();
    const many = Array.from({ length: 1500 }, (_, index) => parseDomainName(`many-${index}.example`));
    await Promise.allSettled(many.map((name) => store.put(free(name, 5))));
    expect((await store.getMany(many, 'verdict')).size).toBe(1000);
    sql('DROP TRIGGER refusal');
    await store.close();
  });

  it('fails nobody else who puts something', async () => {
    const store = openSqliteAnswers(path, log);
    refuse(alpha);
    await expect(store.put(held(alpha, 5))).rejects.toThrow('the disk is full');
    await store.put(free(beta, 6));
    await store.put(free(beta, 7));
    sql('DROP TRIGGER refusal');
    await store.close();
    expect(await known()).toEqual([held(alpha, 5), free(beta, 7)]);
  });
});

it('several processes may make the file and write at once', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map(writeInAnotherProcess));
  const names = ['a', 'b', 'c', 'd'].flatMap((who) =>
    Array.from({ length: 100 }, (_, index) => parseDomainName(`${who}-${index}.example`)),
  );
  const store = openSqliteAnswers(path, log);
  expect((await store.getMany(names, 'registration')).size).toBe(400);
  await store.close();
  expect(lines).toEqual([]);
});

it('answers are given and taken while a long sweep is under way, and closing ends it', async () => {
  const store = openSqliteAnswers(path, log);
  const old = Array.from({ length: 1000 }, (_, index) => held(parseDomainName(`old-${index}.example`), 1));
  await Promise.all(old.map((answer) => store.put(answer)));
  const swept = store.sweep(10, 10);
  await store.put(free(alpha, 20));
  expect((await store.getMany([alpha], 'registration')).size).toBe(1);
  await store.close();
  await swept;
});

it('a forgotten contact can no longer be read from the disk', async () => {
  const store = openSqliteAnswers(path, log);
  await store.put(held(alpha, 1, 'Forgotten Person'));
  await store.put(held(beta, 1, 'Forgotten Person'.repeat(1000)));
  expect(onDisk()).toContain('Forgotten Person');
  await store.sweep(0, 10);
  expect(onDisk()).not.toContain('Forgotten Person');
  await store.close();
});

it('nothing of a registration stays on the disk once its name is free, or its answer is forgotten', async () => {
  const store = openSqliteAnswers(path, log);
  await Promise.all([store.put(held(alpha, 1, 'Former Holder')), store.put(held(beta, 1, 'Forgotten Person'))]);
  await store.put(free(alpha, 5));
  await store.sweep(3, 0);
  expect(onDisk()).not.toMatch(/Former Holder|Forgotten Person|A Registrar/);
  expect([...(await store.getMany([alpha, beta], 'registration')).values()]).toEqual([free(alpha, 5)]);
  await store.close();
});

describe('a broken file is set aside and made anew', () => {
  const damages: Record<string, () => void> = {
    'when it is no database': () => writeFileSync(path, 'not a database at all '.repeat(500)),
    'when it was cut off': () => truncateSync(path, 5000),
    'when a newer gateway wrote it': () => sql('PRAGMA user_version = 99'),
    'when the tables in it are not ours': () => sql('DROP TABLE answers; CREATE TABLE answers (id)'),
    'when it turns out on reading that a page is damaged': () => damagePageOf('answers'),
    'when it turns out on reading that a text is damaged': () => sql("UPDATE registrations SET summary = '{' || summary"),
  };

  it.each(Object.keys(damages))('%s', async (when) => {
    await keep(held(alpha, 1));
    damages[when]?.();
    const damaged = readFileSync(path);
    const store = openSqliteAnswers(path, log);
    expect(await store.getMany([alpha], 'registration')).toEqual(new Map());
    await store.put(free(beta, 2));
    await store.close();
    expect(await known()).toEqual([free(beta, 2)]);
    const msg = 'answers file was broken: set aside and made anew';
    expect(lines).toEqual([expect.objectContaining({ msg, file: path, setAside: expect.stringMatching(/\.broken-\d{13}$/) })]);
    expect(readFileSync(lines[0]?.setAside ?? '').equals(damaged)).toBe(true);
  });

  it('together with its log, while somebody still has it open', async () => {
    await keep(held(alpha, 1));
    const somebody = new DatabaseSync(path);
    somebody.exec('PRAGMA user_version = 99');
    expect(await known()).toEqual([]);
    expect(existsSync(`${lines[0]?.setAside}-wal`)).toBe(true);
    somebody.close();
    expect(lines).toHaveLength(1);
  });

  it('but a path that cannot be used is a refusal to open, and stays as it is', () => {
    mkdirSync(path);
    expect(() => openSqliteAnswers(path, log)).toThrow('unable to open database file');
    expect(readdirSync(folder)).toEqual(['answers.db']);
  });
});

async function keep(...answers: StoredAnswer[]): Promise<void> {
  const store = openSqliteAnswers(path, log);
  await Promise.all(answers.map((answer) => store.put(answer)));
  await store.close();
}

async function known(): Promise<StoredAnswer[]> {
  const store = openSqliteAnswers(path, log);
  const found = await store.getMany([alpha, beta], 'registration');
  await store.close();
  return [...found.values()];
}

/** Puts 100 answers, one after the other, so that the processes get in each other's way. */
async function writeInAnotherProcess(who: string): Promise<void> {
  const program = `
    const { openSqliteAnswers } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/storage/sqlite/answers.ts'))});
    const store = openSqliteAnswers(${JSON.stringify(path)}, console);
    const answer = { verdict: 'AVAILABLE', endpoint: 'https://rdap.example/', checkedAt: 1, whole: true };
    for (let index = 0; index < 100; index++) await store.put({ ...answer, name: '${who}-' + index + '.example' });
    await store.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'inherit', 'inherit'] });
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
  const page = Number(database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage']);
  database.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
}

function onDisk(): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'latin1'))
    .join('');
}

/** From now on no answer is taken, or none for this name. */
function refuse(name = ''): void {
  sql(`CREATE TRIGGER refusal BEFORE INSERT ON answers WHEN new.name LIKE '%${name}' BEGIN SELECT raise(ABORT, 'the disk is full'); END`);
}

/** How many stand in the file. */
function watch() {
  const file = new DatabaseSync(path, { readOnly: true });
  const count = file.prepare('SELECT count(*) AS count FROM answers');
  return { written: () => Number(count.get()?.['count']), [Symbol.dispose]: () => file.close() };
}

/** Does something in every turn for four times as long as it takes until nobody seems to be there. */
async function goOn(use: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + 100;
  while (performance.now() < end) {
    await use();
    await nextTurn();
  }
}

function askOn(store: AnswerStore): Promise<void> {
  return goOn(() => store.getMany([beta], 'verdict'));
}

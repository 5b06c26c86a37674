import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { StoredAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { readRegistration } from '../../../src/registries/rdap/registration.ts';
import { SqliteAnswers } from '../../../src/storage/sqlite/answers.ts';
import { typicalAnswer } from '../../bench/servers/typical-answer.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';
import { blocksIn, bytesOnDisk, filesIn } from '../bytes-on-disk.ts';
import { availableAnswer, registeredAnswer, withoutRecord } from '../contracts/sample-answers.ts';

const names = Array.from({ length: 30 }, (_, index) => parseDomainName(`name-${index}.example`));

describe('records in a SQLite file', () => {
  it('take a fifth of their JSON if they are written together', async () => {
    await using store = await openStore();
    const answers = Array.from({ length: 500 }, (_, index) => typicalAnswer(index, 1));
    await store.put(answers);
    expect(statSync(store.path).size).toBeLessThan(charactersOf(answers) / 5);
  });

  it('take a fifth of their JSON after the next expiry if they are written one by one', async () => {
    await using store = await openStore();
    const answers = Array.from({ length: 50 }, (_, index) => typicalAnswer(index, 1));
    for (const answer of answers) await store.put([answer]);
    expect(blocksIn(store.path)).toEqual([]);
    await store.answers.deleteExpired(0, 0);
    const bytes = blocksIn(store.path).reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(charactersOf(answers) / 5);
    expect(store.countUncompressed()).toBe(0);
    await store.reopen();
    expect(await store.read(answers)).toEqual(answers);
  });

  it('are read without their block if only the verdict is read', async () => {
    await using store = await openStore();
    const answers = names.map((name) => answerOf(name, 1));
    await store.put(answers);
    store.sql("UPDATE blocks SET records = x'00'");
    await store.reopen();
    expect((await store.answers.getAnswers(names, 'verdict')).size).toBe(names.length);
    expect(store.lines).toEqual([]);
  });

  it('are read from a file of version 1, and compressed by the next expiry', async () => {
    await using store = await openStore();
    const answers = [
      ...names.map((name) => answerOf(name, 1)),
      registeredAnswer(parseDomainName('parsed.example'), 1, 'x'.repeat(10_000)),
    ];
    for (const answer of answers) await store.put([answer]);
    store.sql('DROP TABLE blocks; ALTER TABLE registrations DROP COLUMN block');
    store.sql('PRAGMA user_version = 1');
    await store.reopen();
    expect(await store.read(answers)).toEqual(answers);

    await store.answers.deleteExpired(0, 0);
    await store.reopen();
    expect(await store.read(answers)).toEqual(answers);
    expect(blocksIn(store.path)).toHaveLength(3);
  });
});

describe('no byte of a record remains in the files and in their blocks', () => {
  const [name = parseDomainName('none.example')] = names;
  const changes: Readonly<Record<string, (answers: SqliteAnswers) => Promise<void>>> = {
    'when its name becomes available': (answers) => answers.putAnswer(availableAnswer(name, 5)),
    'when its name is registered again': (answers) =>
      answers.putAnswer(registeredAnswer(name, 5, 'Other Person')),
    'when many names are registered again': async (answers) => {
      await Promise.all(names.slice(0, 20).map((each) => answers.putAnswer(answerOf(each, 5))));
    },
    'when records of its age are deleted': (answers) => answers.deleteExpired(0, 2),
    'when answers of its age are deleted': (answers) => answers.deleteExpired(2, 0),
  };

  it.each(Object.keys(changes))('%s', async (reason) => {
    await using store = await openStore();
    const old = answerOf(name, 1, 'Former Holder');
    const others = names.slice(1).map((each) => answerOf(each, 3));
    await store.put([old, ...others]);
    const blocks = blocksIn(store.path);
    expect(blocks).toHaveLength(2);
    expect(bytesOnDisk(store.folder.path, 'answers.db').includes('Former Holder')).toBe(true);

    await changes[reason]?.(store.answers);
    await store.answers.deleteExpired(0, 0);
    expect(bytesOnDisk(store.folder.path, 'answers.db').includes('Former Holder')).toBe(false);
    expect(partsFound(lostBlock(blocks, store.path), store)).toEqual([]);

    await store.reopen();
    const complete = (await store.read(others)).filter(({ isComplete }) => isComplete);
    expect(complete.map((each) => each.name)).toEqual(names.slice(1));
  });

  it('when all records are deleted', async () => {
    await using store = await openStore();
    const answers = names.map((each) => answerOf(each, 1));
    await store.put(answers);
    const blocks = blocksIn(store.path);
    await store.answers.deleteExpired(0, 2);
    expect(blocksIn(store.path)).toEqual([]);
    for (const block of blocks) expect(partsFound(block, store)).toEqual([]);
    expect(await store.read(answers)).toEqual(answers.map(withoutRecord));
  });
});

describe('a damaged block', () => {
  it('is never read as another record', async () => {
    for (let part = 0; part < 20; part += 1) {
      await using store = await openStore();
      const answers = names.map((each) => answerOf(each, 1));
      await store.put(answers);
      store.flipBit(part / 20);
      await store.reopen();
      const found = await store.read(answers);
      expect(answers).toEqual(expect.arrayContaining(found));
      expect(store.lines).toHaveLength(found.length === answers.length ? 0 : 1);
    }
  });

  it.each([
    ['is missing', 'DELETE FROM blocks'],
    ['is empty', "UPDATE blocks SET records = x''"],
    [
      'lacks the record',
      'UPDATE registrations SET id = id + 1000; UPDATE answers SET registration = registration + 1000',
    ],
  ])('that %s is looked up again', async (_what, statements) => {
    await using store = await openStore();
    const answers = names.map((each) => answerOf(each, 1));
    await store.put(answers);
    store.sql(statements);
    await store.reopen();
    expect(await store.read(answers)).toEqual([]);
    await store.put(answers);
    expect(await store.read(answers)).toEqual(answers);
  });

  it('does not keep others from expiry', async () => {
    await using store = await openStore();
    await store.put(names.map((each) => answerOf(each, 1)));
    store.flipBit(0.5);
    await store.reopen();
    await store.answers.deleteExpired(0, 2);
    expect(bytesOnDisk(store.folder.path, 'answers.db').includes('Person')).toBe(false);
  });
});

/** Returns an answer with an object of 5 KB, which contains the name of a person and random text. */
function answerOf(
  name: string,
  checkedAt: number,
  person = `Person of ${name} at ${checkedAt}`,
): StoredAnswer {
  const noise = createHash('shake256', { outputLength: 3600 }).update(person).digest('base64');
  const text = JSON.stringify({
    objectClassName: 'domain',
    ldhName: name,
    entities: [
      {
        objectClassName: 'entity',
        roles: ['registrant'],
        vcardArray: ['vcard', [['fn', {}, 'text', person]]],
      },
    ],
    remarks: [{ description: [noise] }],
  });
  return {
    ...availableAnswer(name, checkedAt),
    verdict: 'REGISTERED',
    registration: () => readRegistration(text),
    objectText: () => text,
  };
}

function charactersOf(answers: readonly StoredAnswer[]): number {
  return answers.reduce((sum, { objectText }) => sum + (objectText?.().length ?? 0), 0);
}

/** Returns the first of the blocks that is no longer in the file. */
function lostBlock(blocks: readonly Buffer[], path: string): Buffer {
  const left = blocksIn(path);
  const lost = blocks.find((block) => !left.some((each) => each.equals(block)));
  if (!lost) throw new Error('All blocks are still in the file.');
  return lost;
}

/** Returns where parts of 32 bytes of a block are that are still in the files, outside of other blocks. */
function partsFound(block: Buffer, { folder, path }: OpenStore): readonly number[] {
  const files = filesIn(folder.path);
  const left = Buffer.concat(blocksIn(path));
  return Array.from({ length: Math.floor(block.length / 32) }, (_, index) => index * 32).filter(
    (from) => {
      const part = block.subarray(from, from + 32);
      return files.includes(part) && !left.includes(part);
    },
  );
}

async function openStore(): Promise<OpenStore> {
  return new OpenStore(await scratch());
}

/** A store of answers in a file of its own. */
class OpenStore implements AsyncDisposable {
  readonly folder: Scratch;
  readonly path: string;
  readonly lines: string[] = [];
  readonly #log = pino({ level: 'info' }, { write: (line: string) => this.lines.push(line) });
  answers: SqliteAnswers;

  constructor(folder: Scratch) {
    this.folder = folder;
    this.path = join(folder.path, 'answers.db');
    this.answers = new SqliteAnswers(this.path, this.#log);
  }

  /** Writes answers together, and forgets what is in memory. */
  async put(answers: readonly StoredAnswer[]): Promise<void> {
    const written = answers.map((answer) => this.answers.putAnswer(answer));
    await this.reopen();
    await Promise.all(written);
  }

  /** Returns the stored answers for the names of these, in their order. */
  async read(answers: readonly StoredAnswer[]): Promise<StoredAnswer[]> {
    const wanted = answers.map(({ name }) => name);
    const found = await this.answers.getAnswers(wanted, 'registration');
    return wanted.flatMap((name) => found.get(name) ?? []);
  }

  async reopen(): Promise<void> {
    await this.answers.close();
    this.answers = new SqliteAnswers(this.path, this.#log);
  }

  sql(statements: string): void {
    const database = new DatabaseSync(this.path);
    database.exec(statements);
    database.close();
  }

  /** Returns how many records are in no block. */
  countUncompressed(): unknown {
    const database = new DatabaseSync(this.path, { readOnly: true });
    const row = database.prepare('SELECT count(record) AS count FROM registrations').get();
    database.close();
    return row?.['count'];
  }

  /** Flips a bit of the first block, at a share of its length. */
  flipBit(place: number): void {
    const database = new DatabaseSync(this.path);
    const row = database.prepare('SELECT id, records FROM blocks').get();
    const block = Buffer.from(row?.['records'] as Uint8Array);
    const index = Math.floor(block.length * place);
    block.writeUInt8((block[index] ?? 0) ^ 16, index);
    database.prepare('UPDATE blocks SET records = ? WHERE id = ?').run(block, Number(row?.['id']));
    database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.answers.close();
    await this.folder[Symbol.asyncDispose]();
  }
}

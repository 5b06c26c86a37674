import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { summaryWithoutRecord, type PartialAnswerRow } from '../row.ts';
import { prepareAll } from './open.ts';

/**
 * Characters of the records in a block. Twice as many save a tenth of the disk space, and reading a
 * record takes 30 µs longer.
 */
const blockCharacters = 64_000;
/** Limits of one transaction, which then takes a few milliseconds. */
const maxPackedCharacters = 4 * blockCharacters;
const maxCleanedBlocks = 2;

/** A record with the ID of its registration. */
interface StoredRecord {
  readonly id: number | bigint;
  readonly checkedAt: number;
  readonly record: string;
}

interface Block {
  readonly id: number;
  readonly records: Uint8Array;
}

interface Summary extends Omit<StoredRecord, 'record'> {
  readonly id: number;
  readonly summary: string;
}

/** A row as it is read, with the block that contains its record. */
export type BlockRow = PartialAnswerRow & {
  readonly registration: number | null;
  readonly block: number | null;
  readonly records: Uint8Array | null;
};

/**
 * The records of an SQLite file that are compressed together. An overwritten or deleted one stays in
 * its block, unread, until the block is cleaned. Every method runs in a transaction of the caller, and
 * throws `SyntaxError` if a block is damaged.
 */
export class RecordBlocks {
  readonly #statements: Readonly<Record<keyof typeof statements, StatementSync>>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, statements);
  }

  /** Adds a block with the records of these registrations. */
  add(records: readonly StoredRecord[]): void {
    if (records.length === 0) return;
    const block = this.#statements.add.run(oldestOf(records), compress(records)).lastInsertRowid;
    for (const { id } of records) this.#statements.moveIn.run(block, id);
  }

  /** Marks the block that contains the record of a registration, which is about to be replaced. */
  forget(registration: number): void {
    this.#statements.forget.run(registration);
  }

  /** Marks the blocks with records of the oldest answers before a time, which are about to be deleted. */
  forgetOldest(before: number, limit: number): void {
    this.#statements.forgetOldest.run(before, limit);
  }

  /**
   * Removes the records that are older than `before` (epoch ms), overwritten or deleted from some
   * blocks. Returns false if no block has any.
   */
  clean(before: number): boolean {
    const limit = Math.max(before, 0); // finds marked blocks at any time
    const blocks = this.#statements.unclean.all(limit, maxCleanedBlocks);
    for (const block of blocks) this.#clean(block as unknown as Block, limit);
    return blocks.length > 0;
  }

  /** Compresses some records that are in no block. Returns false if they are too few for one. */
  pack(): boolean {
    const records: StoredRecord[] = [];
    let characters = 0;
    for (const row of this.#statements.unpacked.iterate()) {
      const stored = row as unknown as StoredRecord;
      records.push(stored);
      characters += stored.record.length;
      if (characters >= maxPackedCharacters) break;
    }

    const groups = groupRecords(records);
    for (const group of groups) this.add(group);
    return groups.length > 0;
  }

  #clean({ id: block, records }: Block, before: number): void {
    const lines = recordsIn(open(records));
    const rows = this.#statements.inBlock.all(JSON.stringify([...lines.keys()]), block);
    const kept: StoredRecord[] = [];
    for (const { id, checkedAt, summary } of rows as unknown as Summary[]) {
      const record = lines.get(id) ?? '';
      if (checkedAt >= before) kept.push({ id, checkedAt, record });
      else this.#statements.summarize.run(summaryWithoutRecord({ summary, record }), id);
    }

    if (groupRecords(kept).length > 0)
      return void this.#statements.rewrite.run(oldestOf(kept), compress(kept), block);
    for (const { id, record } of kept) this.#statements.moveOut.run(record, id);
    this.#statements.delete.run(block);
  }
}

/**
 * Divides records into groups that are worth a block each; none if they are shorter than half a
 * block. Sorting brings those of a registry together, which saves a fifth of the space.
 */
export function groupRecords<Row extends { readonly record: string }>(
  rows: readonly Row[],
): readonly Row[][] {
  const total = rows.reduce((sum, { record }) => sum + record.length, 0);
  const count = Math.round(total / blockCharacters);
  if (count === 0) return [];

  const groups: Row[][] = [[]];
  let characters = 0;
  for (const row of rows.toSorted((a, b) => (a.record < b.record ? -1 : 1))) {
    if (characters >= (groups.length * total) / count) groups.push([]);
    groups.at(-1)?.push(row);
    characters += row.record.length;
  }

  return groups;
}

/**
 * Returns rows with their records. Those in the same block must follow one another. Throws
 * `SyntaxError` if a block is damaged.
 */
export function withRecords(rows: readonly BlockRow[]): readonly PartialAnswerRow[] {
  let opened: { readonly block: number; readonly text: Buffer } | undefined;
  return rows.map(({ registration, block, records, ...row }) => {
    if (block === null) return row;
    if (opened?.block !== block) opened = { block, text: open(records) };
    return { ...row, record: recordOf(registration, opened.text) };
  });
}

function oldestOf(records: readonly StoredRecord[]): number {
  return Math.min(...records.map(({ checkedAt }) => checkedAt));
}

// A block is lines of IDs and records, which contain no line breaks.
function compress(records: readonly StoredRecord[]): Uint8Array {
  const lines = records.map(({ id, record }) => `\n${id} ${record}`);
  return zstdCompressSync(`${lines.join('')}\n`, {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

function open(block: Uint8Array | null): Buffer {
  try {
    return zstdDecompressSync(block ?? '');
  } catch (error) {
    throw new SyntaxError('A block of records is damaged.', { cause: error });
  }
}

function recordOf(id: number | null, text: Buffer): string {
  const start = `\n${id} `;
  const index = text.indexOf(start);
  if (index === -1) throw new SyntaxError(`A block of records lacks that of registration ${id}.`);
  const from = index + start.length;
  return text.toString('utf8', from, text.indexOf('\n', from));
}

function recordsIn(text: Buffer): ReadonlyMap<number, string> {
  const lines = text.toString().slice(1, -1).split('\n');
  return new Map(
    lines.map((line) => [Number.parseInt(line, 10), line.slice(line.indexOf(' ') + 1)]),
  );
}

const statements = {
  add: 'INSERT INTO blocks (oldest, records) VALUES (?, ?)',
  moveIn: 'UPDATE registrations SET record = NULL, block = ? WHERE id = ?',
  forget:
    'UPDATE blocks SET oldest = -1 WHERE oldest >= 0 AND id = (SELECT block FROM registrations WHERE id = ?)',
  forgetOldest: `
    UPDATE blocks SET oldest = -1 WHERE oldest >= 0 AND id IN (
      SELECT block FROM registrations WHERE id IN (
        SELECT registration FROM answers WHERE checked_at < ? ORDER BY checked_at, name LIMIT ?))`,
  unclean: 'SELECT id, records FROM blocks WHERE oldest < ? ORDER BY oldest LIMIT ?',
  inBlock: `
    SELECT registrations.id, checked_at AS checkedAt, summary
    FROM json_each(?) AS line CROSS JOIN registrations ON registrations.id = line.value WHERE block = ?`,
  rewrite: 'UPDATE blocks SET oldest = ?, records = ? WHERE id = ?',
  moveOut: 'UPDATE registrations SET record = ?, block = NULL WHERE id = ?',
  summarize: 'UPDATE registrations SET summary = ?, block = NULL WHERE id = ?',
  delete: 'DELETE FROM blocks WHERE id = ?',
  unpacked:
    'SELECT id, checked_at AS checkedAt, record FROM registrations WHERE record IS NOT NULL ORDER BY checked_at',
};

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

/** Returns the compressed blocks of records in a file of answers. */
export function blocksIn(file: string): readonly Buffer[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const blocks = database.prepare('SELECT records FROM blocks').all();
  database.close();
  return blocks.map(({ records }) => Buffer.from(records as Uint8Array));
}

/** Returns what the files in a folder contain. */
export function filesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));
}

/** Returns what the files in a folder contain, also in the blocks of a file of answers. */
export function bytesOnDisk(folder: string, answers: string): Buffer {
  const blocks = blocksIn(join(folder, answers)).map((block) => zstdDecompressSync(block));
  return Buffer.concat([filesIn(folder), ...blocks]);
}

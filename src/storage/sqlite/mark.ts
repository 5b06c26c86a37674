import { DatabaseSync } from 'node:sqlite';
import { makeFile } from './open.ts';

/** A mark beside a file that one gateway at a time can have; the system takes it back when that process ends. */
export interface Mark {
  close(): void;
}

/** Takes the mark, from one that is just ending, too; undefined when another has it. Throws what SQLite throws for a folder that cannot be written. */
export function takeMark(path: string): Mark | undefined {
  const file = `${path}-mark`;
  makeFile(file);
  const mark = new DatabaseSync(file);
  try {
    // Nothing is written: it needs no file of a journal beside it.
    mark.exec(`PRAGMA busy_timeout = ${endingMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
    return mark;
  } catch (error) {
    mark.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined;
    throw error;
  }
}

/** A process that was killed has what it had for a moment longer. */
const endingMs = 1000;
/** SQLITE_BUSY. */
const busy = 5;

import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../clock.ts';
import { makeFile } from './open.ts';

/** A mark beside a file that one gateway at a time has; the system takes it back when that process ends. */
export interface Mark {
  /** Whether nobody had it when this one came. */
  readonly wasFree: boolean;
  close(): void;
}

/**
 * Takes the mark of a file for as long as this process lives, from one that is just ending, too; or else as soon as it is free, so that whoever
 * comes later finds it taken. Throws what SQLite throws for a mark that cannot be made.
 */
export function holdMark(path: string): Mark {
  let held = takeMark(path, endingMs);
  const wasFree = held !== undefined;
  let cancel = wasFree ? undefined : systemClock.after(againMs, tryAgain);

  function tryAgain(): void {
    try {
      held = takeMark(path, 0);
    } catch {
      // Where the folder is gone there is nothing to be marked.
    }
    cancel = held ? undefined : systemClock.after(againMs, tryAgain);
  }

  return {
    wasFree,
    close() {
      cancel?.();
      held?.close();
    },
  };
}

/** Undefined when another has it. */
function takeMark(path: string, patienceMs: number): DatabaseSync | undefined {
  const file = `${path}-mark`;
  makeFile(file);
  const mark = new DatabaseSync(file);
  try {
    // Nothing is written: it needs no file of a journal beside it.
    mark.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
    return mark;
  } catch (error) {
    mark.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined;
    throw error;
  }
}

/** A process that was killed has what it had for a moment longer. */
const endingMs = 1000;
const againMs = 1000;
/** SQLITE_BUSY. */
const busy = 5;

// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { AccountsFile, type TableCall } from './accounts-file.ts';
import { LostEntriesError } from './last-entry-file.ts';
import causes from './open-errors.json' with { type: 'json' };
import { SqliteSchemaTooNewError } from './open.ts';

/**
 * The first message of this thread: whether the file could be opened. Each later message contains
 * the results of the calls in one message to it: a single read, or several changes that are
 * committed together.
 */
export type OpenResult = { readonly openError?: string; readonly cause?: unknown };

/** Returns why a ledger cannot be opened and how to fix it, in one or two sentences. */
function describeSqliteOpenError(path: string, error: unknown): string {
  if (error instanceof SqliteSchemaTooNewError) {
    return `The ledger ${path} was written by a newer version of this gateway. Run that version, or restore a backup from before the upgrade.`;
  }
  if (error instanceof LostEntriesError) return `The ledger ${path} ${error.message}.`;
  const { reason, remedy } = causes[causeOf(error)];
  return `The ledger ${path} ${reason}. ${remedy}.`;
}

type Cause = keyof typeof causes;

function causeOf(error: unknown): Cause {
  if (!(error instanceof Error)) return 'failing';
  if ('errcode' in error && typeof error.errcode === 'number')
    return sqliteCauses[error.errcode & 0xff] ?? 'failing';
  if ('syscall' in error && 'code' in error)
    return folderCauses[String(error.code)] ?? 'unreachable';
  return 'damaged';
}

/** By SQLite's primary result codes. */
const sqliteCauses: Readonly<Partial<Record<number, Cause>>> = {
  1: 'damaged', // SQLITE_ERROR: the statements do not match its tables, which belong to another program
  3: 'readOnly', // SQLITE_PERM
  5: 'busy',
  8: 'readOnly',
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full',
  14: 'unreachable', // SQLITE_CANTOPEN
  26: 'damaged', // SQLITE_NOTADB
};

/** By the error code of the system call that failed. */
const folderCauses: Readonly<Partial<Record<string, Cause>>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'readOnly',
  EACCES: 'readOnly',
};

const path = String(workerData);

function open() {
  try {
    return new AccountsFile(path);
  } catch (cause) {
    parentPort?.postMessage({
      openError: describeSqliteOpenError(path, cause),
      cause,
    } satisfies OpenResult);
    return undefined;
  }
}

const file = open();
if (file) {
  parentPort?.on('message', (message: TableCall | readonly TableCall[] | 'close') => {
    if (message === 'close') {
      file.close();
      parentPort?.close();
    } else {
      parentPort?.postMessage('method' in message ? [file.read(message)] : file.commit(message));
    }
  });
  parentPort?.postMessage({} satisfies OpenResult);
  flushCompileCache(); // the cache of `main.ts` covers only the main thread
}

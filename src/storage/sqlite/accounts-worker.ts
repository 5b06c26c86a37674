// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { AccountsFile, type TableCall } from './accounts-file.ts';
import { LostEntriesError } from './last-entry-file.ts';
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
  const [reason, remedy] = causes[causeOf(error)];
  return `The ledger ${path} ${reason}. ${remedy}.`;
}

const causes = {
  damaged: [
    'is corrupt or not a ledger',
    'Restore it from a backup, or move it away with its -wal, -shm and -last-entry files to start with an empty ledger without keys',
  ],
  readOnly: [
    'is not writable',
    'Grant this user write access to the file and its folder, or set STORE_URL to another location',
  ],
  full: ['cannot grow: the disk is full', 'Free disk space, or set STORE_URL to another location'],
  busy: ['is locked by another program', 'Stop that program, then start the gateway again'],
  unreachable: [
    'cannot be opened',
    'Set STORE_URL to a file that this user can read and write, in a folder that exists or can be created',
  ],
  failing: [
    'cannot be read or written',
    'Check the disk, or restore the file from a backup to another location',
  ],
} as const;

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

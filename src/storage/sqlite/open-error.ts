import { LostEntriesError } from './accounts/last-entry-file.ts';
import { SqliteSchemaTooNewError } from './open.ts';

/** Why a ledger cannot be opened, and what to do about it, in a sentence or two. */
export function describeSqliteOpenError(path: string, error: unknown): string {
  if (error instanceof SqliteSchemaTooNewError) {
    return `The ledger ${path} was written by a newer version of this gateway; run that version, or restore a backup from before it.`;
  }
  if (error instanceof LostEntriesError) return `The ledger ${path} ${error.message}.`;
  const [reason, remedy] = causes[causeOf(error)];
  return `The ledger ${path} ${reason}; ${remedy}.`;
}

const causes = {
  damaged: [
    'is damaged, or no ledger at all',
    'restore it from a backup, or move it away together with its -wal, -shm and -last-entry files to begin anew, without any keys',
  ],
  readOnly: [
    'cannot be written',
    'let this user write the file and its folder, or name another place in STORE_URL',
  ],
  full: ['has no room to grow', 'free some space on its disk, or name another place in STORE_URL'],
  busy: ['is held by another program', 'end that program, then start again'],
  unreachable: [
    'cannot be opened',
    'name a file in STORE_URL, in a folder that exists or can be made, which this user may read and write',
  ],
  failing: [
    'cannot be read or written',
    'check its disk, or restore the file from a backup to another place',
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
  1: 'damaged', // SQLITE_ERROR: our statements do not fit its tables, which are somebody else's
  3: 'readOnly', // SQLITE_PERM
  5: 'busy',
  8: 'readOnly',
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full',
  14: 'unreachable', // SQLITE_CANTOPEN
  26: 'damaged', // SQLITE_NOTADB
};

/** By what making the folder came to. */
const folderCauses: Readonly<Partial<Record<string, Cause>>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'readOnly',
  EACCES: 'readOnly',
};

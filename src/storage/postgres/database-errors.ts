import { DatabaseError } from 'pg';
import causes from './open-errors.json' with { type: 'json' };

/**
 * The database did not run a valid statement: it is down, frozen, full, locked, or has become a
 * replica.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** The statement was sent, and no response confirms that it was not applied. */
  readonly maybeApplied: boolean;
  /** An `OutageLog` reports it. */
  readonly isReported = true;

  constructor(message: string, maybeApplied: boolean, cause?: unknown) {
    super(message, { cause });
    this.maybeApplied = maybeApplied;
  }
}

/**
 * Returns whether the database failed rather than the statement (invalid SQL, a violated
 * constraint).
 */
export function isOutage(error: unknown): boolean {
  return !(error instanceof DatabaseError) || outageStates.test(error.code ?? '');
}

/**
 * Returns whether the server canceled the statement because it exceeded `statement_timeout`. It was
 * rolled back, and the server is available.
 */
export function wasCanceled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014';
}

/**
 * Returns whether the database reported that it did not apply the statement. A server that is
 * shutting down may report this for a statement that it did apply.
 */
export function wasRejected(error: unknown): boolean {
  return (
    wasCanceled(error) ||
    (error instanceof DatabaseError && !/^(?:08|57|58|XX)/.test(error.code ?? ''))
  );
}

// Classes: connection, authorization, no such database, resources (too many connections, full
// disk), operator intervention (shutting down, starting up, canceled), I/O, internal. 25006 is a
// write on a replica, as after a failover.
const outageStates = /^(?:08|28|3D|53|57|58|XX|25006)/;

/** The tables were created by a newer gateway and are not supported by this version. */
export class PostgresSchemaTooNewError extends Error {
  override readonly name = 'PostgresSchemaTooNewError';

  constructor(version: number, maxVersion: number) {
    super(`The database has schema version ${version}; this gateway supports up to ${maxVersion}.`);
  }
}

/** The database is a replica, or configured as read-only. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
}

/** The database cannot store all Unicode characters, which answers contain. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/**
 * Returns why a database cannot be used and how to fix it, in one or two sentences without the
 * password.
 */
export function describePostgresOpenError(url: string, error: unknown): string {
  const location = locationOf(url);
  if (error instanceof PostgresSchemaTooNewError) {
    return `The database ${location} was written by a newer version of this gateway. Run that version, or restore a backup from before the upgrade.`;
  }
  if (error instanceof ReadOnlyError)
    return `The database ${location} is read-only, like a replica. Set STORE_URL to the primary.`;
  if (error instanceof EncodingError) {
    return `The database ${location} uses the encoding ${error.message}. Create it with ENCODING 'UTF8', or set STORE_URL to another database.`;
  }

  const { reason, remedy } = causes[causeOf(error)];
  const message = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
  return `The database ${location} ${reason}${message && ` (${message})`}. ${remedy}.`;
}

function causeOf(error: unknown): keyof typeof causes {
  if (!(error instanceof DatabaseError)) return 'unreachable';
  const code = error.code ?? '';
  return causesBySqlState[code] ?? causesBySqlState[code.slice(0, 2)] ?? 'failing';
}

/** By SQLSTATE or its class. */
const causesBySqlState: Readonly<Partial<Record<string, keyof typeof causes>>> = {
  '28': 'refused',
  '3D': 'missing',
  '53300': 'crowded',
  '57': 'unreachable',
  '42501': 'forbidden',
  '42P07': 'foreign',
  '42723': 'foreign',
  '42710': 'foreign',
  '42703': 'foreign',
};

/** Returns host, port and database of a URL, without user, password and options. */
function locationOf(url: string): string {
  if (!URL.canParse(url)) return 'of STORE_URL';
  const { protocol, host, pathname, search, hash } = new URL(url);
  // A password that contains / ? or # ends the host part, and the rest of it precedes the `@` in
  // the other parts.
  if (`${pathname}${search}${hash}`.includes('@')) return 'of STORE_URL';
  return `${protocol}//${host}${pathname}`;
}

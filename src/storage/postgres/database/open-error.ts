import { DatabaseError } from 'pg';

/** The tables were made by a newer gateway, and this one cannot know them. */
export class PostgresSchemaTooNewError extends Error {
  override readonly name = 'PostgresSchemaTooNewError';

  constructor(version: number, maxVersion: number) {
    super(
      `the database has schema version ${version}; this gateway knows versions up to ${maxVersion}`,
    );
  }
}

/** A replica, or a database that was set to be read alone. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
}

/** Answers hold names and texts of any script. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** Why a database cannot be used, and what to do about it, in a sentence or two that hold no password. */
export function describePostgresOpenError(url: string, error: unknown): string {
  const location = locationOf(url);
  if (error instanceof PostgresSchemaTooNewError) {
    return `The database ${location} was written by a newer version of this gateway; run that version, or restore a backup from before it.`;
  }
  if (error instanceof ReadOnlyError)
    return `The database ${location} can only be read, as a replica can; name the primary in STORE_URL.`;
  if (error instanceof EncodingError) {
    return `The database ${location} keeps texts in ${error.message}; create it with ENCODING 'UTF8', or name another one in STORE_URL.`;
  }
  const [reason, remedy] = causes[causeOf(error)];
  const message = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
  return `The database ${location} ${reason}${message && ` (${message})`}; ${remedy}.`;
}

const causes = {
  unreachable: [
    'cannot be reached',
    'see that PostgreSQL runs, and that STORE_URL names its host and port',
  ],
  refused: ['does not let this user in', 'mend the user or the password in STORE_URL'],
  missing: ['does not exist', 'create it, or name another one in STORE_URL'],
  crowded: ['has no connection left', 'raise max_connections, or end what else holds them'],
  forbidden: ['may not be changed by this user', 'make the user its owner'],
  foreign: ['holds tables of another program', 'name one of its own in STORE_URL'],
  failing: ['cannot be used', 'see what its log says'],
} as const;

function causeOf(error: unknown): keyof typeof causes {
  if (!(error instanceof DatabaseError)) return 'unreachable';
  const code = error.code ?? '';
  return causesBySqlState[code] ?? causesBySqlState[code.slice(0, 2)] ?? 'failing';
}

/** By SQLSTATE, or its class. */
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

/** Host, port and database; nothing of the user, the password or the options. */
function locationOf(url: string): string {
  if (!URL.canParse(url)) return 'of STORE_URL';
  const { protocol, host, pathname, search, hash } = new URL(url);
  // A password with one of / ? # in it ends what is read as the host: the rest of it stands behind, before the `@`.
  if (`${pathname}${search}${hash}`.includes('@')) return 'of STORE_URL';
  return `${protocol}//${host}${pathname}`;
}

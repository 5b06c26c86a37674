import { DatabaseError } from 'pg';

/** The tables were made by a newer gateway, and this one cannot know them. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';

  constructor(found: number, known: number) {
    super(`the database has schema version ${found}; this gateway knows versions up to ${known}`);
  }
}

/** A replica, or a database that was set to be read alone. */
export class ReadOnly extends Error {
  override readonly name = 'ReadOnly';
}

/** Answers hold names and texts of any script. */
export class ForeignCharacters extends Error {
  override readonly name = 'ForeignCharacters';
}

/** Why a database cannot be used, and what to do about it, in a sentence or two that hold no password. */
export function whyUnusable(url: string, error: unknown): string {
  const place = placeOf(url);
  if (error instanceof NewerSchema) {
    return `The database ${place} was written by a newer version of this gateway; run that version, or restore a backup from before it.`;
  }
  if (error instanceof ReadOnly)
    return `The database ${place} can only be read, as a replica can; name the primary in STORE_URL.`;
  if (error instanceof ForeignCharacters) {
    return `The database ${place} keeps texts in ${error.message}; create it with ENCODING 'UTF8', or name another one in STORE_URL.`;
  }
  const [what, remedy] = causes[causeOf(error)];
  const said = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
  return `The database ${place} ${what}${said && ` (${said})`}; ${remedy}.`;
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
  return states[code] ?? states[code.slice(0, 2)] ?? 'failing';
}

/** By SQLSTATE, or its class. */
const states: Readonly<Partial<Record<string, keyof typeof causes>>> = {
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
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'of STORE_URL';
  const { protocol, host, pathname, search, hash } = new URL(url);
  // A password with one of / ? # in it ends what is read as the host: the rest of it stands behind, before the `@`.
  if (`${pathname}${search}${hash}`.includes('@')) return 'of STORE_URL';
  return `${protocol}//${host}${pathname}`;
}

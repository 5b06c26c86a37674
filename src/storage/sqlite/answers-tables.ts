import type { DatabaseSync } from 'node:sqlite';

/**
 * Most lookups read only the verdict, which is a hundredth of an answer: the verdicts of a million
 * names fit into the memory of a small machine. Registrations are in a separate table, in insertion
 * order; rows of 6 KB in name order would take 1.4 times the space.
 */
export const migrations = [
  `CREATE TABLE endpoints (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;
   CREATE TABLE answers (
     name TEXT PRIMARY KEY,
     verdict TEXT NOT NULL,
     endpoint INTEGER NOT NULL REFERENCES endpoints,
     checked_at INTEGER NOT NULL,
     expires_at INTEGER,
     evidence TEXT,
     registration INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE registrations (
     id INTEGER PRIMARY KEY,
     checked_at INTEGER NOT NULL,
     summary TEXT NOT NULL,
     record TEXT
   ) STRICT;
   CREATE TABLE notes (key TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX answers_by_age ON answers (checked_at);
   CREATE INDEX records_by_age ON registrations (checked_at) WHERE record IS NOT NULL;`,
];

/** Prepares the statements of the tables. */
export function prepare(database: DatabaseSync) {
  return {
    read: {
      verdict: database.prepare(readColumns('')),
      registration: database.prepare(
        readColumns(
          ', summary, record',
          'LEFT JOIN registrations ON registrations.id = registration',
        ),
      ),
    },
    find: database.prepare(
      'SELECT checked_at AS checkedAt, verdict, registration FROM answers WHERE name = ?',
    ),
    addEndpoint: database.prepare('INSERT INTO endpoints (url) VALUES (?) ON CONFLICT DO NOTHING'),
    write: database.prepare(
      `INSERT OR REPLACE INTO answers (name, verdict, endpoint, checked_at, expires_at, evidence, registration)
       VALUES (:name, :verdict, (SELECT id FROM endpoints WHERE url = :endpoint), :checkedAt, :expiresAt, :evidence, :registration)`,
    ),
    deleteOld: database.prepare(`DELETE FROM answers WHERE name IN ${oldest('name')}`),
    registrations: registrationStatements(database),
    keyValues: keyValueStatements(database),
  };
}

// CROSS JOIN fixes the join order: the requested names come first. As fast as `IN` with 500
// parameters.
const readColumns = (extraColumns: string, join = '') =>
  `SELECT name, verdict, url AS endpoint, answers.checked_at AS checkedAt, expires_at AS expiresAt, evidence ${extraColumns}
   FROM json_each(?) AS requested CROSS JOIN answers ON name = requested.value CROSS JOIN endpoints ON endpoints.id = endpoint ${join}`;

/** Selects the oldest answers before a time. */
const oldest = (column: string) =>
  `(SELECT ${column} FROM answers WHERE checked_at < ? ORDER BY checked_at, name LIMIT ?)`;

function registrationStatements(database: DatabaseSync) {
  return {
    write: database.prepare(
      'INSERT OR REPLACE INTO registrations (id, checked_at, summary, record) VALUES (?, ?, ?, ?)',
    ),
    delete: database.prepare('DELETE FROM registrations WHERE id = ?'),
    deleteOld: database.prepare(`DELETE FROM registrations WHERE id IN ${oldest('registration')}`),
    deleteRecords: database.prepare(
      `UPDATE registrations SET record = NULL
       WHERE id IN (SELECT id FROM registrations WHERE checked_at < ? AND record IS NOT NULL ORDER BY checked_at LIMIT ?)`,
    ),
  };
}

function keyValueStatements(database: DatabaseSync) {
  return {
    // A named parameter: Node 22 does not bind `?1`.
    read: database.prepare(
      'SELECT key, note FROM notes WHERE substr(key, 1, length(:prefix)) = :prefix',
    ),
    put: database.prepare(
      'INSERT INTO notes (key, note) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET note = excluded.note',
    ),
    // The update changes nothing: RETURNING returns only rows that were written.
    putIfAbsent: database.prepare(
      'INSERT INTO notes (key, note) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET note = note RETURNING note',
    ),
    deleteIf: database.prepare('DELETE FROM notes WHERE key = ? AND note = ?'),
  };
}

-- Most lookups read only the verdict, which is a hundredth of an answer: the verdicts of a million names
-- fit into the memory of a small machine. Registrations are in a separate table, in insertion order;
-- rows of 6 KB in name order would take 1.4 times the space.
CREATE TABLE endpoints (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;
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
CREATE INDEX records_by_age ON registrations (checked_at) WHERE record IS NOT NULL;

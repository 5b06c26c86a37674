-- The key hashes of a revoked account are deleted, so that no later bug can reactivate its keys.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  credits INTEGER,
  origins TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE TABLE keys (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts,
  works_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_account ON keys (account_id);

-- A refund refers to the entry that it corrects. Entries are append-only; `reservations` contains only
-- open reservations.
CREATE TABLE counters (
  account_id TEXT NOT NULL REFERENCES accounts,
  month TEXT NOT NULL,
  used INTEGER NOT NULL CHECK (used >= 0),
  PRIMARY KEY (account_id, month)
) STRICT, WITHOUT ROWID;
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  month TEXT NOT NULL,
  amount INTEGER NOT NULL,
  at INTEGER NOT NULL,
  corrects INTEGER
) STRICT;
CREATE TABLE reservations (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  month TEXT NOT NULL,
  amount INTEGER NOT NULL
) STRICT;
CREATE TABLE probes (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;

CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  charged INTEGER NOT NULL CHECK (charged >= 0),
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (claimed_at);

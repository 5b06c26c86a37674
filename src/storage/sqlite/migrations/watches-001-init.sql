-- Times are epoch milliseconds of the gateways' clocks, months are like 2026-11 and empty for none.
-- A name is looked at again at `next_look`; a node that looks at it sets `next_look` to the end of
-- its claim.
CREATE TABLE watched_names (name TEXT PRIMARY KEY, next_look INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
CREATE INDEX watched_names_due ON watched_names (next_look);

-- A watch that has ended is kept until its month ends: the month is paid.
CREATE TABLE watches (
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  label TEXT,
  started_at INTEGER NOT NULL,
  since_seq INTEGER NOT NULL,
  paid_month TEXT NOT NULL,
  verdict_month TEXT NOT NULL,
  problem TEXT,
  ended INTEGER NOT NULL,
  PRIMARY KEY (account, name)
) STRICT;
CREATE INDEX watches_by_name ON watches (name);

-- A new log begins with each start of a gateway, so that a restored backup does not use an id twice.
CREATE TABLE change_logs (id TEXT PRIMARY KEY, first_seq INTEGER NOT NULL, opened INTEGER NOT NULL) STRICT;
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  log TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  not_before INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  evidence TEXT NOT NULL
) STRICT;
CREATE INDEX changes_by_name ON changes (name, seq);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  url TEXT NOT NULL,
  host TEXT NOT NULL,
  types TEXT NOT NULL,
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  next_attempt INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  failing_since INTEGER,
  last_problem TEXT,
  disabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_account ON webhooks (account);

CREATE TABLE feeds (id TEXT PRIMARY KEY, account TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT;

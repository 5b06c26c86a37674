-- Times are epoch milliseconds of the gateways' clocks, months are like 2026-11 and empty for none.
-- A name is looked at again at `next_look`; a node that looks at it sets `next_look` to the end of
-- its claim.
CREATE TABLE watched_names (name text PRIMARY KEY, next_look bigint NOT NULL, state text NOT NULL);
CREATE INDEX watched_names_due ON watched_names (next_look);

-- A watch that has ended is kept until its month ends: the month is paid.
CREATE TABLE watches (
  account text NOT NULL,
  name text NOT NULL,
  label text,
  started_at bigint NOT NULL,
  since_seq bigint NOT NULL,
  paid_month text NOT NULL,
  verdict_month text NOT NULL,
  problem text,
  ended integer NOT NULL,
  PRIMARY KEY (account, name)
);
CREATE INDEX watches_by_name ON watches (name);

-- A new log begins with each start of a gateway, so that a restored backup does not use an id twice.
CREATE TABLE change_logs (id text PRIMARY KEY, first_seq bigint NOT NULL, opened integer NOT NULL);
CREATE TABLE changes (
  seq bigint PRIMARY KEY,
  log text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  not_before bigint NOT NULL,
  seen_at bigint NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  evidence text NOT NULL
);
CREATE INDEX changes_by_name ON changes (name, seq);

CREATE TABLE webhooks (
  id text PRIMARY KEY,
  account text NOT NULL,
  url text NOT NULL,
  host text NOT NULL,
  types text NOT NULL,
  secret text NOT NULL,
  old_secret text,
  old_secret_until bigint NOT NULL,
  seq bigint NOT NULL,
  next_attempt bigint NOT NULL,
  claimed_until bigint NOT NULL,
  attempts integer NOT NULL,
  failing_since bigint,
  last_problem text,
  disabled integer NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX webhooks_by_account ON webhooks (account);

CREATE TABLE feeds (id text PRIMARY KEY, account text NOT NULL, token_hash text NOT NULL UNIQUE, created_at bigint NOT NULL);

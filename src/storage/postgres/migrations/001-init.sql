-- Times are milliseconds since the epoch, by the database's clock, which all nodes share.
CREATE FUNCTION epoch_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

-- Returns a calendar month in UTC, such as 2026-11.
CREATE FUNCTION month_of(at bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT to_char(to_timestamp(at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') $$;

-- The key hashes of a revoked account are deleted, so that no later bug can reactivate its keys.
CREATE TABLE accounts (
  id text PRIMARY KEY,
  name text NOT NULL,
  credits bigint,
  origins text[] NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);
CREATE TABLE keys (hash text PRIMARY KEY, account_id text NOT NULL REFERENCES accounts, works_until bigint);
CREATE INDEX keys_by_account ON keys (account_id);

CREATE TABLE counters (
  account_id text NOT NULL REFERENCES accounts,
  month text NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (account_id, month)
) WITH (fillfactor = 50);
-- Entries are append-only: a refund has the id of the charge that it corrects. The sum of a
-- charge's entries is the amount charged.
CREATE TABLE entries (charge uuid NOT NULL, account_id text NOT NULL, month text NOT NULL, amount bigint NOT NULL, at bigint NOT NULL);
CREATE INDEX entries_by_charge ON entries (charge);
-- Charges that are not settled.
CREATE TABLE reservations (
  charge uuid PRIMARY KEY,
  account_id text NOT NULL,
  month text NOT NULL,
  amount bigint NOT NULL
);
CREATE TABLE probes (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);

-- A null moment means the database's time. Functions are plpgsql, whose plans are cached per
-- connection: as SQL functions, a charge took three times as long.
CREATE FUNCTION tally(of_account text, free_credits bigint, moment bigint, OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
BEGIN
  in_month := month_of(coalesce(moment, epoch_ms()));
  of_limit := coalesce((SELECT coalesce(credits, free_credits) FROM accounts WHERE id = of_account), 0);
  used_up := coalesce((SELECT used FROM counters WHERE account_id = of_account AND month = in_month), 0);
END $$;

CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  charged bigint NOT NULL CHECK (charged >= 0),
  claimed_at bigint NOT NULL,
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (claimed_at);

CREATE FUNCTION claim_key(by_caller text, this_key text, body text, stands_ms bigint, moment bigint,
  OUT conflicting boolean, OUT charged_before bigint)
LANGUAGE plpgsql AS $$
BEGIN
  moment := coalesce(moment, epoch_ms());
  INSERT INTO idempotency_keys AS k (caller, key, fingerprint, charged, claimed_at) VALUES (by_caller, this_key, body, 0, moment)
    ON CONFLICT (caller, key) DO UPDATE SET fingerprint = body, charged = 0, claimed_at = moment WHERE k.claimed_at <= moment - stands_ms;
  -- A few at a time: each claim adds one, so they never pile up, and no claim waits long.
  DELETE FROM idempotency_keys WHERE (caller, key) IN (
    SELECT caller, key FROM idempotency_keys WHERE claimed_at <= moment - stands_ms ORDER BY claimed_at LIMIT 10 FOR UPDATE SKIP LOCKED);
  SELECT fingerprint <> body, charged INTO conflicting, charged_before FROM idempotency_keys WHERE caller = by_caller AND key = this_key;
END $$;

CREATE FUNCTION owe_under_key(by_caller text, this_key text, body text, amount bigint, OUT owed bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT greatest(amount - charged, 0) INTO owed FROM idempotency_keys
    WHERE caller = by_caller AND key = this_key AND fingerprint = body FOR UPDATE;
  IF NOT FOUND THEN owed := amount; RETURN; END IF;
  UPDATE idempotency_keys SET charged = charged + owed WHERE caller = by_caller AND key = this_key;
END $$;

-- Answers of registries by name, and state of registries. Registry texts are stored as JSON, in
-- which `text` can represent NUL and unpaired surrogates.
CREATE TABLE answers (
  name text COLLATE "C" PRIMARY KEY,
  verdict text NOT NULL,
  endpoint text NOT NULL,
  checked_at bigint NOT NULL,
  summary text,
  record text,
  evidence text
);
-- The first index serves the expiry of answers. The second serves the expiry of records, and
-- shrinks as records are deleted.
CREATE INDEX answers_by_age ON answers (checked_at);
CREATE INDEX records_by_age ON answers (checked_at) WHERE record IS NOT NULL;

CREATE TABLE notes (key text COLLATE "C" PRIMARY KEY, note text NOT NULL);

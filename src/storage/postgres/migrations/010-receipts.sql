-- The keys that sign receipts. Only the newest has a private part; the public ones are kept for good.
CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  public_key text NOT NULL,
  private_key text,
  created_at bigint NOT NULL
);

-- `repeat_key` is a hash of the idempotency key of the request. The account is empty for callers
-- without a key.
CREATE TABLE receipts (
  id text PRIMARY KEY,
  account text NOT NULL,
  repeat_key text,
  created_at bigint NOT NULL,
  body text NOT NULL
);
CREATE INDEX receipts_by_time ON receipts (created_at);
CREATE INDEX receipts_by_key ON receipts (account, repeat_key) WHERE repeat_key IS NOT NULL;

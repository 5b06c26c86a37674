-- The keys that sign receipts. Only the newest has a private part; the public ones are kept for good.
CREATE TABLE signing_keys (
  kid TEXT PRIMARY KEY,
  public_key TEXT NOT NULL,
  private_key TEXT,
  created_at INTEGER NOT NULL
) STRICT;

-- `repeat_key` is a hash of the idempotency key of the request. The account is empty for callers
-- without a key.
CREATE TABLE receipts (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  repeat_key TEXT,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX receipts_by_time ON receipts (created_at);
CREATE INDEX receipts_by_key ON receipts (account, repeat_key) WHERE repeat_key IS NOT NULL;

-- The expiry of an account, and the time of its last charge.
ALTER TABLE accounts ADD COLUMN expires_at INTEGER;
ALTER TABLE counters ADD COLUMN charged_at INTEGER;

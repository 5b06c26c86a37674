-- Requests per minute; null for accounts to which RATE_LIMIT applies.
ALTER TABLE accounts ADD COLUMN rate INTEGER;

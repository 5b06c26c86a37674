-- The expiry date determines how long a verdict is fresh. It is stored beside the verdict, so that
-- the registration need not be read. It stays null in existing rows: they are fresh for a day at
-- most, and filling it in would delay startup.
ALTER TABLE answers ADD COLUMN expires_at bigint;

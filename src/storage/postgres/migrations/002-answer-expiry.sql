-- What determines how long a verdict is fresh is stored beside it, so that the registration need not be read. It stays null in existing rows:
-- they are fresh for a day at most, and to fill it in would delay the start.
ALTER TABLE answers ADD COLUMN expires_at bigint;

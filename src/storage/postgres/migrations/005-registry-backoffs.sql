-- End of the back-off of each registry host (`Retry-After`), in epoch milliseconds of the
-- database's clock.
CREATE TABLE registry_backoffs (origin text PRIMARY KEY, until bigint NOT NULL);

-- Stores a back-off, notifies the other nodes and deletes expired back-offs.
CREATE FUNCTION save_backoff(of_origin text, for_ms bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM registry_backoffs
  WHERE origin IN (SELECT origin FROM registry_backoffs WHERE until <= epoch_ms() FOR UPDATE SKIP LOCKED);

  INSERT INTO registry_backoffs AS stored VALUES (of_origin, epoch_ms() + for_ms)
  ON CONFLICT (origin) DO UPDATE SET until = greatest(stored.until, excluded.until);

  SELECT pg_notify('registry_backoffs', for_ms || ' ' || of_origin);
$$;

-- Earlier versions stored back-offs here.
DELETE FROM notes WHERE starts_with(key, 'closed:');

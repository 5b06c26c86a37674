/** The clock that all nodes share, and who of them is alive. */
export const nodesSchema = `
  CREATE FUNCTION epoch_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

  -- A calendar month in UTC, such as 2026-11.
  CREATE FUNCTION month_of(at bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT to_char(to_timestamp(at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') $$;

  -- The processes that serve. Each says every second that it lives, and its row goes when it stops; one that has died leaves it behind for
  -- some 15 seconds, so whoever was not seen for 5 does not count as one that serves.
  CREATE TABLE nodes (id text PRIMARY KEY, seen_at bigint NOT NULL);`;

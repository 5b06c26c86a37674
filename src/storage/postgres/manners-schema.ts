/**
 * How much all nodes together may ask of a host. Times are milliseconds since the epoch, by the database's clock. Whatever a host is asked
 * goes through `fleet_turn`, which locks the host's row: turns of one host follow each other.
 */
export const mannersSchema = `
  CREATE TABLE fleet_hosts (
    origin text PRIMARY KEY,
    tokens double precision NOT NULL,
    filled_at bigint NOT NULL,
    closed_until bigint NOT NULL,
    -- When nothing of this holds any more: a new row would say the same.
    whole_at bigint NOT NULL
  ) WITH (fillfactor = 50);

  -- Requests in each ten minutes, of the hosts that have a limit for the day. A slot counts until all of it is a day old.
  CREATE TABLE fleet_days (origin text, slot bigint, sent integer NOT NULL, PRIMARY KEY (origin, slot));

  -- What each node has in flight and waits for. What a crash of the database forgets here, the nodes say anew with their next turns.
  CREATE UNLOGGED TABLE fleet_lanes (
    origin text,
    node text,
    held integer NOT NULL,
    -- When that is forgotten, unless the node says it again: it has died.
    held_until bigint NOT NULL,
    -- Since when it waits, or since it was last given some of what it waits for: nodes take turns.
    waiting_since bigint,
    -- When it was told to come back: whoever is overdue is not waited for.
    due_at bigint NOT NULL,
    PRIMARY KEY (origin, node)
  ) WITH (fillfactor = 50);

  -- What is left of a day's requests, and when some of what was sent is a day old.
  CREATE FUNCTION fleet_today(p_origin text, p_per_day bigint, t bigint, OUT left_today bigint, OUT freed_at bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    day CONSTANT bigint := 86400000;
    slot_ms CONSTANT bigint := 600000;
  BEGIN
    IF p_per_day IS NULL THEN RETURN; END IF;
    DELETE FROM fleet_days WHERE origin = p_origin AND (slot + 1) * slot_ms <= t - day;
    SELECT p_per_day - coalesce(sum(sent), 0), (min(slot) FILTER (WHERE sent > 0) + 1) * slot_ms + day
    INTO left_today, freed_at FROM fleet_days WHERE origin = p_origin;
  END $$;

  CREATE FUNCTION fleet_turn(
    p_origin text, p_node text, p_rate double precision, p_burst double precision, p_concurrency integer, p_per_day bigint,
    p_held integer, p_unused integer, p_wanted integer, p_closed_ms bigint, p_held_ms bigint
  ) RETURNS TABLE (granted integer, "waitMs" bigint, "closedMs" bigint, "tokensLeft" double precision, "leftToday" bigint)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    poll_ms CONSTANT bigint := 100;
    overdue_ms CONSTANT bigint := 1000;
    longest_pause_ms CONSTANT bigint := 121000;
    forgotten_ms CONSTANT bigint := 60000;
    host fleet_hosts;
    t bigint;
    closed bigint;
    -- NULL, as the day's, is as much as there is.
    bucket double precision;
    today bigint;
    freed_at bigint;
    since bigint;
    held_by_others integer;
    ahead integer;
    waiting integer;
    slots integer;
    room integer;
    leave integer := 0;
    wait bigint := 1;
  BEGIN
    -- A crash may cost the last second's count: nobody waits for the disk.
    PERFORM set_config('synchronous_commit', 'off', true);
    LOOP
      SELECT * INTO host FROM fleet_hosts WHERE origin = p_origin FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO fleet_hosts VALUES (p_origin, p_burst, epoch_ms(), 0, epoch_ms()) ON CONFLICT DO NOTHING;
    END LOOP;
    t := epoch_ms();
    -- Nobody is left alone for longer: a clock was ahead.
    closed := least(greatest(host.closed_until, t + p_closed_ms), t + longest_pause_ms);

    SELECT coalesce((SELECT waiting_since FROM fleet_lanes WHERE origin = p_origin AND node = p_node), t) INTO since;
    SELECT coalesce(sum(held) FILTER (WHERE held_until > t), 0),
      count(*) FILTER (WHERE waiting_since < since AND due_at > t - overdue_ms),
      count(*) FILTER (WHERE waiting_since IS NOT NULL AND due_at > t - overdue_ms)
    INTO held_by_others, ahead, waiting FROM fleet_lanes WHERE origin = p_origin AND node <> p_node;

    slots := p_concurrency - p_held - held_by_others;
    IF p_rate > 0 THEN
      bucket := least(host.tokens + greatest(t - host.filled_at, 0) * p_rate / 1000, p_burst);
      bucket := greatest(least(bucket + p_unused, p_burst), 0);
    END IF;
    SELECT left_today + p_unused, day.freed_at INTO today, freed_at FROM fleet_today(p_origin, p_per_day, t) AS day;
    room := least(slots, floor(bucket), today);

    -- Whoever has waited longer comes first: at least one of what there is stays for each of them.
    IF closed <= t THEN leave := greatest(least(p_wanted, room - ahead), 0); END IF;

    IF closed > t THEN
      wait := closed - t;
    ELSE
      wait := greatest(wait, ceil((least(ahead + 1, p_burst) - bucket + leave) / nullif(p_rate, 0) * 1000)::bigint);
      IF today - leave < 1 THEN wait := greatest(wait, coalesce(freed_at - t, poll_ms)); END IF;
      IF slots - leave <= ahead THEN wait := greatest(wait, poll_ms); END IF;
    END IF;

    UPDATE fleet_hosts SET tokens = coalesce(bucket - leave, p_burst), filled_at = t, closed_until = closed,
      whole_at = greatest(closed, t + ceil((p_burst - bucket + leave) / nullif(p_rate, 0) * 1000)::bigint, t)
    WHERE origin = p_origin;
    IF p_per_day IS NOT NULL AND leave <> p_unused THEN
      INSERT INTO fleet_days AS kept VALUES (p_origin, t / 600000, leave - p_unused)
      ON CONFLICT (origin, slot) DO UPDATE SET sent = kept.sent + excluded.sent;
    END IF;
    INSERT INTO fleet_lanes AS kept
    VALUES (p_origin, p_node, p_held + leave, t + p_held_ms,
      CASE WHEN leave >= p_wanted THEN NULL WHEN leave > 0 THEN t ELSE since END, t + wait)
    ON CONFLICT (origin, node) DO UPDATE SET held = excluded.held, held_until = excluded.held_until,
      waiting_since = excluded.waiting_since, due_at = excluded.due_at;
    -- Redirects and registrars lead to hosts without end. What another turn holds is passed over: nobody waits for anybody here.
    IF random() < 0.01 THEN
      DELETE FROM fleet_lanes WHERE (origin, node) IN (
        SELECT origin, node FROM fleet_lanes WHERE greatest(held_until, due_at) < t - forgotten_ms FOR UPDATE SKIP LOCKED);
      DELETE FROM fleet_hosts WHERE origin IN (SELECT origin FROM fleet_hosts WHERE whole_at < t - forgotten_ms FOR UPDATE SKIP LOCKED);
    END IF;

    -- The same pause, told again by a clock that runs differently, is no news.
    IF t + p_closed_ms > greatest(host.closed_until, t) + 100 THEN
      PERFORM pg_notify('fleet', json_build_object('origin', p_origin, 'node', p_node, 'closedMs', closed - t)::text);
    ELSIF closed <= t AND waiting > 0 AND room > leave THEN
      PERFORM pg_notify('fleet', json_build_object('origin', p_origin, 'node', p_node, 'closedMs', 0)::text);
    END IF;
    RETURN QUERY SELECT leave, wait, greatest(closed - t, 0), coalesce(bucket - leave, p_burst), today - leave;
  END $$;
`;

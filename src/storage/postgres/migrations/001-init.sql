-- Times are milliseconds since the epoch, by the database's clock, which all nodes share.
CREATE FUNCTION epoch_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

-- Returns a calendar month in UTC, such as 2026-11.
CREATE FUNCTION month_of(at bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT to_char(to_timestamp(at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') $$;

-- The processes that serve. Each says every second that it lives, and its row goes when it stops; one that has died leaves it behind for
-- some 15 seconds, so whoever was not seen for 5 does not count as one that serves.
CREATE TABLE nodes (id text PRIMARY KEY, seen_at bigint NOT NULL);

-- The hashes of a revoked account are deleted, so that no later mistake can bring its keys back.
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
-- Entries are only ever added: a refund bears the id of the charge that it takes back. So the sum of a charge's entries is what it came to.
CREATE TABLE entries (charge uuid NOT NULL, account_id text NOT NULL, month text NOT NULL, amount bigint NOT NULL, at bigint NOT NULL);
CREATE INDEX entries_by_charge ON entries (charge);
-- The charges that are not settled, and the node that is to settle them.
CREATE TABLE reservations (
  charge uuid PRIMARY KEY,
  account_id text NOT NULL,
  month text NOT NULL,
  amount bigint NOT NULL,
  node text NOT NULL
);
-- The last attempt at settling a charge, where the first was not answered: what was sent before and arrives after it changes nothing.
CREATE TABLE attempts (charge uuid PRIMARY KEY, attempt integer NOT NULL, at bigint NOT NULL);
CREATE TABLE probes (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);

-- Each of these changes the ledger in one statement and so in one transaction. Statements on one charge run one after another
-- (`pg_advisory_xact_lock`), and each sees what the one before has done. A null moment is the database's own. All is plpgsql, whose plans
-- last as long as a connection: as SQL functions, a charge took three times as long.
CREATE FUNCTION tally(of_account text, free_credits bigint, moment bigint, OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
BEGIN
  in_month := month_of(coalesce(moment, epoch_ms()));
  of_limit := coalesce((SELECT coalesce(credits, free_credits) FROM accounts WHERE id = of_account), 0);
  used_up := coalesce((SELECT used FROM counters WHERE account_id = of_account AND month = in_month), 0);
END $$;

-- For a node to settle later, or for good where there is none. Whether there is enough and taking it are one.
CREATE FUNCTION charge_credits(new_charge uuid, of_account text, price bigint, by_node text, free_credits bigint, moment bigint,
  OUT granted boolean, OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(new_charge::text, 0));
  moment := coalesce(moment, epoch_ms());
  in_month := month_of(moment);
  of_limit := coalesce((SELECT coalesce(credits, free_credits) FROM accounts WHERE id = of_account), 0);
  INSERT INTO counters AS c (account_id, month, used)
    SELECT of_account, in_month, price WHERE price <= of_limit AND NOT EXISTS (SELECT FROM attempts WHERE charge = new_charge)
    ON CONFLICT (account_id, month) DO UPDATE SET used = c.used + price WHERE c.used + price <= of_limit
    RETURNING used INTO used_up;
  granted := FOUND;
  IF NOT granted THEN
    used_up := coalesce((SELECT used FROM counters WHERE account_id = of_account AND month = in_month), 0);
    RETURN;
  END IF;
  INSERT INTO entries (charge, account_id, month, amount, at) VALUES (new_charge, of_account, in_month, price, moment);
  IF by_node IS NOT NULL THEN
    INSERT INTO reservations (charge, account_id, month, amount, node) VALUES (new_charge, of_account, in_month, price, by_node);
  END IF;
END $$;

-- Makes a charge come to so much, whatever it came to before. One that is not known any more is owed all the same: it was refunded as that
-- of a dead node, or a replica that took over had not heard of it. Attempt 0 settles what is still open, and nothing else.
CREATE FUNCTION settle_charge(of_charge uuid, of_account text, of_month text, price bigint, this_attempt integer, moment bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  known record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_charge::text, 0));
  moment := coalesce(moment, epoch_ms());
  IF this_attempt > 1 THEN
    DELETE FROM attempts WHERE at < moment - 24 * 60 * 60 * 1000;
    INSERT INTO attempts AS a (charge, attempt, at) VALUES (of_charge, this_attempt, moment)
      ON CONFLICT (charge) DO UPDATE SET attempt = this_attempt, at = moment WHERE a.attempt < this_attempt;
    IF NOT FOUND THEN RETURN false; END IF;
  ELSIF EXISTS (SELECT FROM attempts WHERE charge = of_charge) THEN
    RETURN false;
  END IF;
  DELETE FROM reservations WHERE charge = of_charge RETURNING amount AS came_to, account_id, month INTO known;
  IF NOT FOUND THEN
    IF this_attempt = 0 THEN RETURN false; END IF;
    SELECT coalesce(sum(amount), 0)::bigint AS came_to, coalesce(max(account_id), of_account) AS account_id,
      coalesce(max(month), of_month) AS month INTO known FROM entries WHERE charge = of_charge;
  END IF;
  IF known.came_to <> price THEN
    INSERT INTO counters AS c (account_id, month, used) VALUES (known.account_id, known.month, greatest(price - known.came_to, 0))
      ON CONFLICT (account_id, month) DO UPDATE SET used = c.used + price - known.came_to;
    INSERT INTO entries (charge, account_id, month, amount, at)
      VALUES (of_charge, known.account_id, known.month, price - known.came_to, moment);
  END IF;
  RETURN true;
END $$;

-- The same, and what is left.
CREATE FUNCTION settle_credits(of_charge uuid, of_account text, of_month text, price bigint, this_attempt integer, free_credits bigint,
  moment bigint, OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_charge(of_charge, of_account, of_month, price, this_attempt, moment);
  SELECT t.of_limit, t.used_up, t.in_month INTO of_limit, used_up, in_month FROM tally(of_account, free_credits, moment) AS t;
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

-- What registries said, by name, and notes on the registries. Texts of registries are stored as JSON, in which `text` can hold what it cannot
-- hold as it is: NUL, and halves of surrogate pairs.
CREATE TABLE answers (
  name text COLLATE "C" PRIMARY KEY,
  verdict text NOT NULL,
  endpoint text NOT NULL,
  checked_at bigint NOT NULL,
  summary text,
  record text,
  evidence text
);
-- The one serves the sweep of the answers, the other, which shrinks as records are forgotten, that of the records.
CREATE INDEX answers_by_age ON answers (checked_at);
CREATE INDEX records_by_age ON answers (checked_at) WHERE record IS NOT NULL;

CREATE TABLE notes (key text COLLATE "C" PRIMARY KEY, note text NOT NULL);

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

CREATE SEQUENCE flights;

CREATE UNLOGGED TABLE leases (
  name text COLLATE "C" PRIMARY KEY,
  flight bigint NOT NULL,
  -- Of who waits for it: 0 is the most urgent.
  urgency integer NOT NULL,
  -- It waits for its turn at the registry, and is not sent.
  queued boolean NOT NULL,
  -- Another node waits for it.
  waited boolean NOT NULL,
  landed boolean NOT NULL,
  failure text,
  expires_at bigint NOT NULL
);

-- Takes names, or says how it stands with them. The names in order: two that take the same ones would lock each other out else.
CREATE FUNCTION take_leases(p_names text[], p_urgencies integer[], p_known bigint[], p_awaited bigint[], p_lease_ms bigint)
RETURNS TABLE (place bigint, state text, number bigint, why text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  claim record;
  held leases;
  t bigint;
BEGIN
  -- What is lost with a crash is of no use after it: nobody waits for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR claim IN
    SELECT * FROM unnest(p_names, p_urgencies, p_known, p_awaited) WITH ORDINALITY AS asked (name, urgency, known, awaited, place)
    ORDER BY asked.name COLLATE "C"
  LOOP
    place := claim.place;
    number := nextval('flights');
    why := NULL;
    INSERT INTO leases VALUES (claim.name, number, claim.urgency, false, false, false, NULL, epoch_ms() + p_lease_ms)
    ON CONFLICT (name) DO UPDATE SET waited = true RETURNING * INTO held;
    t := epoch_ms();
    IF held.flight = number THEN
      state := 'ours';
    ELSIF held.landed AND held.flight >= claim.awaited THEN
      state := 'landed';
      why := held.failure;
    ELSIF held.landed OR held.expires_at <= t OR (held.queued AND claim.urgency < held.urgency) THEN
      state := 'ours';
      UPDATE leases SET flight = number, urgency = claim.urgency, queued = false, landed = false, failure = NULL, expires_at = t + p_lease_ms
      WHERE name = claim.name;
    ELSE
      state := CASE WHEN held.queued THEN 'queued' ELSE 'sent' END;
      number := held.flight;
    END IF;
    -- Whoever had it may have come to its end since the claimer last looked.
    IF state = 'ours' AND EXISTS (SELECT FROM answers WHERE name = claim.name AND checked_at > claim.known) THEN
      state := 'landed';
      DELETE FROM leases WHERE name = claim.name;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Says how it goes with flights: queued, sent, landed (with why it failed, if it did), or dropped before it was sent.
CREATE FUNCTION note_flights(p_names text[], p_flights bigint[], p_states text[], p_failures text[], p_lease_ms bigint)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  noted record;
  t bigint := epoch_ms();
  told_ms CONSTANT bigint := 10000;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR noted IN
    SELECT * FROM unnest(p_names, p_flights, p_states, p_failures) AS said (name, flight, state, failure)
    ORDER BY said.name COLLATE "C"
  LOOP
    IF noted.state IN ('queued', 'sent') THEN
      UPDATE leases SET queued = noted.state = 'queued', expires_at = t + p_lease_ms
      WHERE name = noted.name AND flight = noted.flight AND NOT landed;
      CONTINUE;
    END IF;
    DELETE FROM leases WHERE name = noted.name AND flight = noted.flight AND NOT waited;
    CONTINUE WHEN FOUND;
    IF noted.state = 'landed' THEN
      UPDATE leases SET landed = true, failure = noted.failure, expires_at = t + told_ms WHERE name = noted.name AND flight = noted.flight;
    ELSE
      -- Under another number, so that nothing that is still said of this flight concerns the next.
      UPDATE leases SET flight = nextval('flights'), expires_at = 0 WHERE name = noted.name AND flight = noted.flight;
    END IF;
    IF FOUND THEN PERFORM pg_notify('leases', noted.name); END IF;
  END LOOP;
  IF random() < 0.01 THEN
    DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE expires_at < t FOR UPDATE SKIP LOCKED);
  END IF;
END $$;

/**
 * Which names are being asked for, by whatever node. A row goes with the flight it stands for, unless others wait for that: then it stays a
 * while to tell them what came of it. A crash of the database forgets them all: then two may ask.
 */
export const leasesSchema = `
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
`;

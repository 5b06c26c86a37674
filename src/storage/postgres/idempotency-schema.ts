export const idempotencySchema = `
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
  END $$;`;

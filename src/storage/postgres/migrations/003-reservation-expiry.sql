-- A reservation expires unless its process extends it. So processes need not be tracked, and any
-- process can refund the reservations of a killed one. Earlier versions call functions that no
-- longer exist, so they cannot charge anything.
DROP FUNCTION IF EXISTS settle_credits(uuid, text, text, bigint, integer, bigint, bigint);
DROP FUNCTION IF EXISTS settle_charge(uuid, text, text, bigint, integer, bigint);
DROP FUNCTION IF EXISTS charge_credits(uuid, text, bigint, text, bigint, bigint);
DROP TABLE IF EXISTS attempts, nodes;

-- An expired reservation is retained for a day with the amount 0: if its process still settles it,
-- the price is charged then.
ALTER TABLE reservations DROP COLUMN IF EXISTS node;
ALTER TABLE reservations ADD COLUMN expires_at bigint NOT NULL DEFAULT 0;
ALTER TABLE reservations ALTER COLUMN expires_at DROP DEFAULT;

-- Adds an entry to a charge, even if it is 0.
CREATE FUNCTION add_entry(of_charge uuid, of_account text, of_month text, change bigint, moment bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counters SET used = used + change WHERE account_id = of_account AND month = of_month AND change <> 0;
  INSERT INTO entries (charge, account_id, month, amount, at) VALUES (of_charge, of_account, of_month, change, moment);
END $$;

-- Statements on one charge are serialized (`pg_advisory_xact_lock`), and each sees the effects of
-- earlier ones.

-- Charges an account if it has enough credits left: until the reservation is settled, or
-- permanently if `expiry_ms` is null. Checking and charging is one statement, and a charge that was
-- reversed before it arrived is refused.
CREATE FUNCTION charge(new_charge uuid, of_account text, price bigint, expiry_ms bigint, free_credits bigint, moment bigint,
  OUT granted boolean, OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(new_charge::text, 0));
  moment := coalesce(moment, epoch_ms());
  in_month := month_of(moment);
  of_limit := coalesce((SELECT coalesce(credits, free_credits) FROM accounts WHERE id = of_account), 0);
  INSERT INTO counters AS c (account_id, month, used)
    SELECT of_account, in_month, price WHERE price <= of_limit AND NOT EXISTS (SELECT FROM entries WHERE entries.charge = new_charge)
    ON CONFLICT (account_id, month) DO UPDATE SET used = c.used + price WHERE c.used + price <= of_limit
    RETURNING used INTO used_up;
  granted := FOUND;
  IF NOT granted THEN
    used_up := coalesce((SELECT used FROM counters WHERE account_id = of_account AND month = in_month), 0);
    RETURN;
  END IF;
  INSERT INTO entries (charge, account_id, month, amount, at) VALUES (new_charge, of_account, in_month, price, moment);
  IF expiry_ms IS NOT NULL THEN
    INSERT INTO reservations (charge, account_id, month, amount, expires_at)
      VALUES (new_charge, of_account, in_month, price, moment + expiry_ms);
  END IF;
END $$;

-- Settles a reservation once. If it expired and was refunded, the price is charged up to the
-- credits that the month has left.
CREATE FUNCTION settle(of_charge uuid, of_account text, price bigint, free_credits bigint, moment bigint,
  OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
DECLARE
  reserved record;
  month_used bigint;
BEGIN
  DELETE FROM reservations WHERE charge = of_charge RETURNING account_id, month, amount INTO reserved;
  IF FOUND THEN
    IF reserved.amount = 0 THEN
      SELECT used INTO month_used FROM counters WHERE account_id = reserved.account_id AND month = reserved.month FOR UPDATE;
      of_limit := (SELECT coalesce(credits, free_credits) FROM accounts WHERE id = reserved.account_id);
      price := least(price, greatest(of_limit - month_used, 0));
    END IF;
    IF price <> reserved.amount THEN
      PERFORM add_entry(of_charge, reserved.account_id, reserved.month, price - reserved.amount, coalesce(moment, epoch_ms()));
    END IF;
  END IF;
  SELECT t.of_limit, t.used_up, t.in_month INTO of_limit, used_up, in_month FROM tally(of_account, free_credits, moment) AS t;
END $$;

-- Reverses a charge whose statement or settlement was not confirmed. It always adds an entry, by
-- which `charge` recognises a statement that arrives later; a later settlement finds no
-- reservation.
CREATE FUNCTION reverse_charge(of_charge uuid, of_account text, moment bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  posted record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_charge::text, 0));
  moment := coalesce(moment, epoch_ms());
  DELETE FROM reservations WHERE charge = of_charge;
  SELECT coalesce(sum(amount), 0)::bigint AS amount, coalesce(max(month), month_of(moment)) AS month
    INTO posted FROM entries WHERE charge = of_charge;
  PERFORM add_entry(of_charge, of_account, posted.month, -posted.amount, moment);
END $$;

-- Refunds some expired reservations; several processes may do so concurrently. Accounts are
-- processed in order, since two processes that lock counters in different orders would deadlock.
CREATE FUNCTION refund_expired(max_count integer, moment bigint, OUT refunded integer) LANGUAGE plpgsql AS $$
DECLARE
  expired record;
BEGIN
  refunded := 0;
  moment := coalesce(moment, epoch_ms());
  DELETE FROM reservations WHERE charge IN (
    SELECT charge FROM reservations WHERE amount = 0 AND expires_at <= moment - 24 * 60 * 60 * 1000 LIMIT max_count FOR UPDATE SKIP LOCKED);
  FOR expired IN
    SELECT * FROM (
      SELECT charge, account_id, month, amount FROM reservations WHERE amount > 0 AND expires_at <= moment LIMIT max_count FOR UPDATE SKIP LOCKED
    ) AS batch ORDER BY account_id, month
  LOOP
    UPDATE reservations SET amount = 0 WHERE charge = expired.charge;
    PERFORM add_entry(expired.charge, expired.account_id, expired.month, -expired.amount, moment);
    refunded := refunded + 1;
  END LOOP;
END $$;

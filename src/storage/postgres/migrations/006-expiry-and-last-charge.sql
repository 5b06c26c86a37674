-- The keys of an account stop working when it expires.
ALTER TABLE accounts ADD COLUMN expires_at bigint;
-- When the account was last charged in this month. A charge updates the counter anyway, so this
-- adds no write. It stays null in existing rows: finding it in the entries would delay startup.
ALTER TABLE counters ADD COLUMN charged_at bigint;

-- Charges as before, and stores when.
CREATE OR REPLACE FUNCTION charge(new_charge uuid, of_account text, price bigint, expiry_ms bigint, free_credits bigint, moment bigint,
  OUT granted boolean, OUT of_limit bigint, OUT used_up bigint, OUT in_month text)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(new_charge::text, 0));
  moment := coalesce(moment, epoch_ms());
  in_month := month_of(moment);
  of_limit := coalesce((SELECT coalesce(credits, free_credits) FROM accounts WHERE id = of_account), 0);
  INSERT INTO counters AS c (account_id, month, used, charged_at)
    SELECT of_account, in_month, price, moment WHERE price <= of_limit AND NOT EXISTS (SELECT FROM entries WHERE entries.charge = new_charge)
    ON CONFLICT (account_id, month) DO UPDATE SET used = c.used + price, charged_at = moment WHERE c.used + price <= of_limit
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

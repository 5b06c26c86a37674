/**
 * What changes the ledger, each in one statement and so in one transaction. All work on a charge takes its turn (`pg_advisory_xact_lock`):
 * each statement after that sees what the one before has done. A null moment is the database's own. All is plpgsql, whose plans last as long as
 * a connection: as SQL functions, a charge took three times as long.
 */
export const ledgerFunctions = `
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
  END $$;`;

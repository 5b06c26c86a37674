-- A reservation expires unless its process extends it. An expired one is retained for a day with the
-- amount 0: if its process still settles it, the price is charged then. The renamed column prevents
-- earlier versions of the gateway, which do not support expiry, from charging anything in the same file.
ALTER TABLE reservations RENAME COLUMN id TO entry;
ALTER TABLE reservations ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;

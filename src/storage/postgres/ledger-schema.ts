/** What accounts spent. Times are milliseconds since the epoch, by the clock that all nodes share. */
export const ledgerSchema = `
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
  CREATE TABLE probes (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);`;

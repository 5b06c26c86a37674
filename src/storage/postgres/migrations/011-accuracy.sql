-- Times are epoch milliseconds of the gateways' clocks. A sampled AVAILABLE is judged at `next_look`; a
-- node that judges it sets `next_look` to the end of its claim.
CREATE TABLE accuracy_looks (
  name text PRIMARY KEY,
  answered_at bigint NOT NULL,
  next_look bigint NOT NULL,
  judged bigint NOT NULL
);
CREATE INDEX accuracy_looks_due ON accuracy_looks (next_look);

CREATE TABLE accuracy (
  tld text PRIMARY KEY,
  sampled bigint NOT NULL,
  contradicted bigint NOT NULL,
  since bigint NOT NULL
);

-- Times are epoch milliseconds of the gateways' clocks. A sampled AVAILABLE is judged at `next_look`; a
-- node that judges it sets `next_look` to the end of its claim.
CREATE TABLE accuracy_looks (
  name TEXT PRIMARY KEY,
  answered_at INTEGER NOT NULL,
  next_look INTEGER NOT NULL,
  judged INTEGER NOT NULL
) STRICT;
CREATE INDEX accuracy_looks_due ON accuracy_looks (next_look);

CREATE TABLE accuracy (
  tld TEXT PRIMARY KEY,
  sampled INTEGER NOT NULL,
  contradicted INTEGER NOT NULL,
  since INTEGER NOT NULL
) STRICT;

/**
 * What registries said, by name, and notes on the registries. Texts of registries stand here as JSON, in which PostgreSQL's `text` can hold
 * what it cannot hold as it is: NUL, and halves of surrogate pairs.
 */
export const answersSchema = `
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
`;

/**
 * What tells how long a verdict is fresh stands beside it, so that the registration need not be read. Of what is known already it stays empty:
 * that is fresh for a day at most, and to fill it in would keep everybody waiting.
 */
export const expiryColumn = `
  ALTER TABLE answers ADD COLUMN expires_at bigint;
`;

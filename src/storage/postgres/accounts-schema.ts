// The hashes of a revoked account are deleted, so that no later mistake can bring its keys back.
export const accountsSchema = `
  CREATE TABLE accounts (
    id text PRIMARY KEY,
    name text NOT NULL,
    credits bigint,
    origins text[] NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
  );
  CREATE TABLE keys (hash text PRIMARY KEY, account_id text NOT NULL REFERENCES accounts, works_until bigint);
  CREATE INDEX keys_by_account ON keys (account_id);`;

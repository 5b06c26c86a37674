-- The documents to which the keys of an account are limited, as JSON; null: not limited. The type is
-- text because GraphQL documents may contain NUL, which jsonb cannot store.
ALTER TABLE accounts ADD COLUMN documents text;

-- The documents to which the keys of an account are limited, as JSON.
ALTER TABLE accounts ADD COLUMN documents TEXT;

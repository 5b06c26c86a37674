-- What the keys of an account may read besides the API, such as the operator page.
ALTER TABLE accounts ADD COLUMN role TEXT;

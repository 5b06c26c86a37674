-- Records that are compressed together take less than a fifth of the space. A registration whose record
-- is in a block has the ID of the block, and no `record`. `oldest` is the earliest `checked_at` of the records
-- in a block, and -1 if one of them was deleted or overwritten since.
CREATE TABLE blocks (id INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, records BLOB NOT NULL) STRICT;
CREATE INDEX blocks_by_age ON blocks (oldest);
ALTER TABLE registrations ADD COLUMN block INTEGER;

-- What a later version may do to tables in use: new columns, one of them filled in rows that no node changes any more, an index, a table,
-- a copy of a table. Filling rows that nodes change all the time would fail in a Galera cluster, whatever the number of attempts: each of
-- their commits on another member undoes it.
ALTER TABLE payments ADD COLUMN next_version {integer} NOT NULL DEFAULT 0;
UPDATE payments SET next_version = 1 WHERE next_version = 0 AND state IN ('refunded', 'voided', 'failed');
CREATE INDEX payments_by_next_version ON payments (next_version);
{for mysql}
ALTER TABLE attempts ADD COLUMN next_version {integer} NOT NULL DEFAULT 0, ALGORITHM = COPY;
{for both}
ALTER TABLE commands ADD COLUMN next_version {integer} NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN next_version {integer} NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN next_version {integer} NOT NULL DEFAULT 0;
CREATE TABLE IF NOT EXISTS next_version (id {integer} NOT NULL, PRIMARY KEY (id)) {clustered};

-- What operators look for. On a database with many events the index takes its time: it reads the whole table.

-- The HTTP request that began the command. Empty in rows from before, and where the gateway itself began it. Requests' ids begin with
-- their time, so that a command is found by its age.
ALTER TABLE commands ADD COLUMN request_id {string 64} NOT NULL DEFAULT '';

-- Events' ids begin with their time, so that new entries are adjacent.
CREATE INDEX events_by_id ON events (event_id);

CREATE INDEX merchants_by_age ON merchants (created_at, merchant_id);

-- Events as a log: the position of each, and up to where the log is complete. docs/decisions/0057-the-log-of-events.md says how.
-- On a database with many events this takes its time: it reads and writes the whole table.

-- Rises with the commits of one writer, and along the events of one entity.
ALTER TABLE events ADD COLUMN log_position {integer} NOT NULL DEFAULT 0;

-- Events from before are in the order of their times, and those of one entity in their own order.
{for sqlite}
UPDATE events SET log_position = numbered.log_position FROM (
  SELECT id, at * 256000 + ROW_NUMBER() OVER (
    PARTITION BY at ORDER BY merchant_id, environment, subject_kind, subject_id, seq) AS log_position
  FROM (SELECT rowid AS id, merchant_id, environment, subject_kind, subject_id, seq, MAX(occurred_at) OVER (
          PARTITION BY merchant_id, environment, subject_kind, subject_id ORDER BY seq) AS at FROM events) AS timed) AS numbered
WHERE events.rowid = numbered.id AND events.log_position = 0;
{for mysql}
UPDATE events JOIN (
  SELECT merchant_id, environment, subject_kind, subject_id, seq, at * 256000 + ROW_NUMBER() OVER (
    PARTITION BY at ORDER BY merchant_id, environment, subject_kind, subject_id, seq) AS log_position
  FROM (SELECT merchant_id, environment, subject_kind, subject_id, seq, MAX(occurred_at) OVER (
          PARTITION BY merchant_id, environment, subject_kind, subject_id ORDER BY seq) AS at FROM events) AS timed) AS numbered
  ON events.merchant_id = numbered.merchant_id AND events.environment = numbered.environment
  AND events.subject_kind = numbered.subject_kind AND events.subject_id = numbered.subject_id AND events.seq = numbered.seq
SET events.log_position = numbered.log_position WHERE events.log_position = 0;
{for both}
CREATE INDEX events_by_position ON events (log_position, environment, merchant_id);
CREATE INDEX events_of_merchant ON events (merchant_id, environment, log_position);

-- The writers of events. A writer writes no event at a position before `closed` any more; each of its commits with events raises it in
-- its own row. So the log is complete before the least `closed` of the rows that are open. slot: the low bits of the writer's positions,
-- of which no other open row has the same. turn: rises whenever a writer is added, which all others wait for.
CREATE TABLE IF NOT EXISTS event_lanes (
  lane {string 64} NOT NULL,
  node {string 64} NOT NULL,
  slot {integer} NOT NULL,
  closed {integer} NOT NULL,
  is_open {integer} NOT NULL,
  turn {integer} NOT NULL,
  PRIMARY KEY (lane)
) {clustered};

-- The row that is always there: two writers that are added at the same time wait for each other at it. It keeps the greatest `closed` of
-- the rows that were deleted.
DELETE FROM event_lanes WHERE lane = '';
INSERT INTO event_lanes (lane, node, slot, closed, is_open, turn)
SELECT '', '', 0, COALESCE(MAX(log_position), 0) + 256, 0, 0 FROM events;

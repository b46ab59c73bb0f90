-- What the owner calls the destination; may be empty. enabled_at: when it was last enabled or given another URL, since when failures count
-- against it; null: since it was created, and in rows from before.
ALTER TABLE destinations ADD COLUMN name {string 255} NOT NULL DEFAULT '';
ALTER TABLE destinations ADD COLUMN enabled_at {integer};

-- The attempts before the last one, as JSON: the newest ten. Null while there is at most one, and in rows from before.
ALTER TABLE deliveries ADD COLUMN earlier_attempts {text};

-- What became of the attempts at a destination. The dispatcher writes it from time to time. failing_since: the first failure after the last
-- success; paused_until: nothing is sent before. hours: the attempts and failures of the last day's hours, as JSON.
CREATE TABLE IF NOT EXISTS destination_health (
  owner_id {string 64} NOT NULL,
  destination_id {string 64} NOT NULL,
  failing_since {integer},
  last_success_at {integer},
  last_failure_at {integer},
  paused_until {integer},
  hours {text} NOT NULL,
  PRIMARY KEY (owner_id, destination_id)
) {clustered};

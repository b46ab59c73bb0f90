-- Where events are sent, and what became of each. A delivery is written in the commit of its event.

-- The owner is a merchant or a platform. events: stored types, separated by blanks; empty is the default.
CREATE TABLE IF NOT EXISTS destinations (
  owner_id {string 64} NOT NULL,
  destination_id {string 64} NOT NULL,
  kind {string 16} NOT NULL,
  environment {string 8} NOT NULL,
  url {text} NOT NULL,
  events {text} NOT NULL,
  status {string 16} NOT NULL,
  disabled_reason {text} NOT NULL,
  sealed_secret {text} NOT NULL,
  sealed_previous {text} NOT NULL,
  previous_until {integer},
  created_at {integer} NOT NULL,
  PRIMARY KEY (owner_id, destination_id)
) {clustered};

-- merchant_id, environment, payment_id and event_seq name the event. next_attempt_at is set while pending.
CREATE TABLE IF NOT EXISTS deliveries (
  merchant_id {string 64} NOT NULL,
  delivery_id {integer} NOT NULL,
  environment {string 8} NOT NULL,
  payment_id {string 64} NOT NULL,
  event_seq {integer} NOT NULL,
  destination_id {string 64} NOT NULL,
  created_at {integer} NOT NULL,
  status {string 16} NOT NULL,
  attempts {integer} NOT NULL,
  round_from {integer} NOT NULL,
  next_attempt_at {integer},
  last_at {integer},
  last_result {string 32},
  last_status {integer},
  last_took_ms {integer},
  last_excerpt {text},
  version {integer} NOT NULL,
  PRIMARY KEY (merchant_id, delivery_id)
) {clustered};

-- What is due, by destination; and what has failed. Both find the number in the index itself.
CREATE INDEX deliveries_by_status ON deliveries (status, destination_id, next_attempt_at);
-- Receivers name a delivery by its number alone.
CREATE UNIQUE INDEX deliveries_by_number ON deliveries (delivery_id);
-- For operators who ask what happened lately.
CREATE INDEX events_by_age ON events (merchant_id, occurred_at);

-- How far the list of events that a provider keeps for an account has been read. account: empty for the operator's own.
CREATE TABLE IF NOT EXISTS event_positions (
  provider {string 32} NOT NULL,
  environment {string 8} NOT NULL,
  account {string 255} NOT NULL,
  read_to {integer} NOT NULL,
  PRIMARY KEY (provider, environment, account)
) {clustered};

-- The sandbox's list of events: what operators had it do to payments. Never deleted: a payment has at most a hundred.
CREATE TABLE IF NOT EXISTS sandbox_events (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  event_id {string 64} NOT NULL,
  provider {string 32} NOT NULL,
  payment_id {string 64} NOT NULL,
  what {string 32} NOT NULL,
  happened_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, event_id)
) {clustered};
CREATE INDEX sandbox_events_by_age ON sandbox_events (provider, environment, happened_at, event_id);

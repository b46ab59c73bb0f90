-- Providers over HTTPS: what they are reached with, and what they notify.

-- A provider's keys, secrets and addresses in one environment. sealed_settings: a JSON object of texts, sealed with the master key; empty
-- where the provider is not configured any more.
CREATE TABLE IF NOT EXISTS providers (
  provider {string 32} NOT NULL,
  environment {string 8} NOT NULL,
  sealed_settings {text} NOT NULL,
  changed_at {integer} NOT NULL,
  PRIMARY KEY (provider, environment)
) {clustered};

-- What providers have notified of, each event once. It belongs to no merchant, because it is stored before it is read. notification_id: the
-- provider and its event's id. body: as it was signed. about: empty while that is not known. due_at: while it waits.
CREATE TABLE IF NOT EXISTS notifications (
  environment {string 8} NOT NULL,
  notification_id {string 255} NOT NULL,
  provider {string 32} NOT NULL,
  event_id {string 255} NOT NULL,
  event_type {string 128} NOT NULL,
  account {string 255} NOT NULL,
  body {text} NOT NULL,
  state {string 16} NOT NULL,
  about {text} NOT NULL,
  attempts {integer} NOT NULL,
  received_at {integer} NOT NULL,
  settled_at {integer},
  due_at {integer},
  version {integer} NOT NULL,
  PRIMARY KEY (environment, notification_id)
) {wide};

CREATE INDEX notifications_due ON notifications (due_at) {where due_at IS NOT NULL};
-- Lists for operators, newest first: of all, and of a state.
CREATE INDEX notifications_by_age ON notifications (received_at, notification_id);
CREATE INDEX notifications_by_state ON notifications (state, received_at, notification_id);
-- For the purge, oldest first.
CREATE INDEX notifications_settled ON notifications (settled_at);

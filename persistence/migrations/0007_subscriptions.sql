-- What is looked up or listed has a column of its own; the rest of the row is one JSON document.
CREATE TABLE IF NOT EXISTS subscriptions (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  subscription_id {string 64} NOT NULL,
  platform_id {string 64} NOT NULL,
  provider {string 32} NOT NULL,
  provider_subscription_id {string 255} NOT NULL,
  status {string 32} NOT NULL,
  open_operation {integer} NOT NULL,
  due_at {integer},
  document {text} NOT NULL,
  version {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, subscription_id)
) {wide};

CREATE INDEX subscriptions_due ON subscriptions (due_at) {where due_at IS NOT NULL};
CREATE INDEX subscriptions_by_id ON subscriptions (subscription_id);
CREATE INDEX subscriptions_by_provider_id ON subscriptions (provider_subscription_id);

-- The sandbox's side of subscriptions.
CREATE TABLE IF NOT EXISTS enrollments (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  enrollment_id {string 255} NOT NULL,
  due_at {integer},
  document {text} NOT NULL,
  version {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, enrollment_id)
) {wide};

CREATE INDEX enrollments_due ON enrollments (due_at) {where due_at IS NOT NULL};

-- Events of providers that have been taken: each counts once.
CREATE TABLE IF NOT EXISTS counted_events (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  event_id {string 255} NOT NULL,
  PRIMARY KEY (merchant_id, environment, event_id)
) {clustered};

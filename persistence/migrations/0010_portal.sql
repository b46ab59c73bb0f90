-- What the merchants' pages need: lists of payments and of a payment's deliveries, totals by day, second factors, and the audit list.
-- On a database with many payments and deliveries the indexes take their time: each one reads the whole table.

-- Lists of payments, newest first. That by state serves lists by currency, too: no list reads more than its page of each state or
-- currency.
CREATE INDEX payments_by_age ON payments (merchant_id, environment, created_at, payment_id);
CREATE INDEX payments_by_state ON payments (merchant_id, environment, state, currency, created_at, payment_id);
-- A payment has no reference until its provider has answered.
CREATE INDEX payments_by_provider_ref ON payments (merchant_id, environment, provider_ref) {where provider_ref <> ''};
CREATE INDEX deliveries_of_subject ON deliveries (merchant_id, subject_id);

-- What a merchant's payments came to. day: since 1970-01-01, UTC. what: authorized, captured, refunded or failed. Each writer adds to a
-- lane of its own, so that none waits for another's commit: a total is the sum of its lanes.
CREATE TABLE IF NOT EXISTS daily_totals (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  day {integer} NOT NULL,
  currency {string 3} NOT NULL,
  what {string 16} NOT NULL,
  lane {integer} NOT NULL,
  counted {integer} NOT NULL,
  amount {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, day, currency, what, lane)
) {clustered};

-- sealed_totp: empty where there is no second factor. totp_step: the last one that was used. time_zone: empty is UTC.
ALTER TABLE people ADD COLUMN sealed_totp {string 255} NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN totp_step {integer} NOT NULL DEFAULT 0;
ALTER TABLE people ADD COLUMN time_zone {string 64} NOT NULL DEFAULT '';

CREATE TABLE IF NOT EXISTS recovery_codes (
  user_id {string 64} NOT NULL,
  code_hash {string 64} NOT NULL,
  spent_at {integer},
  PRIMARY KEY (user_id, code_hash)
) {clustered};

-- What people changed. Rows are inserted, and never changed. merchant_id and environment are empty where it was the person's own.
CREATE TABLE IF NOT EXISTS audit_log (
  user_id {string 64} NOT NULL,
  occurred_at {integer} NOT NULL,
  audit_id {string 64} NOT NULL,
  address {string 64} NOT NULL,
  action {string 64} NOT NULL,
  subject {string 128} NOT NULL,
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  PRIMARY KEY (user_id, occurred_at, audit_id)
) {clustered};
CREATE INDEX audit_of_merchant ON audit_log (merchant_id, occurred_at, audit_id);

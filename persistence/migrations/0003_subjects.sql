-- Timelines, commands and deliveries belong to an entity of any kind, no longer to payments alone: subject_kind and subject_id
-- name it. Every row so far is a payment's. The keys of attempts and events change, for which these tables are copied.

{for sqlite}
CREATE TABLE attempts_of_subjects (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  subject_kind {string 16} NOT NULL,
  subject_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  operation {string 64} NOT NULL,
  status {string 16} NOT NULL,
  error_code {text} NOT NULL,
  message {text} NOT NULL,
  occurred_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, subject_kind, subject_id, seq)
) {clustered};
INSERT INTO attempts_of_subjects
  SELECT merchant_id, environment, 'payment', payment_id, seq, operation, status, error_code, message, occurred_at FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_of_subjects RENAME TO attempts;

CREATE TABLE events_of_subjects (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  subject_kind {string 16} NOT NULL,
  subject_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  type {string 64} NOT NULL,
  status {string 16} NOT NULL,
  occurred_at {integer} NOT NULL,
  event_id {string 255} NOT NULL,
  data {text} NOT NULL,
  PRIMARY KEY (merchant_id, environment, subject_kind, subject_id, seq)
) {wide};
INSERT INTO events_of_subjects
  SELECT merchant_id, environment, 'payment', payment_id, seq, type, status, occurred_at, event_id, data FROM events;
DROP TABLE events;
ALTER TABLE events_of_subjects RENAME TO events;
CREATE INDEX events_by_age ON events (merchant_id, occurred_at);

ALTER TABLE commands RENAME COLUMN payment_id TO subject_id;
ALTER TABLE commands ADD COLUMN subject_kind {string 16} NOT NULL DEFAULT 'payment';
ALTER TABLE deliveries RENAME COLUMN payment_id TO subject_id;
ALTER TABLE deliveries ADD COLUMN subject_kind {string 16} NOT NULL DEFAULT 'payment';

{for mysql}
-- TiDB replaces no primary key, so that both tables are copied here, too. Each statement is safe to repeat: a table that has been copied
-- already is copied once more, and there is a table of the old name at every moment.
ALTER TABLE attempts
  CHANGE COLUMN payment_id subject_id {string 64} NOT NULL,
  ADD COLUMN subject_kind {string 16} NOT NULL DEFAULT 'payment' AFTER environment;
DROP TABLE IF EXISTS attempts_before;
DROP TABLE IF EXISTS attempts_new;
CREATE TABLE attempts_new (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  subject_kind {string 16} NOT NULL DEFAULT 'payment',
  subject_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  operation {string 64} NOT NULL,
  status {string 16} NOT NULL,
  error_code {text} NOT NULL,
  message {text} NOT NULL,
  occurred_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, subject_kind, subject_id, seq)
) {clustered};
INSERT INTO attempts_new
  (merchant_id, environment, subject_kind, subject_id, seq, operation, status, error_code, message, occurred_at)
  SELECT merchant_id, environment, subject_kind, subject_id, seq, operation, status, error_code, message, occurred_at FROM attempts;
RENAME TABLE attempts TO attempts_before, attempts_new TO attempts;
DROP TABLE attempts_before;

ALTER TABLE events
  CHANGE COLUMN payment_id subject_id {string 64} NOT NULL,
  ADD COLUMN subject_kind {string 16} NOT NULL DEFAULT 'payment' AFTER environment;
DROP TABLE IF EXISTS events_before;
DROP TABLE IF EXISTS events_new;
CREATE TABLE events_new (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  subject_kind {string 16} NOT NULL DEFAULT 'payment',
  subject_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  type {string 64} NOT NULL,
  status {string 16} NOT NULL,
  occurred_at {integer} NOT NULL,
  event_id {string 255} NOT NULL,
  data {text} NOT NULL,
  PRIMARY KEY (merchant_id, environment, subject_kind, subject_id, seq),
  KEY events_by_age (merchant_id, occurred_at)
) {wide};
INSERT INTO events_new
  (merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, event_id, data)
  SELECT merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, event_id, data FROM events;
RENAME TABLE events TO events_before, events_new TO events;
DROP TABLE events_before;

ALTER TABLE commands
  CHANGE COLUMN payment_id subject_id {string 64} NOT NULL,
  ADD COLUMN subject_kind {string 16} NOT NULL DEFAULT 'payment' AFTER operation;
ALTER TABLE deliveries
  CHANGE COLUMN payment_id subject_id {string 64} NOT NULL,
  ADD COLUMN subject_kind {string 16} NOT NULL DEFAULT 'payment' AFTER environment;

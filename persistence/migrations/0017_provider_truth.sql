-- What belongs to a payment beside its state, as JSON: its refunds, its disputes, and what the sandbox was told to do. Null of a payment
-- that has none of it, and of rows from before.
ALTER TABLE payments ADD COLUMN records {text};

-- Who caused it: api, portal, provider, operator or system. Null in rows from before.
ALTER TABLE attempts ADD COLUMN origin {string 16};
ALTER TABLE events ADD COLUMN origin {string 16};

-- The disputes of all payments, for lists: what a dispute says stands in its payment's records.
CREATE TABLE IF NOT EXISTS disputes (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  dispute_id {string 64} NOT NULL,
  payment_id {string 64} NOT NULL,
  status {string 16} NOT NULL,
  opened_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, dispute_id)
) {clustered};
CREATE INDEX disputes_by_age ON disputes (merchant_id, environment, opened_at, dispute_id);
CREATE INDEX disputes_by_status ON disputes (merchant_id, environment, status, opened_at, dispute_id);

-- The ledger takes more kinds: a refund that came back, and the movements of disputes.
{for sqlite}
CREATE TABLE IF NOT EXISTS ledger_of_more_kinds (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  occurred_at {integer} NOT NULL,
  payment_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  kind {string 16} NOT NULL,
  amount {integer} NOT NULL,
  currency {string 3} NOT NULL,
  customer_amount {integer} NOT NULL,
  provider_amount {integer} NOT NULL,
  merchant_amount {integer} NOT NULL,
  provider {string 32} NOT NULL,
  account {string 255} NOT NULL,
  payment_ref {string 255} NOT NULL,
  movement_ref {string 255} NOT NULL,
  PRIMARY KEY (merchant_id, environment, occurred_at, payment_id, seq),
  CONSTRAINT ledger_adds_up CHECK (amount > 0 AND customer_amount + provider_amount + merchant_amount = 0
    AND customer_amount = CASE kind WHEN 'captured' THEN -amount WHEN 'refunded' THEN amount WHEN 'refund_failed' THEN -amount
      WHEN 'dispute_opened' THEN amount WHEN 'dispute_won' THEN -amount ELSE 0 END)
) {clustered};
INSERT OR IGNORE INTO ledger_of_more_kinds SELECT * FROM ledger;
DROP TABLE ledger;
ALTER TABLE ledger_of_more_kinds RENAME TO ledger;
{for mysql}
ALTER TABLE ledger DROP CONSTRAINT ledger_adds_up;
ALTER TABLE ledger ADD CONSTRAINT ledger_adds_up CHECK (amount > 0 AND customer_amount + provider_amount + merchant_amount = 0
    AND customer_amount = CASE kind WHEN 'captured' THEN -amount WHEN 'refunded' THEN amount WHEN 'refund_failed' THEN -amount
      WHEN 'dispute_opened' THEN amount WHEN 'dispute_won' THEN -amount ELSE 0 END);
{for both}

-- The ledger: what moved, and what failed, each once. Rows are inserted, and never changed.

-- seq: of the event in the payment's timeline that tells of it. kind: captured, refunded or failed; amount: of it, above 0.
-- customer_amount, provider_amount and merchant_amount: by how much it changes what each has. An entry whose sum is not zero, or that says
-- other than its kind, cannot be stored. provider_amount is what lies in the operator's account there, merchant_amount what lies in one of
-- the merchant's own. payment_ref and movement_ref: what the provider calls the payment, and the charge or the refund.
CREATE TABLE IF NOT EXISTS ledger (
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
    AND customer_amount = CASE kind WHEN 'captured' THEN -amount WHEN 'refunded' THEN amount ELSE 0 END)
) {clustered};

-- Of the payments so far, from the events that told of them: the same rows that would have been written then, but for movement_ref, which was
-- not kept. It changes nothing of what is there, so that it may run again: after a rolling upgrade, for what nodes of the version before
-- have committed meanwhile. What an event says was refunded is the sum so far. Of captures and failures the first counts; a failure that is
-- told after the capture is none.
{for sqlite}
INSERT OR IGNORE INTO ledger
{for mysql}
INSERT IGNORE INTO ledger
{for both}
  (merchant_id, environment, occurred_at, payment_id, seq, kind, amount, currency, customer_amount, provider_amount, merchant_amount,
   provider, account, payment_ref, movement_ref)
SELECT merchant_id, environment, occurred_at, payment_id, seq, kind, amount, currency,
  CASE kind WHEN 'captured' THEN -amount WHEN 'refunded' THEN amount ELSE 0 END,
  CASE WHEN own THEN 0 WHEN kind = 'captured' THEN amount WHEN kind = 'refunded' THEN -amount ELSE 0 END,
  CASE WHEN NOT own THEN 0 WHEN kind = 'captured' THEN amount WHEN kind = 'refunded' THEN -amount ELSE 0 END,
  provider, account, provider_ref, ''
FROM (
  SELECT p.merchant_id, p.environment, e.occurred_at, p.payment_id, e.seq,
    CASE e.type WHEN 'payment.captured' THEN 'captured' WHEN 'payment.failed' THEN 'failed' ELSE 'refunded' END AS kind,
    CASE e.type WHEN 'payment.captured' THEN p.captured WHEN 'payment.failed' THEN p.amount
{for sqlite}
    ELSE json_extract(e.data, '$.refunded_amount') - COALESCE((SELECT MAX(CAST(json_extract(b.data, '$.refunded_amount') AS INTEGER))
{for mysql}
    ELSE CAST(JSON_EXTRACT(e.data, '$.refunded_amount') AS SIGNED) - COALESCE((SELECT MAX(CAST(JSON_EXTRACT(b.data, '$.refunded_amount') AS SIGNED))
{for both}
      FROM events b WHERE b.merchant_id = e.merchant_id AND b.environment = e.environment AND b.subject_kind = e.subject_kind
        AND b.subject_id = e.subject_id AND b.seq < e.seq AND b.type = 'payment.partially_refunded'), 0) END AS amount,
    p.currency, p.account <> '' AND p.provider NOT IN ('sandbox_wallet', 'jazzcash') AS own, p.provider, p.account, p.provider_ref
  FROM events e JOIN payments p ON p.merchant_id = e.merchant_id AND p.environment = e.environment AND p.payment_id = e.subject_id
  WHERE e.subject_kind = 'payment'
    AND e.type IN ('payment.captured', 'payment.failed', 'payment.partially_refunded', 'payment.refunded')
    AND NOT EXISTS (SELECT 1 FROM events b WHERE b.merchant_id = e.merchant_id AND b.environment = e.environment
      AND b.subject_kind = e.subject_kind AND b.subject_id = e.subject_id AND b.seq < e.seq
      AND e.type IN ('payment.captured', 'payment.failed') AND b.type IN ('payment.captured', e.type))
) AS told;

-- The ids of payments that were purged: none of them is taken again, so that a late repeat of a request makes no second charge.
CREATE TABLE IF NOT EXISTS purged_payments (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  payment_id {string 64} NOT NULL,
  PRIMARY KEY (merchant_id, environment, payment_id)
) {clustered};

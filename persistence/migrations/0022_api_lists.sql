-- What the lists of the API need. Lists of payments by age, state, currency and reference have their indexes already.

-- The payments that were made for a platform's customer. customer_ref is compared again, byte for byte, in the payment's own row.
CREATE TABLE IF NOT EXISTS customer_payments (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  platform_id {string 64} NOT NULL,
  customer_ref {string 128} NOT NULL,
  created_at {integer} NOT NULL,
  payment_id {string 64} NOT NULL,
  PRIMARY KEY (merchant_id, environment, platform_id, customer_ref, created_at, payment_id)
) {clustered};

-- Of the payments so far. It changes nothing of what is there, so that it may run again.
{for sqlite}
INSERT OR IGNORE INTO customer_payments (merchant_id, environment, platform_id, customer_ref, created_at, payment_id)
SELECT merchant_id, environment, json_extract(customer, '$.platform'), json_extract(customer, '$.ref'), created_at, payment_id
{for mysql}
INSERT IGNORE INTO customer_payments (merchant_id, environment, platform_id, customer_ref, created_at, payment_id)
SELECT merchant_id, environment, JSON_UNQUOTE(JSON_EXTRACT(customer, '$.platform')), JSON_UNQUOTE(JSON_EXTRACT(customer, '$.ref')),
  created_at, payment_id
{for both}
FROM payments WHERE customer IS NOT NULL;

-- When each of a customer's methods was last saved: a JSON object of Unix milliseconds. Null of customers without one, and in rows from
-- before.
ALTER TABLE customers ADD COLUMN saved_at {text};
CREATE INDEX customers_by_age ON customers (merchant_id, environment, platform_id, created_at, customer_id);

-- For lists: both stand in the document, too. Null in rows from before that the statements below do not reach, until the row changes.
ALTER TABLE subscriptions ADD COLUMN created_at {integer};
ALTER TABLE subscriptions ADD COLUMN customer_ref {string 128};
{for sqlite}
UPDATE subscriptions SET created_at = json_extract(document, '$.created_at'),
  customer_ref = json_extract(document, '$.details.customer_ref') WHERE created_at IS NULL;
{for mysql}
UPDATE subscriptions SET created_at = CAST(JSON_EXTRACT(document, '$.created_at') AS SIGNED),
  customer_ref = JSON_UNQUOTE(JSON_EXTRACT(document, '$.details.customer_ref')) WHERE created_at IS NULL;
{for both}
CREATE INDEX subscriptions_by_age ON subscriptions (merchant_id, environment, platform_id, created_at, subscription_id);
CREATE INDEX subscriptions_by_status ON subscriptions (merchant_id, environment, platform_id, status, created_at, subscription_id);
CREATE INDEX subscriptions_of_customer ON subscriptions (merchant_id, environment, platform_id, customer_ref, created_at, subscription_id);

-- A platform's customers at a merchant, with the payment methods that are saved for them. customer_id is a hash of platform and
-- customer_ref: the ref itself may be any text, which the databases would not compare byte for byte.
-- methods: a JSON array of the provider's tokens, the one saved last at the end.
CREATE TABLE IF NOT EXISTS customers (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  customer_id {string 64} NOT NULL,
  platform_id {string 64} NOT NULL,
  customer_ref {text} NOT NULL,
  provider {string 32} NOT NULL,
  provider_customer_id {string 255} NOT NULL,
  methods {text} NOT NULL,
  created_at {integer} NOT NULL,
  version {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, customer_id)
) {clustered};

-- Of a payment for one of them: JSON. Null of all others, and of all that were made before.
ALTER TABLE payments ADD COLUMN customer {text};

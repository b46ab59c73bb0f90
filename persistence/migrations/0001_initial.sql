-- Written once for both stores; {tokens} are rendered by dialect.cpp. Times are unix milliseconds, amounts minor units.
-- Every primary key starts with the merchant, so that a merchant's rows lie together and can be sharded by it.

CREATE TABLE IF NOT EXISTS merchants (
  merchant_id {string 64} NOT NULL,
  entity_id {string 64} NOT NULL,
  name {text} NOT NULL,
  entity_kind {string 16} NOT NULL,
  owner_email {string 320} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id)
) {clustered};

CREATE TABLE IF NOT EXISTS users (
  merchant_id {string 64} NOT NULL,
  user_id {string 64} NOT NULL,
  email {string 320} NOT NULL,
  password_hash {string 255} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, user_id),
  UNIQUE (merchant_id, email)
) {clustered};

CREATE TABLE IF NOT EXISTS api_keys (
  merchant_id {string 64} NOT NULL,
  key_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  scopes {text} NOT NULL,
  sealed_secret {text} NOT NULL,
  created_at {integer} NOT NULL,
  revoked_at {integer},
  PRIMARY KEY (merchant_id, key_id),
  UNIQUE (key_id)
) {clustered};

CREATE TABLE IF NOT EXISTS connections (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  provider {string 32} NOT NULL,
  connection_id {string 64} NOT NULL,
  status {string 16} NOT NULL,
  account {string 255} NOT NULL,
  PRIMARY KEY (merchant_id, environment, provider)
) {clustered};

CREATE TABLE IF NOT EXISTS routes (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  provider {string 32} NOT NULL,
  route_id {string 64} NOT NULL,
  position {integer} NOT NULL,
  currencies {text} NOT NULL,
  methods {text} NOT NULL,
  PRIMARY KEY (merchant_id, environment, provider)
) {clustered};

-- A payment that says more was refunded than captured, or more captured than authorised, cannot be stored.
CREATE TABLE IF NOT EXISTS payments (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  payment_id {string 64} NOT NULL,
  state {string 24} NOT NULL,
  amount {integer} NOT NULL,
  currency {string 3} NOT NULL,
  captured {integer} NOT NULL,
  refunded {integer} NOT NULL,
  flow {string 16} NOT NULL,
  provider {string 32} NOT NULL,
  account {string 255} NOT NULL,
  hides_provider {integer} NOT NULL,
  provider_ref {string 255} NOT NULL,
  status {string 16} NOT NULL,
  error {text},
  hosted_url {text} NOT NULL,
  open_command {text},
  due_at {integer},
  next_seq {integer} NOT NULL,
  created_at {integer} NOT NULL,
  updated_at {integer} NOT NULL,
  captured_at {integer},
  details {text} NOT NULL,
  version {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, payment_id),
  CONSTRAINT payments_add_up CHECK (refunded >= 0 AND refunded <= captured AND captured <= amount)
) {wide};

CREATE INDEX payments_due ON payments (due_at) {where due_at IS NOT NULL};

CREATE TABLE IF NOT EXISTS commands (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  principal {string 64} NOT NULL,
  idempotency_key {string 64} NOT NULL,
  fingerprint {string 64} NOT NULL,
  operation {string 16} NOT NULL,
  payment_id {string 64} NOT NULL,
  amount {integer} NOT NULL,
  reason {text} NOT NULL,
  created_at {integer} NOT NULL,
  body {text},
  finished_at {integer},
  status {integer},
  PRIMARY KEY (merchant_id, environment, principal, idempotency_key)
) {wide};

CREATE INDEX commands_by_age ON commands (created_at);

CREATE TABLE IF NOT EXISTS attempts (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  payment_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  operation {string 64} NOT NULL,
  status {string 16} NOT NULL,
  error_code {text} NOT NULL,
  message {text} NOT NULL,
  occurred_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, payment_id, seq)
) {clustered};

CREATE TABLE IF NOT EXISTS events (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  payment_id {string 64} NOT NULL,
  seq {integer} NOT NULL,
  type {string 64} NOT NULL,
  status {string 16} NOT NULL,
  occurred_at {integer} NOT NULL,
  event_id {string 255} NOT NULL,
  data {text} NOT NULL,
  PRIMARY KEY (merchant_id, environment, payment_id, seq)
) {wide};

CREATE TABLE IF NOT EXISTS setup_tokens (
  merchant_id {string 64} NOT NULL,
  token_id {string 64} NOT NULL,
  spent_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, token_id)
) {clustered};

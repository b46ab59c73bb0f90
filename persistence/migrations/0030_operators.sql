-- The operators of the console. operator_key: the name in lower case. password_hash and sealed_totp are empty until the operator has used
-- the link: setup_id names the newest, and is empty once it was used. totp_step: the last one that was used.
CREATE TABLE IF NOT EXISTS operators (
  operator_key {string 64} NOT NULL,
  name {string 64} NOT NULL,
  role {string 16} NOT NULL,
  setup_id {string 64} NOT NULL,
  setup_ends_at {integer} NOT NULL,
  created_at {integer} NOT NULL,
  password_hash {string 255} NOT NULL DEFAULT '',
  sealed_totp {string 255} NOT NULL DEFAULT '',
  totp_step {integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (operator_key)
) {clustered};

-- Platforms, their keys, and what merchants let them do. A platform belongs to no merchant, so that its own rows are the exception to
-- "every primary key starts with the merchant": they are few, and read whole at start.

-- redirect_uris and return_origins: JSON arrays of texts.
CREATE TABLE IF NOT EXISTS platforms (
  platform_id {string 64} NOT NULL,
  slug {string 64} NOT NULL,
  name {text} NOT NULL,
  contact {text} NOT NULL,
  status {string 16} NOT NULL,
  redirect_uris {text} NOT NULL,
  return_origins {text} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (platform_id),
  UNIQUE (slug)
) {clustered};

CREATE TABLE IF NOT EXISTS platform_keys (
  platform_id {string 64} NOT NULL,
  key_id {string 64} NOT NULL,
  scopes {text} NOT NULL,
  sealed_secret {text} NOT NULL,
  created_at {integer} NOT NULL,
  revoked_at {integer},
  PRIMARY KEY (platform_id, key_id),
  UNIQUE (key_id)
) {clustered};

-- A binding of merchant, environment and platform, with its newest grant: one row, so that two active grants cannot be stored.
-- codes: a JSON array of the codes that wait to be exchanged.
CREATE TABLE IF NOT EXISTS grants (
  merchant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  platform_id {string 64} NOT NULL,
  grant_id {string 64} NOT NULL,
  scopes {text} NOT NULL,
  given_by {string 64} NOT NULL,
  granted_at {integer} NOT NULL,
  revoked_at {integer},
  revoke_reason {text} NOT NULL,
  codes {text} NOT NULL,
  version {integer} NOT NULL,
  PRIMARY KEY (merchant_id, environment, platform_id),
  UNIQUE (grant_id)
) {clustered};

-- Grants that a new one has replaced. Rows are inserted, and never changed.
CREATE TABLE IF NOT EXISTS past_grants (
  merchant_id {string 64} NOT NULL,
  grant_id {string 64} NOT NULL,
  environment {string 8} NOT NULL,
  platform_id {string 64} NOT NULL,
  scopes {text} NOT NULL,
  given_by {string 64} NOT NULL,
  granted_at {integer} NOT NULL,
  revoked_at {integer} NOT NULL,
  revoke_reason {text} NOT NULL,
  PRIMARY KEY (merchant_id, grant_id),
  UNIQUE (grant_id)
) {clustered};

-- For operators, who page through the newest: of a platform, which may have very many, and of all.
CREATE INDEX grants_of_platform ON grants (platform_id, granted_at, grant_id);
CREATE INDEX grants_by_age ON grants (granted_at, grant_id);
CREATE INDEX past_grants_of_platform ON past_grants (platform_id, granted_at, grant_id);
CREATE INDEX past_grants_by_age ON past_grants (granted_at, grant_id);

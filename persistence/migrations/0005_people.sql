-- A person is one row, whatever the number of merchants: one address, one password. What a person may do for a merchant is a
-- membership. Until here a user was a row of each merchant, and an owner. People and their sessions belong to no merchant: with platforms
-- the exceptions to "every primary key starts with the merchant".

-- email_key is the address with its ASCII letters in lower case: addresses are compared by it.
CREATE TABLE IF NOT EXISTS people (
  user_id {string 64} NOT NULL,
  email {string 320} NOT NULL,
  email_key {string 320} NOT NULL,
  password_hash {string 255} NOT NULL,
  created_at {integer} NOT NULL,
  password_set_at {integer},
  PRIMARY KEY (user_id),
  UNIQUE (email_key)
) {clustered};

CREATE TABLE IF NOT EXISTS memberships (
  merchant_id {string 64} NOT NULL,
  user_id {string 64} NOT NULL,
  role {string 16} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, user_id)
) {clustered};
CREATE INDEX memberships_of_user ON memberships (user_id);

CREATE TABLE IF NOT EXISTS sessions (
  user_id {string 64} NOT NULL,
  session_hash {string 64} NOT NULL,
  created_at {integer} NOT NULL,
  used_at {integer} NOT NULL,
  ends_at {integer} NOT NULL,
  PRIMARY KEY (user_id, session_hash),
  UNIQUE (session_hash)
) {clustered};

-- MySQL commits each change of the schema, so that a start may end after any of these statements, and the next one begins at the first
-- again. If that one has dropped `users` already, it finds an empty one here.
CREATE TABLE IF NOT EXISTS users (
  merchant_id {string 64} NOT NULL,
  user_id {string 64} NOT NULL,
  email {string 320} NOT NULL,
  password_hash {string 255} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, user_id),
  UNIQUE (merchant_id, email)
) {clustered};
ALTER TABLE users ADD COLUMN email_key {string 320} NOT NULL DEFAULT '';

-- lower() of SQLite folds ASCII letters only. LOWER() of MySQL folds others, too.
{for sqlite}
UPDATE users SET email_key = lower(email);
{for mysql}
UPDATE users SET email_key =
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(email
  , 'A', 'a'), 'B', 'b'), 'C', 'c'), 'D', 'd'), 'E', 'e'), 'F', 'f'), 'G', 'g')
  , 'H', 'h'), 'I', 'i'), 'J', 'j'), 'K', 'k'), 'L', 'l'), 'M', 'm'), 'N', 'n')
  , 'O', 'o'), 'P', 'p'), 'Q', 'q'), 'R', 'r'), 'S', 's'), 'T', 't'), 'U', 'u')
  , 'V', 'v'), 'W', 'w'), 'X', 'x'), 'Y', 'y'), 'Z', 'z');
{for both}

-- The person has the id and the address of the earliest row, and the password of the latest row that has one: two cannot both stay.
INSERT INTO people (user_id, email, email_key, password_hash, created_at)
  SELECT user_id, email, email_key, latest_hash, created_at FROM (
    SELECT user_id, email, email_key, created_at,
      ROW_NUMBER() OVER (PARTITION BY email_key ORDER BY created_at, user_id, merchant_id) AS place,
      FIRST_VALUE(password_hash) OVER (PARTITION BY email_key
        ORDER BY CASE WHEN password_hash = '' THEN 1 ELSE 0 END, created_at DESC, user_id DESC, merchant_id DESC) AS latest_hash
    FROM users) AS placed
  WHERE place = 1 AND email_key NOT IN (SELECT email_key FROM people);

INSERT INTO memberships (merchant_id, user_id, role, created_at)
  SELECT u.merchant_id, p.user_id, 'owner', MIN(u.created_at)
  FROM users AS u JOIN people AS p ON p.email_key = u.email_key
  WHERE NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.merchant_id = u.merchant_id AND m.user_id = p.user_id)
  GROUP BY u.merchant_id, p.user_id;

DROP TABLE users;

-- The master keys that this database has been used with; never their bytes. position: the first key is 0, and seals without its name in a
-- database that is older than this table. status: offered, current, old or retired. wrapped: the key itself, sealed under an older one, for
-- the nodes of a cluster that do not have it in their file; empty where there is none.
CREATE TABLE IF NOT EXISTS master_keys (
  key_id {string 32} NOT NULL,
  fingerprint {string 64} NOT NULL,
  position {integer} NOT NULL,
  status {string 16} NOT NULL,
  wrapped {text} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (key_id),
  UNIQUE (position)
) {clustered};

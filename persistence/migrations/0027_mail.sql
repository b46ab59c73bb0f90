-- Mails to people, each written in the commit of the change that causes it. sealed: what the mail says, under the master key; empty once it
-- has been sent. leased_until: the node that sends it counts on no other node to send it until then.
CREATE TABLE IF NOT EXISTS mail (
  mail_id {string 64} NOT NULL,
  kind {string 32} NOT NULL,
  recipient {string 320} NOT NULL,
  sealed {text} NOT NULL,
  status {string 16} NOT NULL,
  attempts {integer} NOT NULL,
  created_at {integer} NOT NULL,
  due_at {integer} NOT NULL,
  expires_at {integer} NOT NULL,
  leased_until {integer},
  ended_at {integer},
  last_error {string 255} NOT NULL,
  PRIMARY KEY (mail_id)
) {wide};
CREATE INDEX mail_by_due ON mail (status, due_at);
CREATE INDEX mail_by_age ON mail (created_at, mail_id);
CREATE INDEX mail_by_end ON mail (ended_at);

-- The links by which people set a new password for a forgotten one: only the hash of each, the newest of each person.
CREATE TABLE IF NOT EXISTS password_links (
  user_id {string 64} NOT NULL,
  link_hash {string 64} NOT NULL,
  created_at {integer} NOT NULL,
  expires_at {integer} NOT NULL,
  PRIMARY KEY (user_id)
) {clustered};
CREATE INDEX password_links_by_hash ON password_links (link_hash);

-- Whether the link was sent by mail, so that no owner has seen it.
ALTER TABLE invitations ADD COLUMN mailed {integer} NOT NULL DEFAULT 0;

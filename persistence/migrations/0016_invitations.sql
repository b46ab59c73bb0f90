-- Who is invited to which merchant. A link is good only while its row stands with the link's id: links from before have none. An
-- owner's invitation gives its role when it is accepted; an operator's stands beside the membership that it gave. made_by: owner or
-- operator.
CREATE TABLE IF NOT EXISTS invitations (
  merchant_id {string 64} NOT NULL,
  user_id {string 64} NOT NULL,
  invitation_id {string 64} NOT NULL,
  made_by {string 16} NOT NULL,
  role {string 16} NOT NULL,
  created_at {integer} NOT NULL,
  expires_at {integer} NOT NULL,
  PRIMARY KEY (merchant_id, user_id)
) {clustered};
CREATE INDEX invitations_of_user ON invitations (user_id);

-- Counts the commits that required the present password and second factor.
ALTER TABLE people ADD COLUMN credential_uses {integer} NOT NULL DEFAULT 0;

-- The merchant whose owner was shown the link that set the person's first password; empty where no owner can know it.
ALTER TABLE people ADD COLUMN password_shown_to {string 64} NOT NULL DEFAULT '';

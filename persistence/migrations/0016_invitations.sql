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

-- The merchant whose owner was shown the link that set the person's first password, `several` where it may be one of several; empty
-- where no owner can know it.
ALTER TABLE people ADD COLUMN password_shown_to {string 64} NOT NULL DEFAULT '';

-- Until here an owner was shown a link for each person without a password. The audit log has these invitations, under the first 128
-- bytes of the address. A password that was set before the first of them is not from such a link, nor is one that came with the person.
-- LOWER() of MySQL folds more letters than email_key: two addresses that differ in them only are both taken for invited.
{for sqlite}
UPDATE people SET password_shown_to = shown.merchant FROM (
{for mysql}
UPDATE people JOIN (
{for both}
  SELECT LOWER(subject) AS address, MIN(occurred_at) AS first_at,
    CASE WHEN MIN(merchant_id) = MAX(merchant_id) THEN MIN(merchant_id) ELSE 'several' END AS merchant
  FROM audit_log WHERE action IN ('invite owner', 'invite viewer') GROUP BY LOWER(subject)) AS shown
{for mysql}
  ON shown.address = LOWER(SUBSTR(people.email_key, 1, 128)) SET people.password_shown_to = shown.merchant
{for both}
  WHERE people.password_hash <> '' AND people.password_shown_to = '' AND people.password_set_at >= shown.first_at
{for sqlite}
  AND shown.address = LOWER(SUBSTR(people.email_key, 1, 128))
{for both};

-- Who made a key, under which name, and the day on which a request was last signed with it: since 1970-01-01, UTC; null until then.
-- created_by: the address of a person, or an operator's name. Both texts are empty in rows from before.
ALTER TABLE api_keys ADD COLUMN name {string 100} NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN created_by {string 320} NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN last_used_on {integer};
ALTER TABLE platform_keys ADD COLUMN name {string 100} NOT NULL DEFAULT '';
ALTER TABLE platform_keys ADD COLUMN created_by {string 320} NOT NULL DEFAULT '';
ALTER TABLE platform_keys ADD COLUMN last_used_on {integer};

-- Where a session began: the client's address, and its browser in words, such as "Firefox on Linux". Both are empty in rows from before.
ALTER TABLE sessions ADD COLUMN address {string 64} NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN browser {string 64} NOT NULL DEFAULT '';

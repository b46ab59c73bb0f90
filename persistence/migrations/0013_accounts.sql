-- A provider's name for a customer means something in one account of one provider only. account: of the name in provider_customer_id; null
-- in rows from before, which do not say. other_names: a JSON array of the names that the customer has elsewhere, each with the methods
-- that are saved under it; null of nearly all.
ALTER TABLE customers ADD COLUMN account {string 255};
ALTER TABLE customers ADD COLUMN other_names {text};

-- Whose an account is: a provider may name the account and no merchant.
CREATE INDEX connections_by_account ON connections (account, provider, environment);

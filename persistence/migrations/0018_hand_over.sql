-- When the customer's browser last posted the form of a hosted page to the provider. Null where there is no such form, and in rows from
-- before.
ALTER TABLE payments ADD COLUMN handed_over_at {integer};

-- 1 of a delivery to a platform that did not make the event's payment: it is sent without customer_ref, payment_method_id and metadata. Null
-- of all others, and of rows from before.
ALTER TABLE deliveries ADD COLUMN is_partial {integer};

-- How often a provider has deleted the customer. The customer that is made after that has another idempotency key there. A customer whose
-- provider_customer_id is empty was deleted last, and has not been made again.
ALTER TABLE customers ADD COLUMN generation {integer} NOT NULL DEFAULT 0;

-- Whose a provider's customer is: a provider names the customer and no merchant.
CREATE INDEX customers_by_provider_id ON customers (provider_customer_id);

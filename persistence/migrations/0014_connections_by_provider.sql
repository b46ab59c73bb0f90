-- Who is connected to a provider: it may name a payment by its own reference, and no merchant.
CREATE INDEX connections_by_provider ON connections (provider, environment);

-- 1: the destination's webhooks are also signed in the Standard Webhooks form; null: they are not.
ALTER TABLE destinations ADD COLUMN standard_webhooks {integer};

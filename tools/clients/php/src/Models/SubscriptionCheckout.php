<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class SubscriptionCheckout extends Model
{
    /**
     * @param string $subscription_id
     * @param string $status
     * @param string $hosted_url Send the customer's browser here.
     * @param string $checkout_session_id
     */
    public function __construct(
        public readonly string $subscription_id,
        public readonly string $status,
        public readonly string $hosted_url,
        public readonly string $checkout_session_id,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['subscription_id'],
            $data['status'],
            $data['hosted_url'],
            $data['checkout_session_id'],
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Customer extends Model
{
    /**
     * @param string $customer_ref
     * @param string $provider_customer_id
     * @param string $merchant_id
     */
    public function __construct(
        public readonly string $customer_ref,
        public readonly string $provider_customer_id,
        public readonly string $merchant_id,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['customer_ref'],
            $data['provider_customer_id'],
            $data['merchant_id'],
        ))->withRaw($data);
    }
}

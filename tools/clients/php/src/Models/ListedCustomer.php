<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class ListedCustomer extends Model
{
    /**
     * @param string $customer_ref
     * @param string $provider_customer_id
     * @param string $merchant_id
     * @param list<SavedMethod> $methods The one saved last first. `saved_at` is absent of methods that were last
     *     saved before 28 November 2026.
     */
    public function __construct(
        public readonly string $customer_ref,
        public readonly string $provider_customer_id,
        public readonly string $merchant_id,
        public readonly array $methods,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['customer_ref'],
            $data['provider_customer_id'],
            $data['merchant_id'],
            array_map(SavedMethod::fromArray(...), $data['methods']),
        ))->withRaw($data);
    }
}

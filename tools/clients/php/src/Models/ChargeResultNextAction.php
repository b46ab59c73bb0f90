<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * For the provider's SDK in the customer's program.
 */
final class ChargeResultNextAction extends Model
{
    /**
     * @param 'use_provider_sdk' $type
     * @param string $client_secret
     * @param string $connected_account_id
     * @param string $publishable_key
     */
    public function __construct(
        public readonly string $type,
        public readonly string $client_secret,
        public readonly string $connected_account_id,
        public readonly string $publishable_key,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['type'],
            $data['client_secret'],
            $data['connected_account_id'],
            $data['publishable_key'],
        ))->withRaw($data);
    }
}

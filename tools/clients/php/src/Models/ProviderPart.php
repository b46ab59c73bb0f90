<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class ProviderPart extends Model
{
    /**
     * @param 'pending'|'approved'|'declined' $status How the provider answered.
     * @param string|null $provider Which provider. Left out for a wallet merchant.
     * @param string|null $provider_ref The provider's name for the payment, once it has one. Left out for a
     *     wallet merchant.
     * @param string|null $hosted_url Send the customer's browser here.
     * @param ProviderError|null $error
     */
    public function __construct(
        public readonly string $status,
        public readonly ?string $provider = null,
        public readonly ?string $provider_ref = null,
        public readonly ?string $hosted_url = null,
        public readonly ?ProviderError $error = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['status'],
            $data['provider'] ?? null,
            $data['provider_ref'] ?? null,
            $data['hosted_url'] ?? null,
            isset($data['error']) ? ProviderError::fromArray($data['error']) : null,
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class GrantedAccess extends Model
{
    /**
     * @param string $merchant_id Send it as `Service-Merchant`.
     * @param string $entity_id
     * @param string $grant_id
     * @param string $granted_scopes
     * @param string $granted_at UTC.
     * @param string $platform_id
     * @param 'merchant_id' $token_type
     */
    public function __construct(
        public readonly string $merchant_id,
        public readonly string $entity_id,
        public readonly string $grant_id,
        public readonly array $granted_scopes,
        public readonly string $granted_at,
        public readonly string $platform_id,
        public readonly string $token_type,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['merchant_id'],
            $data['entity_id'],
            $data['grant_id'],
            $data['granted_scopes'],
            $data['granted_at'],
            $data['platform_id'],
            $data['token_type'],
        ))->withRaw($data);
    }
}

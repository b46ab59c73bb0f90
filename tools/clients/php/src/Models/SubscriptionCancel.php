<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class SubscriptionCancel extends Model
{
    /**
     * @param string $subscription_id
     * @param string $status
     * @param string|null $canceled_at UTC.
     */
    public function __construct(
        public readonly string $subscription_id,
        public readonly string $status,
        public readonly ?string $canceled_at = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['subscription_id'],
            $data['status'],
            $data['canceled_at'] ?? null,
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Refund extends Model
{
    /**
     * @param string $refund_id The gateway's.
     * @param int $amount Minor units.
     * @param string $currency
     * @param 'pending'|'succeeded'|'failed' $status `pending`: the provider has accepted it and carries it out
     *     later; it counts as refunded. `failed`: it failed after it was accepted; it no longer counts, and its
     *     amount can be refunded again.
     * @param 'api'|'portal'|'provider'|'operator'|'system' $origin
     * @param string $created_at UTC.
     * @param string|null $reason As it was given.
     * @param string|null $failure_code Of a failed one: the provider's reason.
     */
    public function __construct(
        public readonly string $refund_id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly string $origin,
        public readonly string $created_at,
        public readonly ?string $reason = null,
        public readonly ?string $failure_code = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['refund_id'],
            $data['amount'],
            $data['currency'],
            $data['status'],
            $data['origin'],
            $data['created_at'],
            $data['reason'] ?? null,
            $data['failure_code'] ?? null,
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class RefundResult extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under.
     * @param string $state
     * @param int $refunded_amount By this request.
     * @param int $refunded_total In all.
     * @param int $remaining_amount What can still be refunded.
     * @param string $refund_id Of this refund.
     * @param ProviderPart $provider
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $state,
        public readonly int $refunded_amount,
        public readonly int $refunded_total,
        public readonly int $remaining_amount,
        public readonly string $refund_id,
        public readonly ProviderPart $provider,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            $data['state'],
            $data['refunded_amount'],
            $data['refunded_total'],
            $data['remaining_amount'],
            $data['refund_id'],
            ProviderPart::fromArray($data['provider']),
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Payment extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under.
     * @param string $state
     * @param ProviderPart $provider
     * @param int $amount Minor units.
     * @param string $currency
     * @param int $captured_amount Minor units. Below `amount` if only a part was captured.
     * @param int $refunded_total Minor units.
     * @param int $remaining_amount Minor units: what can still be refunded. 0 before a capture. What was lost in
     *     a dispute cannot be refunded.
     * @param int $disputed_amount Minor units: what open disputes have taken back. While it is above 0, a refund
     *     is 409 `payment disputed`.
     * @param list<Refund> $refunds Those that the provider accepted, oldest first.
     * @param list<Dispute> $disputes Oldest first.
     * @param string $created_at UTC.
     * @param string|null $description
     * @param string|null $customer_ref Only to the merchant and the platform that made the payment.
     * @param array<string, string>|null $metadata Only to the merchant and the platform that made the payment.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $state,
        public readonly ProviderPart $provider,
        public readonly int $amount,
        public readonly string $currency,
        public readonly int $captured_amount,
        public readonly int $refunded_total,
        public readonly int $remaining_amount,
        public readonly int $disputed_amount,
        public readonly array $refunds,
        public readonly array $disputes,
        public readonly string $created_at,
        public readonly ?string $description = null,
        public readonly ?string $customer_ref = null,
        public readonly ?array $metadata = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            $data['state'],
            ProviderPart::fromArray($data['provider']),
            $data['amount'],
            $data['currency'],
            $data['captured_amount'],
            $data['refunded_total'],
            $data['remaining_amount'],
            $data['disputed_amount'],
            array_map(Refund::fromArray(...), $data['refunds']),
            array_map(Dispute::fromArray(...), $data['disputes']),
            $data['created_at'],
            $data['description'] ?? null,
            $data['customer_ref'] ?? null,
            $data['metadata'] ?? null,
        ))->withRaw($data);
    }
}

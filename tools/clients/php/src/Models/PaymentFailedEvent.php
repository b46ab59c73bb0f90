<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class PaymentFailedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'payment.failed' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param PaymentFailedData $data A payment failed. No money was taken. Also sent for each failed attempt at a
     *     subscription's cycle, beside `subscription.invoice_failed`.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly PaymentFailedData $data,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['id'],
            $data['type'],
            $data['created'],
            EventMerchant::fromArray($data['merchant']),
            PaymentFailedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class PaymentPartiallyRefundedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'payment.partially_refunded' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param PaymentPartiallyRefundedData $data A part of a payment was refunded. One event for each refund that
     *     leaves some of the captured amount.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly PaymentPartiallyRefundedData $data,
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
            PaymentPartiallyRefundedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

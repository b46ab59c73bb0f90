<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class PaymentVoidedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'payment.voided' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param PaymentVoidedData $data An authorization was released. No money was taken. Sent only to endpoints
     *     that list it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly PaymentVoidedData $data,
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
            PaymentVoidedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

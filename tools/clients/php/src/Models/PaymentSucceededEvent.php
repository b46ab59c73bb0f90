<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class PaymentSucceededEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'payment.succeeded' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param PaymentSucceededData $data Money of a payment was taken, as platforms receive it. Platforms'
     *     endpoints receive this type; merchants' endpoints receive the same event as `payment.captured`.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly PaymentSucceededData $data,
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
            PaymentSucceededData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

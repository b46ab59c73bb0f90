<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class SubscriptionActivatedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'subscription.activated' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param SubscriptionActivatedData $data A subscription began. The provider created it after its checkout;
     *     once for each subscription. Sent to the merchant and to the platform that opened the subscription. Sent
     *     only to endpoints that list it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly SubscriptionActivatedData $data,
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
            SubscriptionActivatedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

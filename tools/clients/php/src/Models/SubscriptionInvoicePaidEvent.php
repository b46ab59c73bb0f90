<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class SubscriptionInvoicePaidEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'subscription.invoice_paid' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param SubscriptionInvoicePaidData $data A cycle of a subscription was paid. Amount and period are the
     *     invoice's. `payment.captured` (for platforms `payment.succeeded`) is sent beside it, unless the amount is
     *     0. Sent to the merchant and to the platform that opened the subscription. Sent only to endpoints that list
     *     it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly SubscriptionInvoicePaidData $data,
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
            SubscriptionInvoicePaidData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

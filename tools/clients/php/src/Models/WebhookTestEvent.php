<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class WebhookTestEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'webhook.test' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param WebhookTestData $data A test of the endpoint was asked for in the portal. It belongs to no payment,
     *     is sent to that endpoint alone, and cannot be listed.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly WebhookTestData $data,
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
            WebhookTestData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

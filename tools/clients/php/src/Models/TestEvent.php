<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class TestEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt: drop what you have seen.
     * @param 'webhook.test' $type
     * @param string $created UTC.
     * @param TestEventMerchant $merchant
     * @param TestEventData $data
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly TestEventMerchant $merchant,
        public readonly TestEventData $data,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['id'],
            $data['type'],
            $data['created'],
            TestEventMerchant::fromArray($data['merchant']),
            TestEventData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

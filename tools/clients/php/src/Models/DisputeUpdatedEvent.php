<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class DisputeUpdatedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'dispute.updated' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param DisputeUpdatedData $data A dispute changed, and is still open. Its status, its amount or its date.
     *     Sent only to endpoints that list it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly DisputeUpdatedData $data,
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
            DisputeUpdatedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

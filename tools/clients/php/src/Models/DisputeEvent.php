<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class DisputeEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt: drop what you have seen.
     * @param 'dispute.opened'|'dispute.updated'|'dispute.closed' $type
     * @param string $created UTC.
     * @param DisputeEventMerchant $merchant
     * @param Dispute $data
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly DisputeEventMerchant $merchant,
        public readonly Dispute $data,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['id'],
            $data['type'],
            $data['created'],
            DisputeEventMerchant::fromArray($data['merchant']),
            Dispute::fromArray($data['data']),
        ))->withRaw($data);
    }
}

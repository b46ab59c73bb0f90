<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class DisputeClosedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'dispute.closed' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param DisputeClosedData $data A dispute was won or lost. It changes no more. Sent only to endpoints that
     *     list it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly DisputeClosedData $data,
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
            DisputeClosedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

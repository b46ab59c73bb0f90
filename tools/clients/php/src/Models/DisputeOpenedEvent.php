<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class DisputeOpenedEvent extends Model
{
    /**
     * @param string $id The same for all of your endpoints and in every attempt.
     * @param 'dispute.opened' $type
     * @param string $created UTC.
     * @param EventMerchant $merchant Whose event it is.
     * @param DisputeOpenedData $data A cardholder disputed a payment. The payment's state stays. Sent only to
     *     endpoints that list it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly EventMerchant $merchant,
        public readonly DisputeOpenedData $data,
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
            DisputeOpenedData::fromArray($data['data']),
        ))->withRaw($data);
    }
}

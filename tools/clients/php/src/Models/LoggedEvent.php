<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * The event as a destination receives it, byte for byte.
 */
final class LoggedEvent extends Model
{
    /**
     * @param string $id
     * @param string $type
     * @param string $created
     * @param LoggedEventMerchant $merchant
     * @param array<string, mixed> $data As the webhook of that type has it.
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly LoggedEventMerchant $merchant,
        public readonly array $data,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['id'],
            $data['type'],
            $data['created'],
            LoggedEventMerchant::fromArray($data['merchant']),
            $data['data'],
        ))->withRaw($data);
    }
}

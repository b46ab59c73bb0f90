<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class LoggedEventMerchant extends Model
{
    /**
     * @param string $id
     * @param string $entity_id
     */
    public function __construct(
        public readonly string $id,
        public readonly string $entity_id,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['id'],
            $data['entity_id'],
        ))->withRaw($data);
    }
}

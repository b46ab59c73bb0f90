<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class TestEventData extends Model
{
    /**
     * @param string $destination_id
     * @param string $message
     */
    public function __construct(
        public readonly string $destination_id,
        public readonly string $message,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['destination_id'],
            $data['message'],
        ))->withRaw($data);
    }
}

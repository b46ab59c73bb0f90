<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class EventTypeListEventType extends Model
{
    /**
     * @param string $type As in the event's `type`.
     * @param array<string, mixed> $schema The JSON Schema of the event's `data`; `x-version` is its version.
     */
    public function __construct(
        public readonly string $type,
        public readonly array $schema,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['type'],
            $data['schema'],
        ))->withRaw($data);
    }
}

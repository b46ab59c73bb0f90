<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class EventTypeList extends Model
{
    /**
     * @param list<EventTypeListEventType> $event_types
     */
    public function __construct(
        public readonly array $event_types,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            array_map(EventTypeListEventType::fromArray(...), $data['event_types']),
        ))->withRaw($data);
    }
}

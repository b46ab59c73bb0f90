<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class EventList extends Model
{
    /**
     * @param list<LoggedEvent> $events Oldest first.
     * @param string $next Where to go on: send it as `after`. Always there.
     */
    public function __construct(
        public readonly array $events,
        public readonly string $next,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            array_map(LoggedEvent::fromArray(...), $data['events']),
            $data['next'],
        ))->withRaw($data);
    }
}

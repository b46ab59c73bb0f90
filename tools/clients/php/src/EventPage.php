<?php

declare(strict_types=1);

namespace Gateway\Client;

/** Events, oldest first, and where to go on. */
final class EventPage
{
    /**
     * @param list<Event> $events
     * @param string $next send it as `after`; it is always there
     */
    public function __construct(public readonly array $events, public readonly string $next)
    {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return new self(array_map(Event::fromArray(...), $data['events']), $data['next']);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Timeline extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under.
     * @param list<TimelineEntry> $timeline
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly array $timeline,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            array_map(TimelineEntry::fromArray(...), $data['timeline']),
        ))->withRaw($data);
    }
}

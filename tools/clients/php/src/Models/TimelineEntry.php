<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class TimelineEntry extends Model
{
    /**
     * @param 'attempt'|'event' $kind `attempt`: a call to the provider, or what happened there. `event`: an event
     *     that was published.
     * @param string $operation `authorize`, `capture`, `refund`, `void`, `dispute` and the like; of an event its
     *     type.
     * @param string $status Of an attempt how it went; of an event `published`.
     * @param string $occurred_at UTC.
     * @param 'api'|'portal'|'provider'|'operator'|'system' $origin
     * @param string|null $provider
     * @param string|null $error_code
     * @param string|null $message
     */
    public function __construct(
        public readonly string $kind,
        public readonly string $operation,
        public readonly string $status,
        public readonly string $occurred_at,
        public readonly string $origin,
        public readonly ?string $provider = null,
        public readonly ?string $error_code = null,
        public readonly ?string $message = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['kind'],
            $data['operation'],
            $data['status'],
            $data['occurred_at'],
            $data['origin'],
            $data['provider'] ?? null,
            $data['error_code'] ?? null,
            $data['message'] ?? null,
        ))->withRaw($data);
    }
}

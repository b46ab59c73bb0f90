<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * A test of the endpoint was asked for in the portal. It belongs to no payment, is sent to that endpoint alone, and
 * cannot be listed.
 */
final class WebhookTestData extends Model
{
    /**
     * @param string $destination_id The endpoint's id in the portal.
     * @param string $message For people.
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

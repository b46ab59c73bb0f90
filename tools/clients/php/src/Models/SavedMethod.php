<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class SavedMethod extends Model
{
    /**
     * @param string $payment_method_id What charges of the method name.
     * @param string|null $saved_at UTC.
     */
    public function __construct(
        public readonly string $payment_method_id,
        public readonly ?string $saved_at = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_method_id'],
            $data['saved_at'] ?? null,
        ))->withRaw($data);
    }
}

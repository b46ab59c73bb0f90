<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class PaymentList extends Model
{
    /**
     * @param list<Payment> $payments Newest first.
     * @param string|null $next Where to go on: send it as `after`. Absent on the last page.
     */
    public function __construct(
        public readonly array $payments,
        public readonly ?string $next = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            array_map(Payment::fromArray(...), $data['payments']),
            $data['next'] ?? null,
        ))->withRaw($data);
    }
}

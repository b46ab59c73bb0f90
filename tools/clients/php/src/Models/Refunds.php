<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Refunds extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under.
     * @param list<Refund> $refunds Oldest first.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly array $refunds,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            array_map(Refund::fromArray(...), $data['refunds']),
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class CaptureResult extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under.
     * @param string $state
     * @param int $captured_amount Minor units.
     * @param ProviderPart $provider
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $state,
        public readonly int $captured_amount,
        public readonly ProviderPart $provider,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            $data['state'],
            $data['captured_amount'],
            ProviderPart::fromArray($data['provider']),
        ))->withRaw($data);
    }
}

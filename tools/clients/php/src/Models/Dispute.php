<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Dispute extends Model
{
    /**
     * @param string $dispute_id The gateway's.
     * @param string $payment_id The id that the payment was created under.
     * @param int $amount Minor units.
     * @param string $currency
     * @param 'warning'|'needs_response'|'under_review'|'won'|'lost' $status
     * @param string $opened_at UTC.
     * @param string|null $reason The provider's word for it.
     * @param string|null $evidence_due_by UTC.
     * @param string|null $closed_at UTC.
     */
    public function __construct(
        public readonly string $dispute_id,
        public readonly string $payment_id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly string $opened_at,
        public readonly ?string $reason = null,
        public readonly ?string $evidence_due_by = null,
        public readonly ?string $closed_at = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['dispute_id'],
            $data['payment_id'],
            $data['amount'],
            $data['currency'],
            $data['status'],
            $data['opened_at'],
            $data['reason'] ?? null,
            $data['evidence_due_by'] ?? null,
            $data['closed_at'] ?? null,
        ))->withRaw($data);
    }
}

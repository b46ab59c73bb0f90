<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * A dispute was won or lost. It changes no more. Sent only to endpoints that list it.
 */
final class DisputeClosedData extends Model
{
    /**
     * @param string $dispute_id The gateway's id, `dp_…`.
     * @param string $payment_id The id that the payment was created under.
     * @param int $amount What is disputed, in minor units.
     * @param string $currency The ISO 4217 code.
     * @param 'warning'|'needs_response'|'under_review'|'won'|'lost' $status `warning`: the bank inquires; no
     *     money has moved. `needs_response`: the amount was taken back, and evidence can be sent until
     *     `evidence_due_by`. `under_review`: the bank decides. `won`: the amount was given back, or the inquiry
     *     ended. `lost`: the amount stays with the cardholder. The last two are final.
     * @param string $opened_at When it was opened.
     * @param string|null $reason The provider's word for it.
     * @param string|null $evidence_due_by Until when evidence can be sent to the provider.
     * @param string|null $closed_at When it was won or lost.
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

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class ChargeResult extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under.
     * @param 'succeeded'|'failed'|'requires_action' $status
     * @param string $state
     * @param string $provider
     * @param string|null $provider_ref
     * @param ChargeResultNextAction|null $next_action For the provider's SDK in the customer's program.
     * @param ProviderError|null $error
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $status,
        public readonly string $state,
        public readonly string $provider,
        public readonly ?string $provider_ref = null,
        public readonly ?ChargeResultNextAction $next_action = null,
        public readonly ?ProviderError $error = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            $data['status'],
            $data['state'],
            $data['provider'],
            $data['provider_ref'] ?? null,
            isset($data['next_action']) ? ChargeResultNextAction::fromArray($data['next_action']) : null,
            isset($data['error']) ? ProviderError::fromArray($data['error']) : null,
        ))->withRaw($data);
    }
}

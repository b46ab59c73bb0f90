<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * An authorization was released. No money was taken. Sent only to endpoints that list it.
 */
final class PaymentVoidedData extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under. A subscription's cycle has an id of
     *     the gateway's own.
     * @param string $state The payment's state at the time of the event.
     * @param int $amount The payment's amount, in minor units.
     * @param string $currency The ISO 4217 code.
     * @param 'requested'|'authorization_expired'|'cancelled_at_provider' $void_reason `requested`: by the API,
     *     the portal or an operator. `authorization_expired`: its time was over. `cancelled_at_provider`: it was
     *     cancelled there.
     * @param int|null $captured_amount What was captured in all, in minor units; present if anything was.
     * @param string|null $customer_ref The customer, where the payment has one. Sent only to the merchant and to
     *     the platform that made the payment.
     * @param array<string, string>|null $metadata As given when the payment was created. Sent only to the
     *     merchant and to the platform that made the payment.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $state,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $void_reason,
        public readonly ?int $captured_amount = null,
        public readonly ?string $customer_ref = null,
        public readonly ?array $metadata = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['payment_id'],
            $data['state'],
            $data['amount'],
            $data['currency'],
            $data['void_reason'],
            $data['captured_amount'] ?? null,
            $data['customer_ref'] ?? null,
            $data['metadata'] ?? null,
        ))->withRaw($data);
    }
}

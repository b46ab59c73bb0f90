<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * A payment failed. No money was taken. Also sent for each failed attempt at a subscription's cycle, beside
 * `subscription.invoice_failed`.
 */
final class PaymentFailedData extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under. A subscription's cycle has an id of
     *     the gateway's own.
     * @param string $state The payment's state at the time of the event.
     * @param int $amount The payment's amount, in minor units.
     * @param string $currency The ISO 4217 code.
     * @param string $failure_code Why it failed: `card_declined`, `insufficient_funds`, `account_invalid`,
     *     `checkout_expired` and others, also the provider's own.
     * @param 'auth'|'validation'|'provider'|'timeout'|'risk'|'internal' $failure_category The kind of reason.
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
        public readonly string $failure_code,
        public readonly string $failure_category,
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
            $data['failure_code'],
            $data['failure_category'],
            $data['customer_ref'] ?? null,
            $data['metadata'] ?? null,
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * All of a payment was refunded. The event of the refund that leaves nothing of the captured amount.
 */
final class PaymentRefundedData extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under. A subscription's cycle has an id of
     *     the gateway's own.
     * @param string $state The payment's state at the time of the event.
     * @param int $amount The payment's amount, in minor units.
     * @param string $currency The ISO 4217 code.
     * @param int $refunded_amount What has been refunded in all so far, in minor units; not this refund alone.
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
        public readonly int $refunded_amount,
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
            $data['refunded_amount'],
            $data['captured_amount'] ?? null,
            $data['customer_ref'] ?? null,
            $data['metadata'] ?? null,
        ))->withRaw($data);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class PaymentEventData extends Model
{
    /**
     * @param string $payment_id
     * @param string $state
     * @param int $amount The payment's; of `payment.refund_failed` the refund's.
     * @param string $currency
     * @param int|null $captured_amount Of a captured payment. Below `amount` if only a part was captured.
     * @param int|null $refunded_amount Of `payment.refunded`, `payment.partially_refunded` and
     *     `payment.refund_failed`: in all, not this time.
     * @param string|null $refund_id Of `payment.refund_failed`.
     * @param 'requested'|'authorization_expired'|'cancelled_at_provider'|null $void_reason Of `payment.voided`.
     * @param bool|null $late Of a capture: the payment had failed before, and was paid after all.
     * @param string|null $failure_code Of `payment.failed` and `payment.refund_failed`.
     * @param 'auth'|'validation'|'provider'|'timeout'|'risk'|'internal'|null $failure_category Of
     *     `payment.failed`.
     * @param string|null $customer_ref Only to the merchant and the platform that made the payment.
     * @param string|null $payment_method_id Of a capture: the method that was saved. Only to the merchant and the
     *     platform that made the payment.
     * @param array<string, string>|null $metadata Only to the merchant and the platform that made the payment.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $state,
        public readonly int $amount,
        public readonly string $currency,
        public readonly ?int $captured_amount = null,
        public readonly ?int $refunded_amount = null,
        public readonly ?string $refund_id = null,
        public readonly ?string $void_reason = null,
        public readonly ?bool $late = null,
        public readonly ?string $failure_code = null,
        public readonly ?string $failure_category = null,
        public readonly ?string $customer_ref = null,
        public readonly ?string $payment_method_id = null,
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
            $data['captured_amount'] ?? null,
            $data['refunded_amount'] ?? null,
            $data['refund_id'] ?? null,
            $data['void_reason'] ?? null,
            $data['late'] ?? null,
            $data['failure_code'] ?? null,
            $data['failure_category'] ?? null,
            $data['customer_ref'] ?? null,
            $data['payment_method_id'] ?? null,
            $data['metadata'] ?? null,
        ))->withRaw($data);
    }
}

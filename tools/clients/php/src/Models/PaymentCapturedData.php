<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * Money of a payment was taken. All of what was authorized, or a part of it. Merchants' endpoints receive this type;
 * platforms' endpoints receive the same event as `payment.succeeded`.
 */
final class PaymentCapturedData extends Model
{
    /**
     * @param string $payment_id The id that the payment was created under. A subscription's cycle has an id of
     *     the gateway's own.
     * @param string $state The payment's state at the time of the event.
     * @param int $amount The payment's amount, in minor units.
     * @param string $currency The ISO 4217 code.
     * @param int $captured_amount What was captured in all, in minor units. Below `amount` if only a part was
     *     captured.
     * @param bool|null $late Present, and true, if the payment had failed before, and was paid after all.
     * @param string|null $customer_ref The customer, where the payment has one. Sent only to the merchant and to
     *     the platform that made the payment.
     * @param string|null $payment_method_id The payment method that was saved. Sent only to the merchant and to
     *     the platform that made the payment.
     * @param array<string, string>|null $metadata As given when the payment was created. Sent only to the
     *     merchant and to the platform that made the payment.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly string $state,
        public readonly int $amount,
        public readonly string $currency,
        public readonly int $captured_amount,
        public readonly ?bool $late = null,
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
            $data['captured_amount'],
            $data['late'] ?? null,
            $data['customer_ref'] ?? null,
            $data['payment_method_id'] ?? null,
            $data['metadata'] ?? null,
        ))->withRaw($data);
    }
}

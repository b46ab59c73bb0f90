<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * An attempt to collect a cycle of a subscription failed. Amount and period are the invoice's. Sent for each attempt,
 * and once more when the provider gives up; `payment.failed` is sent beside it. Sent to the merchant and to the
 * platform that opened the subscription. Sent only to endpoints that list it.
 */
final class SubscriptionInvoiceFailedData extends Model
{
    /**
     * @param string $subscription_id `sub_<merchant>_<the provider's id>`.
     * @param string $provider_subscription_id The provider's id.
     * @param string $subscription_status The provider's status at the time of the event; `canceled` and
     *     `incomplete_expired` are final.
     * @param int $amount The invoice's amount, in minor units, which may differ from the price.
     * @param string $currency The ISO 4217 code.
     * @param 'day'|'week'|'month'|'year' $interval The unit of a cycle.
     * @param int $interval_count The number of units in a cycle.
     * @param string $source_event_id The provider's event that caused this one.
     * @param string|null $provider_customer_id The provider's id of the customer.
     * @param string|null $customer_ref The platform's reference of the customer.
     * @param string|null $period_start When the invoice's period begins.
     * @param string|null $period_end When the invoice's period ends.
     * @param string|null $cancel_at When it will end, if that is planned.
     * @param string|null $canceled_at When it was canceled.
     * @param string|null $hosted_url Present where the customer must approve the payment: the page for it.
     * @param array<string, string>|null $subscription_metadata The subscription's own metadata, unchanged.
     */
    public function __construct(
        public readonly string $subscription_id,
        public readonly string $provider_subscription_id,
        public readonly string $subscription_status,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $interval,
        public readonly int $interval_count,
        public readonly string $source_event_id,
        public readonly ?string $provider_customer_id = null,
        public readonly ?string $customer_ref = null,
        public readonly ?string $period_start = null,
        public readonly ?string $period_end = null,
        public readonly ?string $cancel_at = null,
        public readonly ?string $canceled_at = null,
        public readonly ?string $hosted_url = null,
        public readonly ?array $subscription_metadata = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['subscription_id'],
            $data['provider_subscription_id'],
            $data['subscription_status'],
            $data['amount'],
            $data['currency'],
            $data['interval'],
            $data['interval_count'],
            $data['source_event_id'],
            $data['provider_customer_id'] ?? null,
            $data['customer_ref'] ?? null,
            $data['period_start'] ?? null,
            $data['period_end'] ?? null,
            $data['cancel_at'] ?? null,
            $data['canceled_at'] ?? null,
            $data['hosted_url'] ?? null,
            $data['subscription_metadata'] ?? null,
        ))->withRaw($data);
    }
}

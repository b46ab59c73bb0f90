<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class Subscription extends Model
{
    /**
     * @param string $subscription_id Your own id.
     * @param string $status
     * @param string $subscription_status
     * @param int $amount Minor units, each cycle.
     * @param string $currency
     * @param 'day'|'week'|'month'|'year' $interval
     * @param int $interval_count
     * @param string|null $provider_subscription_id
     * @param string|null $provider_customer_id
     * @param string|null $customer_ref
     * @param string|null $period_start UTC.
     * @param string|null $period_end UTC.
     * @param string|null $cancel_at UTC.
     * @param string|null $canceled_at UTC.
     * @param string|null $source_event_id The provider's event that stated this.
     * @param string|null $hosted_url While a cycle needs its customer, as by 3-D Secure: the page where the
     *     customer approves the payment.
     * @param array<string, string>|null $subscription_metadata
     */
    public function __construct(
        public readonly string $subscription_id,
        public readonly string $status,
        public readonly string $subscription_status,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $interval,
        public readonly int $interval_count,
        public readonly ?string $provider_subscription_id = null,
        public readonly ?string $provider_customer_id = null,
        public readonly ?string $customer_ref = null,
        public readonly ?string $period_start = null,
        public readonly ?string $period_end = null,
        public readonly ?string $cancel_at = null,
        public readonly ?string $canceled_at = null,
        public readonly ?string $source_event_id = null,
        public readonly ?string $hosted_url = null,
        public readonly ?array $subscription_metadata = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['subscription_id'],
            $data['status'],
            $data['subscription_status'],
            $data['amount'],
            $data['currency'],
            $data['interval'],
            $data['interval_count'],
            $data['provider_subscription_id'] ?? null,
            $data['provider_customer_id'] ?? null,
            $data['customer_ref'] ?? null,
            $data['period_start'] ?? null,
            $data['period_end'] ?? null,
            $data['cancel_at'] ?? null,
            $data['canceled_at'] ?? null,
            $data['source_event_id'] ?? null,
            $data['hosted_url'] ?? null,
            $data['subscription_metadata'] ?? null,
        ))->withRaw($data);
    }
}

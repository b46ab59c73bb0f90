<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class CreateSubscriptionCheckout extends Model
{
    /**
     * @param string $subscription_id Yours: once per merchant.
     * @param string $customer_ref The platform's own name for its customer: 1 to 128 characters, none of them a
     *     control character, compared byte for byte.
     * @param int $amount Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not
     *     `4200.0`, `1e3` or `"4200"`.
     * @param string $currency An ISO 4217 code in force; answers have it in capitals.
     * @param 'day'|'week'|'month'|'year' $interval How long a cycle is.
     * @param string $success_url Where the customer returns to after subscribing: an absolute https URL.
     * @param string $cancel_url Where the customer returns to otherwise.
     * @param int|null $interval_count So many intervals are a cycle. 0 means 1.
     * @param int|null $trial_period_days Free days before the first cycle.
     * @param string|null $description Shown on the hosted page.
     * @param array<string, string>|null $metadata Up to 50 strings by name, at most 64 KiB in all, as bytes of
     *     JSON. Names that begin with `service_` are dropped. Comes back in events.
     * @param string|null $merchant_id The merchant whom the request is for. Leave it out, or name the one whose
     *     key signed (or whom `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
     */
    public function __construct(
        public readonly string $subscription_id,
        public readonly string $customer_ref,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $interval,
        public readonly string $success_url,
        public readonly string $cancel_url,
        public readonly ?int $interval_count = null,
        public readonly ?int $trial_period_days = null,
        public readonly ?string $description = null,
        public readonly ?array $metadata = null,
        public readonly ?string $merchant_id = null,
    ) {
    }
}

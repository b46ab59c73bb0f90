<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class ChargeSavedMethod extends Model
{
    /**
     * @param string $payment_id Yours: unique per merchant and environment. Cycles of subscriptions have ids of
     *     the gateway's own.
     * @param int $amount Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not
     *     `4200.0`, `1e3` or `"4200"`.
     * @param string $currency An ISO 4217 code in force; answers have it in capitals.
     * @param string $customer_ref The platform's own name for its customer: 1 to 128 characters, none of them a
     *     control character, compared byte for byte.
     * @param string $payment_method_id The saved method, as the event of the payment that saved it gave it.
     * @param bool|null $off_session Whether the customer is away. It changes nothing here: a provider that wants
     *     to see the customer says so.
     * @param bool|null $auto_capture `false`: authorize only.
     * @param string|null $description Shown on hosted pages. At most 64 KiB.
     * @param string|null $customer_email An e-mail address. Pre-filled on hosted pages.
     * @param string|null $customer_name Pre-filled on hosted pages.
     * @param array<string, string>|null $metadata Up to 50 strings by name, at most 64 KiB in all, as bytes of
     *     JSON. Names that begin with `service_` are dropped. Comes back in events.
     * @param string|null $merchant_id The merchant whom the request is for. Leave it out, or name the one whose
     *     key signed (or whom `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $customer_ref,
        public readonly string $payment_method_id,
        public readonly ?bool $off_session = null,
        public readonly ?bool $auto_capture = null,
        public readonly ?string $description = null,
        public readonly ?string $customer_email = null,
        public readonly ?string $customer_name = null,
        public readonly ?array $metadata = null,
        public readonly ?string $merchant_id = null,
    ) {
    }
}

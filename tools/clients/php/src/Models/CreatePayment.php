<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

/**
 * Unknown fields are ignored; a field that is null or empty counts as absent, except an `amount` that is null and a
 * `customer_ref` that is empty.
 */
final class CreatePayment extends Model
{
    /**
     * @param string $payment_id Yours: unique per merchant and environment. Cycles of subscriptions have ids of
     *     the gateway's own.
     * @param int $amount Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not
     *     `4200.0`, `1e3` or `"4200"`.
     * @param string $currency An ISO 4217 code in force; answers have it in capitals.
     * @param 'server'|'redirect'|'embedded'|null $flow `server`: charged at once. `redirect`: the customer pays
     *     on a hosted page. `embedded`: that page in a frame of the shop's.
     * @param string|null $payment_method For the server flow: a token, never a card number. What each token does
     *     at the sandbox stands under *Sandbox tokens* below.
     * @param string|null $success_url Where the customer returns to after paying: an absolute https URL (in test
     *     also http to this machine). Required for `redirect` and `embedded`.
     * @param string|null $cancel_url Where the customer returns to otherwise. Required for `redirect` and
     *     `embedded`.
     * @param string|null $description Shown on hosted pages. At most 64 KiB.
     * @param string|null $customer_email An e-mail address. Pre-filled on hosted pages.
     * @param string|null $customer_name Pre-filled on hosted pages.
     * @param array<string, string>|null $metadata Up to 50 strings by name, at most 64 KiB in all, as bytes of
     *     JSON. Names that begin with `service_` are dropped. Comes back in events.
     * @param string|null $customer_mobile Pre-filled on hosted pages.
     * @param 'pkr_wallet'|null $payment_method_type `pkr_wallet` for the wallet: then `flow` is `redirect` or
     *     `embedded` and `currency` PKR. Leave it out otherwise.
     * @param string|null $customer_ref The platform's own name for its customer: 1 to 128 characters, none of
     *     them a control character, compared byte for byte. Of platforms, in live only, together with
     *     `setup_future_usage`.
     * @param 'on_session'|'off_session'|null $setup_future_usage Saves the method for the customer once the
     *     payment is approved, to be charged without the customer (`off_session`) or while the customer is there
     *     (`on_session`); the provider learns which. With `off_session` in the server flow `payment_method` may be
     *     left out: what was saved last is charged. Requires `customer_ref`.
     * @param string|null $merchant_id The merchant whom the request is for. Leave it out, or name the one whose
     *     key signed (or whom `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
     */
    public function __construct(
        public readonly string $payment_id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly ?string $flow = null,
        public readonly ?string $payment_method = null,
        public readonly ?string $success_url = null,
        public readonly ?string $cancel_url = null,
        public readonly ?string $description = null,
        public readonly ?string $customer_email = null,
        public readonly ?string $customer_name = null,
        public readonly ?array $metadata = null,
        public readonly ?string $customer_mobile = null,
        public readonly ?string $payment_method_type = null,
        public readonly ?string $customer_ref = null,
        public readonly ?string $setup_future_usage = null,
        public readonly ?string $merchant_id = null,
    ) {
    }
}

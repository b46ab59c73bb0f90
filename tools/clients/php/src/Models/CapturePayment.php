<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class CapturePayment extends Model
{
    /**
     * @param int|null $amount Minor units. 0, or no amount: all that was authorized.
     * @param string|null $merchant_id The merchant whom the request is for. Leave it out, or name the one whose
     *     key signed (or whom `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
     */
    public function __construct(
        public readonly ?int $amount = null,
        public readonly ?string $merchant_id = null,
    ) {
    }
}

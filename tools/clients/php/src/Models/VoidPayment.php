<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class VoidPayment extends Model
{
    /**
     * @param string|null $reason For your own records. At most 64 KiB.
     * @param string|null $merchant_id The merchant whom the request is for. Leave it out, or name the one whose
     *     key signed (or whom `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
     */
    public function __construct(
        public readonly ?string $reason = null,
        public readonly ?string $merchant_id = null,
    ) {
    }
}

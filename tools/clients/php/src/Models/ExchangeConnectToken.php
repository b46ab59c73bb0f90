<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class ExchangeConnectToken extends Model
{
    /**
     * @param 'authorization_code' $grant_type
     * @param string $code The `code` that the browser came back with.
     * @param string $redirect_uri The address that the browser came back to, byte for byte as it was sent to the
     *     consent screen.
     */
    public function __construct(
        public readonly string $grant_type,
        public readonly string $code,
        public readonly string $redirect_uri,
    ) {
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class RevokeGrant extends Model
{
    /**
     * @param string|null $reason Shown to the merchant. Without one: `integrator_requested`.
     */
    public function __construct(
        public readonly ?string $reason = null,
    ) {
    }
}

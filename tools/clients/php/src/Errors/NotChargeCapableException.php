<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 422 `merchant_not_charge_capable`: the merchant has not finished its set-up at a provider. */
class NotChargeCapableException extends BusinessException
{
    /** For the merchant's owner; works once. Do not log, cache or forward it. */
    public function setupUrl(): string
    {
        return $this->body()['error']['setup_url'];
    }

    public function setupUrlExpiresAt(): string
    {
        return $this->body()['error']['setup_url_expires_at'];
    }

    /** @return list<array{id: string, display_name: string, status: string, source: string}> */
    public function providers(): array
    {
        return $this->body()['error']['providers'] ?? [];
    }
}

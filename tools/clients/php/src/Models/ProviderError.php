<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class ProviderError extends Model
{
    /**
     * @param 'auth'|'validation'|'provider'|'timeout'|'risk'|'internal' $category
     * @param string $code The same word whichever provider said it, where there is one: `card_declined`,
     *     `insufficient_funds`, `expired_card`, `incorrect_cvc`, `authentication_required`, `processing_error`,
     *     `provider_unavailable`, `account_invalid`, `risk_blocked`, `checkout_expired`, `payment_method_not_found`,
     *     `customer_not_found`. Any other is the provider's own. A wallet merchant's are neutral: `PAYMENT_DECLINED`,
     *     `PAYMENT_EXPIRED`, `PAYMENT_OUTCOME_UNKNOWN`, `PAYMENT_FAILED`.
     * @param string $message For people.
     * @param bool $retryable Whether the customer may try again.
     * @param 'unknown'|null $outcome Only if it is not known whether it happened: the gateway asks until it
     *     knows. Do not start a second payment before you know.
     */
    public function __construct(
        public readonly string $category,
        public readonly string $code,
        public readonly string $message,
        public readonly bool $retryable,
        public readonly ?string $outcome = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            $data['category'],
            $data['code'],
            $data['message'],
            $data['retryable'],
            $data['outcome'] ?? null,
        ))->withRaw($data);
    }
}

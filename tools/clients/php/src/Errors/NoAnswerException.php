<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/**
 * No usable answer, after all attempts. A write may have been carried out.
 *
 * Call again with the idempotency key and the same arguments to learn what happened: it is carried out once.
 */
final class NoAnswerException extends GatewayException
{
    public function __construct(string $message, public readonly ?string $idempotencyKey, ?\Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
    }
}

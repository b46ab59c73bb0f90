<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/**
 * One attempt without a usable answer. Within the package: its callers see NoAnswerException.
 *
 * @internal
 */
final class BrokenExchange extends \RuntimeException
{
    /** @param bool $final whether another attempt will have none either */
    public function __construct(string $message, public readonly bool $final = false)
    {
        parent::__construct($message);
    }
}

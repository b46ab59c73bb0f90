<?php

declare(strict_types=1);

namespace Gateway\Client;

/** How requests are sent. */
final class Options
{
    /**
     * @param float $timeout seconds for one attempt; the gateway answers within 35 s, so it is longer
     * @param int $attempts how often a request is sent at most
     */
    public function __construct(public readonly float $timeout = 40.0, public readonly int $attempts = 8)
    {
    }
}

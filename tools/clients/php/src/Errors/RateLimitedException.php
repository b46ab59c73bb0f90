<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 429, also after the last attempt. */
class RateLimitedException extends ApiException
{
}

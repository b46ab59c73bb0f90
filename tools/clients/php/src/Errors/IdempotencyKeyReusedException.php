<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 409 `IDEMPOTENCY_KEY_REUSED`: the key was used for another request. */
class IdempotencyKeyReusedException extends ConflictException
{
}

<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 409: the state does not allow it. */
class ConflictException extends ApiException
{
}

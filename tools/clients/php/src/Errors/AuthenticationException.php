<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 401: the key, the signature or the clock. */
class AuthenticationException extends ApiException
{
}

<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 403: the scope or the grant. */
class ForbiddenException extends ApiException
{
}

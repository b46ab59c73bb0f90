<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 400, 405, 413, 415, 431: the request is wrong. */
class InvalidRequestException extends ApiException
{
}

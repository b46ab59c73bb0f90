<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 422: a rule of the business. */
class BusinessException extends ApiException
{
}

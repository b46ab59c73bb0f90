<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 404: there is none, or this key may not see it. */
class NotFoundException extends ApiException
{
}

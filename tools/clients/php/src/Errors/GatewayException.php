<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** Every error of this package. */
class GatewayException extends \RuntimeException
{
}

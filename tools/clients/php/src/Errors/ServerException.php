<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 5xx, also after the last attempt. A write may have been carried out: call again with its key. */
class ServerException extends ApiException
{
}

<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 409 `request already processing`, also after the last attempt. Call again with the same key. */
class StillProcessingException extends ConflictException
{
}

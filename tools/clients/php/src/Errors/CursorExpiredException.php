<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** 410 `cursor_expired`: the events after the cursor are no longer kept. */
class CursorExpiredException extends ApiException
{
}

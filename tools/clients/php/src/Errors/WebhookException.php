<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/** A webhook that is not genuine. The text gives the reason. */
final class WebhookException extends GatewayException
{
}

<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/**
 * 502 `provider outcome unknown`: the provider did not answer. The gateway asks it until it knows.
 *
 * Read the payment until its state is final (Client::waitForPayment). Make no second payment before that.
 */
class OutcomeUnknownException extends ServerException
{
}

<?php

declare(strict_types=1);

namespace Gateway\Client;

use Gateway\Client\Errors\WebhookException;

/** Verification of webhooks. */
final class Webhook
{
    /**
     * The event of a genuine webhook; throws WebhookException otherwise.
     *
     * @param string|null $header X-Service-Signature
     * @param string $body what was posted, byte for byte, before anything parses it: file_get_contents('php://input')
     * @param string $secret the destination's, with its `whsec_`
     * @param int $tolerance how many seconds the signature's time may be from now
     */
    public static function verify(
        ?string $header,
        string $body,
        #[\SensitiveParameter] string $secret,
        int $tolerance = 300,
        ?int $now = null,
    ): Event {
        if ($secret === '') {
            throw new \InvalidArgumentException('the signing secret is empty');
        }
        $times = [];
        $given = [];
        foreach (explode(',', $header ?? '') as $part) {
            [$name, $value] = explode('=', $part, 2) + ['', ''];
            if ($name === 't') {
                $times[] = $value;
            } elseif ($name === 'v1' && preg_match('/^[0-9a-f]{64}$/D', $value)) {
                $given[] = $value;
            }
        }
        if (count($times) !== 1 || !preg_match('/^[0-9]{1,12}$/D', $times[0])) {
            throw new WebhookException('the signature has no time');
        }
        if ($given === []) {
            throw new WebhookException('the header has no v1 signature');
        }
        $expected = hash_hmac('sha256', "$times[0].$body", $secret);
        // While a secret is being changed there are two signatures: one match is enough.
        if (array_filter($given, static fn (string $each): bool => hash_equals($expected, $each)) === []) {
            throw new WebhookException('no signature fits the body and the secret');
        }
        if (abs(($now ?? time()) - (int) $times[0]) > $tolerance) {
            throw new WebhookException("the signature's time is too far from now");
        }
        $event = json_decode($body, true);
        if (!is_array($event)) {
            throw new WebhookException('the body is not JSON');
        }
        return Event::fromArray($event);
    }
}

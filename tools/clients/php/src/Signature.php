<?php

declare(strict_types=1);

namespace Gateway\Client;

/** Signatures of requests. */
final class Signature
{
    /** The value of X-Service-Signature. The query of $target is not signed; the body counts as it is sent. */
    public static function ofRequest(
        #[\SensitiveParameter] string $secret,
        string $method,
        string $target,
        string $timestamp,
        string $body,
    ): string {
        $path = explode('?', $target, 2)[0];
        $lines = implode("\n", [$method, $path, $timestamp, hash('sha256', $body)]);
        return hash_hmac('sha256', $lines, $secret);
    }
}

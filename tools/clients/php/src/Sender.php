<?php

declare(strict_types=1);

namespace Gateway\Client;

use Gateway\Client\Errors\ApiException;
use Gateway\Client\Errors\BrokenExchange;
use Gateway\Client\Errors\NoAnswerException;

/**
 * Signs and repeats requests for Client.
 *
 * @internal
 */
final class Sender
{
    private const FIRST_PAUSE = 0.2;
    private const LONGEST_PAUSE = 5.0;
    private const LONGEST_RETRY_AFTER = 60.0;

    public function __construct(
        private readonly Transport $transport,
        private readonly string $keyId,
        #[\SensitiveParameter] private readonly string $secret,
        private readonly ?string $merchant,
        private readonly ?string $environment,
        private readonly Options $options,
    ) {
    }

    /** @return array<string, mixed> so that a dump does not show the secret */
    public function __debugInfo(): array
    {
        return ['keyId' => $this->keyId];
    }

    public function onBehalfOf(string $merchant, ?string $environment): self
    {
        $environment ??= $this->environment;
        return new self($this->transport, $this->keyId, $this->secret, $merchant, $environment, $this->options);
    }

    /**
     * Sends a request with the same key and body until there is an answer that says what happened.
     *
     * @param string|null $about the payment to which the answer must belong
     * @param bool $alone for requests that name no merchant
     * @return mixed the JSON of the answer, null if it has none
     */
    public function send(
        string $method,
        string $target,
        mixed $body = null,
        ?string $key = null,
        ?string $about = null,
        bool $alone = false,
    ): mixed {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        $sent = $body === null ? '' : json_encode($body, $flags);
        if ($sent === '{}' || $sent === '[]') {
            $sent = '';
        }
        $key = $method === 'GET' ? null : $key ?? self::newKey();
        for ($tries = 0;; ++$tries) {
            $asked = 0.0;
            $final = false;
            try {
                return $this->attempt($method, $target, $sent, $key, $about, $alone, $this->options->timeout);
            } catch (BrokenExchange $broken) {
                $path = explode('?', $target, 2)[0];
                $failed = new NoAnswerException("$method $path: {$broken->getMessage()}", $key, $broken);
                $final = $broken->final;
            } catch (ApiException $refused) {
                if (!self::mayPass($refused)) {
                    throw $refused;
                }
                $failed = $refused;
                $asked = $refused->retryAfter ?? 0.0;
            }
            if ($final || $tries + 1 >= $this->options->attempts || $asked > self::LONGEST_RETRY_AFTER) {
                throw $failed;
            }
            self::pause(max(self::pauseAfter($tries), $asked));
        }
    }

    /** Reads for as long as it takes: only the gateway's own refusal ends it. $wait: seconds that the gateway waits. */
    public function follow(string $target, int $wait): mixed
    {
        for ($tries = 0;; ++$tries) {
            $asked = 0.0;
            try {
                return $this->attempt('GET', $target, '', null, null, false, $wait + 15.0);
            } catch (BrokenExchange $broken) {
                if ($broken->final) {
                    throw new NoAnswerException("GET /v1/events: {$broken->getMessage()}", null, $broken);
                }
            } catch (ApiException $refused) {
                if ($refused->status < 500 && !in_array($refused->status, [408, 429], true)) {
                    throw $refused;
                }
                $asked = min($refused->retryAfter ?? 0.0, self::LONGEST_RETRY_AFTER);
            }
            self::pause(max(self::pauseAfter($tries), $asked));
        }
    }

    /** Seconds: growing, and random so that many clients do not return at one moment. */
    public static function pauseAfter(int $tries): float
    {
        $longest = min(self::FIRST_PAUSE * 2 ** min($tries, 16), self::LONGEST_PAUSE);
        return $longest * (0.5 + random_int(0, 1_000_000) / 2_000_000);
    }

    public static function pause(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }

    /** One signed request. Throws ApiException for a refusal, BrokenExchange without a usable answer. */
    private function attempt(
        string $method,
        string $target,
        string $body,
        ?string $key,
        ?string $about,
        bool $alone,
        float $timeout,
    ): mixed {
        if (!$alone && $this->environment !== null) {
            $target = self::withQuery($target, ['environment' => $this->environment]);
        }
        $at = gmdate('Y-m-d\TH:i:s\Z');
        $headers = [
            'X-Service-Key-Id' => $this->keyId,
            'X-Service-Timestamp' => $at,
            'X-Service-Signature' => Signature::ofRequest($this->secret, $method, $target, $at, $body),
            'User-Agent' => 'gateway-client-php/1.0.0',
            'Accept' => 'application/json',
        ];
        if (!$alone && $this->merchant !== null) {
            $headers['Service-Merchant'] = $this->merchant;
        }
        if ($key !== null) {
            $headers['Idempotency-Key'] = $key;
        }
        if ($body !== '') {
            $headers['Content-Type'] = 'application/json';
        }
        [$status, $received, $text] = $this->transport->exchange($method, $target, $headers, $body, $timeout);
        $answer = json_decode($text, true);
        if ($status < 200 || $status > 299) {
            $after = self::secondsOf($received['retry-after'] ?? null);
            $replayed = isset($received['idempotent-replayed']);
            throw ApiException::of($status, $answer, $received['request-id'] ?? null, $key, $after, $replayed);
        }
        if ($answer === null && $status !== 204) {
            throw new BrokenExchange('the answer is not JSON');
        }
        if ($about !== null && is_array($answer) && ($answer['payment_id'] ?? $about) !== $about) {
            throw new BrokenExchange('the answer belongs to another payment');
        }
        return $answer;
    }

    /** Whether the same request may get another answer later. A replayed answer is the stored one: it stays. */
    private static function mayPass(ApiException $refused): bool
    {
        return match (true) {
            $refused->status >= 500 => !$refused->replayed,
            $refused->status === 409 => $refused->errorCode === 'request already processing',
            default => in_array($refused->status, [408, 429], true),
        };
    }

    /** Of Retry-After: a number, or the seconds until a date. */
    private static function secondsOf(?string $value): ?float
    {
        if ($value === null || ctype_digit($value)) {
            return $value === null ? null : (float) $value;
        }
        $date = strtotime($value);
        return $date === false ? null : (float) max(0, $date - time());
    }

    /** @param array<string, string|int|null> $query */
    public static function withQuery(string $target, array $query): string
    {
        $given = array_filter($query, static fn (string|int|null $value): bool => $value !== null);
        if ($given === []) {
            return $target;
        }
        $separator = str_contains($target, '?') ? '&' : '?';
        return $target . $separator . http_build_query($given, '', '&', PHP_QUERY_RFC3986);
    }

    /** A random UUID, version 4. */
    public static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}

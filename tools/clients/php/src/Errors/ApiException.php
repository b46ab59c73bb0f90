<?php

declare(strict_types=1);

namespace Gateway\Client\Errors;

/**
 * The gateway refused, or failed.
 *
 * Decide by the class, or by `status` and `errorCode`. `reason` is for people and changes. The body can contain a link
 * that must not be logged, so it is not part of the message.
 */
class ApiException extends GatewayException
{
    public readonly string $errorCode;
    public readonly string $reason;
    public readonly ?string $docsUrl;
    /** @var list<array{name: string, message: string}> each fault of the body's fields */
    public readonly array $fields;

    /**
     * @param mixed $body the JSON of the answer, null if it was none
     * @param float|null $retryAfter seconds
     * @param bool $replayed whether it is the stored answer to an earlier attempt
     */
    final public function __construct(
        public readonly int $status,
        private readonly mixed $body,
        public readonly ?string $requestId = null,
        public readonly ?string $idempotencyKey = null,
        public readonly ?float $retryAfter = null,
        public readonly bool $replayed = false,
    ) {
        $whole = is_array($body) ? $body : [];
        $error = $whole['error'] ?? null;
        $detail = is_array($error) ? $error : $whole;
        $this->errorCode = self::codeOf($body);
        $this->reason = (string) ($detail['message'] ?? $detail['error_description'] ?? '');
        $this->docsUrl = $detail['docs_url'] ?? null;
        $this->fields = $whole['fields'] ?? [];
        $code = $this->errorCode === '' ? 'without a code' : $this->errorCode;
        parent::__construct("$status $code" . ($this->reason === '' ? '' : ": $this->reason"), $status);
    }

    /** The error of an answer, in its most specific class. */
    public static function of(
        int $status,
        mixed $body,
        ?string $requestId,
        ?string $idempotencyKey,
        ?float $retryAfter,
        bool $replayed,
    ): self {
        $kind = match ($status . ' ' . self::codeOf($body)) {
            '409 IDEMPOTENCY_KEY_REUSED' => IdempotencyKeyReusedException::class,
            '409 request already processing' => StillProcessingException::class,
            '410 cursor_expired' => CursorExpiredException::class,
            '422 merchant_not_charge_capable' => NotChargeCapableException::class,
            '502 provider outcome unknown' => OutcomeUnknownException::class,
            default => match (true) {
                $status >= 500 => ServerException::class,
                in_array($status, [400, 405, 413, 415, 431], true) => InvalidRequestException::class,
                $status === 401 => AuthenticationException::class,
                $status === 403 => ForbiddenException::class,
                $status === 404 => NotFoundException::class,
                $status === 409 => ConflictException::class,
                $status === 422 => BusinessException::class,
                $status === 429 => RateLimitedException::class,
                default => self::class,
            },
        };
        return new $kind($status, $body, $requestId, $idempotencyKey, $retryAfter, $replayed);
    }

    /** The JSON of the answer; null if it was none. */
    public function body(): mixed
    {
        return $this->body;
    }

    /** The code of an error's body, in any of its shapes; empty without one. */
    private static function codeOf(mixed $body): string
    {
        $error = is_array($body) ? $body['error'] ?? '' : '';
        $code = is_array($error) ? $error['code'] ?? '' : $error;
        return is_string($code) ? $code : '';
    }
}

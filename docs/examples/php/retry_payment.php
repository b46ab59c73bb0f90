<?php
// Creates a payment however often the network, the gateway or the provider fails. Needs PHP 8.1 with OpenSSL and
// nothing else.
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE   as in create_payment.php
// PAYMENT_ID, IDEMPOTENCY_KEY   store both with the order before the first attempt: after a restart, the program
//                               continues with the same two
// PAYMENT_METHOD                optional: a sandbox token
// GATEWAY_TIMEOUT               optional: seconds for one attempt; the gateway answers within 35
declare(strict_types=1);

const PAYMENTS = '/v1/payment_intents';

// Status, Retry-After and JSON of one attempt, null each where there is none. Each is signed anew, with its own time.
function call(string $key, string $method, string $path, string $body = ''): array
{
    $at = gmdate('Y-m-d\TH:i:s\Z');
    $lines = implode("\n", [$method, $path, $at, hash('sha256', $body)]);
    $headers = [
        'X-Service-Key-Id: ' . getenv('GATEWAY_KEY_ID'),
        "X-Service-Timestamp: $at",
        'X-Service-Signature: ' . hash_hmac('sha256', $lines, getenv('GATEWAY_SECRET')),
        'Content-Type: application/json',
    ];
    if ($method === 'POST') {
        $headers[] = "Idempotency-Key: $key";
    }
    $context = stream_context_create([
        'http' => [
            'method' => $method,
            'header' => $headers,
            'content' => $body,
            'timeout' => (float) (getenv('GATEWAY_TIMEOUT') ?: 40),
            'ignore_errors' => true,
        ],
        'ssl' => getenv('GATEWAY_CA_FILE') ? ['cafile' => getenv('GATEWAY_CA_FILE')] : [],
    ]);
    $answer = @file_get_contents(getenv('GATEWAY_URL') . $path, false, $context);
    $head = $http_response_header ?? [];
    if ($answer === false || !preg_match('{^HTTP/1\.[01] (\d{3})}', $head[0] ?? '', $status)) {
        return [null, null, null];
    }
    $asked = preg_filter('{^Retry-After: *(\d+)$}i', '$1', $head);
    return [(int) $status[1], $asked ? (int) reset($asked) : null, json_decode($answer, true)];
}

// Whether the same request, with the same key and body, is to be sent again.
function must_repeat(?int $status, mixed $answer): bool
{
    $error = is_array($answer) ? $answer['error'] ?? null : null;
    return match ($status) {
        null, 408, 429, 500, 503, 504 => true, // no answer, or not now
        409 => $error === 'request already processing', // the first attempt is still under way
        502 => $error !== 'provider outcome unknown', // a proxy's, unless the outcome is unknown
        default => false,
    };
}

// The pause grows with each attempt and has a random part; the gateway's Retry-After takes precedence.
function pause(int $attempt, ?int $retry_after): void
{
    usleep(1_000_000 * ($retry_after ?? min(2 ** $attempt, 32)) + random_int(0, 999_999));
}

function create(string $key, array $payment): array
{
    $body = json_encode($payment, JSON_THROW_ON_ERROR);
    for ($attempt = 0; $attempt < 10; ++$attempt) {
        [$status, $retry_after, $answer] = call($key, 'POST', PAYMENTS, $body);
        if (!must_repeat($status, $answer)) {
            break;
        }
        pause($attempt, $retry_after);
    }
    if ($status !== 502) {
        return [$status, $answer];
    }
    // The provider did not report the outcome, and this stays the answer to this key. The payment shows how it ended.
    // Never start a second payment for the order before the outcome is known.
    for ($attempt = 0; $attempt < 10; ++$attempt) {
        pause($attempt, null);
        [$status, , $answer] = call($key, 'GET', PAYMENTS . '/' . $payment['payment_id']);
        if ($status === 200 && $answer['state'] !== 'processing') {
            break;
        }
    }
    return [$status, $answer];
}

function new_uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

[$status, $answer] = create(getenv('IDEMPOTENCY_KEY') ?: new_uuid(), [
    'payment_id' => getenv('PAYMENT_ID') ?: 'pay_' . time(),
    'amount' => 4200,
    'currency' => 'HKD',
    'payment_method' => getenv('PAYMENT_METHOD') ?: 'pm_card_visa',
]);
echo $status, ' ', json_encode($answer), "\n";
exit($status === 200 && $answer['state'] === 'authorized' ? 0 : 1);

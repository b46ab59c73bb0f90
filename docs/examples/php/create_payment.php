<?php
// Signs one create and sends it. Needs PHP 8.1 with OpenSSL and nothing else.
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET   where the gateway is, and a key of the test environment
// GATEWAY_CA_FILE                               optional: whose certificates are trusted, for a gateway of your own
// PAYMENT_ID                                    optional: your id of the payment
declare(strict_types=1);

// Four lines are signed: the method, the path without a query, the time, and the hash of the body as it is sent.
function signed_headers(string $method, string $path, string $body): array
{
    $at = gmdate('Y-m-d\TH:i:s\Z');
    $lines = implode("\n", [$method, $path, $at, hash('sha256', $body)]);
    return [
        'X-Service-Key-Id: ' . getenv('GATEWAY_KEY_ID'),
        "X-Service-Timestamp: $at",
        'X-Service-Signature: ' . hash_hmac('sha256', $lines, getenv('GATEWAY_SECRET')),
    ];
}

function new_uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

$path = '/v1/payment_intents';
$body = json_encode([
    'payment_id' => getenv('PAYMENT_ID') ?: 'pay_' . time(),
    'amount' => 4200,
    'currency' => 'HKD',
    'payment_method' => 'pm_card_visa',
], JSON_THROW_ON_ERROR);
$headers = signed_headers('POST', $path, $body);
$headers[] = 'Idempotency-Key: ' . new_uuid();
$headers[] = 'Content-Type: application/json';

$context = stream_context_create([
    'http' => ['method' => 'POST', 'header' => $headers, 'content' => $body, 'timeout' => 40, 'ignore_errors' => true],
    'ssl' => getenv('GATEWAY_CA_FILE') ? ['cafile' => getenv('GATEWAY_CA_FILE')] : [],
]);
$answer = file_get_contents(getenv('GATEWAY_URL') . $path, false, $context);
if ($answer === false) {
    exit(1);
}
echo $answer, "\n";
exit(preg_match('{^HTTP/1\.1 200 }', $http_response_header[0]) ? 0 : 1);

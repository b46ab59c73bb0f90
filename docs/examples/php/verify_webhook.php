<?php
// Checks whether a webhook is genuine: ends with 0 if it is, with 1 if not. Needs PHP 8.1 and nothing else.
//
// WEBHOOK_SECRET=whsec_… php verify_webhook.php "$X_SERVICE_SIGNATURE" <BODY
//
// BODY is what was posted, to the byte, before anything parses it: file_get_contents('php://input').
declare(strict_types=1);

// $header is X-Service-Signature, $tolerance seconds.
function genuine(string $header, string $body, string $secret, int $tolerance = 300): bool
{
    $time = null;
    $given = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = explode('=', $part, 2) + ['', ''];
        if ($name === 't') {
            $time = $value;
        } elseif ($name === 'v1') {
            $given[] = $value;
        }
    }
    if ($time === null || !preg_match('/^\d{1,12}$/D', $time) || abs(time() - (int) $time) > $tolerance) {
        return false;
    }
    $expected = hash_hmac('sha256', "$time.$body", $secret);
    // While the secret is being changed there are two signatures; one match is enough.
    foreach ($given as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

if (!genuine($argv[1], file_get_contents('php://stdin'), getenv('WEBHOOK_SECRET'))) {
    fwrite(STDERR, "refused\n");
    exit(1);
}
echo "genuine\n";

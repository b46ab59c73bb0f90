<?php

// Runs the steps that are given on standard input, and prints the result or the error of each: see tests/clients/.

declare(strict_types=1);

use Gateway\Client\Client;
use Gateway\Client\Errors\ApiException;
use Gateway\Client\Errors\GatewayException;
use Gateway\Client\Errors\NoAnswerException;
use Gateway\Client\Errors\NotChargeCapableException;
use Gateway\Client\Models as M;
use Gateway\Client\Options;

require __DIR__ . '/autoload.php';

// The model of the body that an operation takes.
const BODIES = [
    'createPayment' => M\CreatePayment::class,
    'capturePayment' => M\CapturePayment::class,
    'refundPayment' => M\RefundPayment::class,
    'voidPayment' => M\VoidPayment::class,
    'cancelPayment' => M\CancelPayment::class,
    'chargeSavedMethod' => M\ChargeSavedMethod::class,
    'createSubscriptionCheckout' => M\CreateSubscriptionCheckout::class,
    'exchangeConnectToken' => M\ExchangeConnectToken::class,
    'revokeGrant' => M\RevokeGrant::class,
];

function call(Client $client, array $step): mixed
{
    if ($step['do'] === 'call') {
        return $client->call($step['method'], $step['target']);
    }
    $given = $step['path'] ?? [];
    if (isset(BODIES[$step['do']])) {
        $given[] = new (BODIES[$step['do']])(...$step['body'] ?? []);
    }
    $named = $step['query'] ?? [];
    if (isset($step['key'])) {
        $named['idempotencyKey'] = $step['key'];
    }
    $result = $client->{$step['do']}(...$given, ...$named);
    if (!$result instanceof Generator) {
        return $result;
    }
    $taken = [];
    foreach ($result as $each) {
        $taken[] = $each;
        if (count($taken) === ($step['take'] ?? 0)) {
            break;
        }
    }
    return $taken;
}

function described(GatewayException $fault): array
{
    $kind = (new ReflectionClass($fault))->getShortName();
    $told = ['kind' => substr($kind, 0, -strlen('Exception')), 'text' => $fault->getMessage()];
    if ($fault instanceof NoAnswerException) {
        $told['idempotency_key'] = $fault->idempotencyKey;
    }
    if ($fault instanceof ApiException) {
        $told += [
            'status' => $fault->status,
            'code' => $fault->errorCode,
            'docs_url' => $fault->docsUrl,
            'request_id' => $fault->requestId,
            'retry_after' => $fault->retryAfter,
            'idempotency_key' => $fault->idempotencyKey,
            'fields' => array_column($fault->fields, 'name'),
        ];
    }
    if ($fault instanceof NotChargeCapableException) {
        $told['setup_url'] = $fault->setupUrl();
    }
    return $told;
}

$given = json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR);
$client = Client::fromEnvironment(new Options(...$given['options']));
foreach ($given['steps'] as $step) {
    try {
        $line = ['result' => call($client, $step)];
    } catch (GatewayException $fault) {
        $line = ['error' => described($fault)];
    }
    echo json_encode($line, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE), "\n";
}

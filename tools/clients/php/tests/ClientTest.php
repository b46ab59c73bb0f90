<?php

declare(strict_types=1);

namespace Gateway\Client\Tests;

use Gateway\Client\Client;
use Gateway\Client\Errors;
use Gateway\Client\Errors\ApiException;
use Gateway\Client\Errors\WebhookException;
use Gateway\Client\Sender;
use Gateway\Client\Signature;
use Gateway\Client\Webhook;
use PHPUnit\Framework\TestCase;

/** Signatures, webhooks, errors and addresses. The scenarios in tests/clients/ test how requests are repeated. */
final class ClientTest extends TestCase
{
    private array $vectors;

    protected function setUp(): void
    {
        $text = file_get_contents(dirname(__DIR__, 4) . '/tests/data/signing.json');
        $this->vectors = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }

    private function signatureOf(array $vector): string
    {
        $given = [$vector['method'], $vector['target'], $vector['timestamp'], $vector['body']];
        return Signature::ofRequest($this->vectors['secret'], ...$given);
    }

    public function testRequestsAreSignedAsTheVectors(): void
    {
        foreach ($this->vectors['requests'] as $vector) {
            self::assertSame($vector['signature'], $this->signatureOf($vector), $vector['name']);
        }
        foreach ($this->vectors['rejected'] as $vector) {
            self::assertNotSame($vector['signature'], $this->signatureOf($vector), $vector['name']);
        }
    }

    public function testWebhooksAreVerifiedAsTheVectors(): void
    {
        foreach ($this->vectors['webhooks'] as $each) {
            $given = [$each['header'], $each['body'], $each['secret'], $each['tolerance'], $each['now']];
            if ($each['valid']) {
                self::assertSame(json_decode($each['body'], true), Webhook::verify(...$given)->raw(), $each['name']);
            } else {
                self::assertTrue($this->refuses(...$given), $each['name']);
            }
        }
    }

    public function testHeadersOfWebhooks(): void
    {
        $fresh = $this->vectors['webhooks'][0];
        [$time, $signature] = explode(',', $fresh['header']);
        $rest = [$fresh['body'], $fresh['secret'], 300, $fresh['now']];
        $several = "$time,v1=" . str_repeat('0', 64) . ",$signature,v2=other";
        self::assertSame('evt_01', Webhook::verify($several, ...$rest)->id);
        $upper = strtoupper(substr($signature, 3));
        $short = substr($signature, 0, -1);
        $malformed = [
            null, '', $time, $signature, "$time,$time,$signature", "t=,$signature", "$time,v1=$upper",
            "t=-1,$signature",
            "$time.0,$signature", "$time,$short", "$time,v1=é", "$time\n,$signature", "$time,$signature\n",
        ];
        foreach ($malformed as $header) {
            self::assertTrue($this->refuses($header, ...$rest), (string) $header);
        }
        self::assertTrue($this->refuses($fresh['header'], $fresh['body'], 'whsec_other', 300, $fresh['now']));
        $this->expectException(\InvalidArgumentException::class);
        Webhook::verify($fresh['header'], $fresh['body'], '');
    }

    private function refuses(mixed ...$given): bool
    {
        try {
            Webhook::verify(...$given);
            return false;
        } catch (WebhookException) {
            return true;
        }
    }

    public function testEachAnswerHasTheMostSpecificType(): void
    {
        $kinds = [
            [400, 'invalid_request', Errors\InvalidRequestException::class],
            [401, 'PLATFORM_KEY_INVALID', Errors\AuthenticationException::class],
            [403, 'SCOPE_DENIED', Errors\ForbiddenException::class],
            [404, 'payment_not_found', Errors\NotFoundException::class],
            [409, 'payment disputed', Errors\ConflictException::class],
            [409, 'IDEMPOTENCY_KEY_REUSED', Errors\IdempotencyKeyReusedException::class],
            [409, 'request already processing', Errors\StillProcessingException::class],
            [410, 'cursor_expired', Errors\CursorExpiredException::class],
            [410, 'token_unusable', ApiException::class],
            [422, 'platform_key_required', Errors\BusinessException::class],
            [422, 'merchant_not_charge_capable', Errors\NotChargeCapableException::class],
            [429, 'rate_limited', Errors\RateLimitedException::class],
            [502, 'refund rejected by provider', Errors\ServerException::class],
            [502, 'provider outcome unknown', Errors\OutcomeUnknownException::class],
        ];
        foreach ($kinds as [$status, $code, $kind]) {
            $bodies = [['error' => $code], ['error' => ['code' => $code, 'setup_url' => 'https://x.example']]];
            foreach ($bodies as $body) {
                $made = ApiException::of($status, $body, null, null, null, false);
                self::assertSame($kind, $made::class);
                self::assertSame($code, $made->errorCode);
                self::assertStringNotContainsString('x.example', (string) $made);
            }
        }
        foreach ([null, [], 'text', ['error' => 7], ['error' => null]] as $body) {
            self::assertSame('', ApiException::of(500, $body, null, null, null, false)->errorCode);
        }
    }

    /** @dataProvider wrongAddresses */
    public function testAddressesAreHttps(string $url): void
    {
        $this->expectException(\InvalidArgumentException::class);
        new Client($url, 'mk_test_1', 'secret');
    }

    public static function wrongAddresses(): array
    {
        $wrong = ['http://gateway.example', 'ftp://localhost', 'gateway.example', 'https://gateway.example/v1', ''];
        return array_map(static fn (string $url): array => [$url], $wrong);
    }

    public function testTheSecretIsNotShown(): void
    {
        $client = new Client('https://gateway.example', 'mk_test_1', 'a secret');
        ob_start();
        var_dump($client);
        self::assertStringNotContainsString('a secret', ob_get_clean());
        $this->expectException(\InvalidArgumentException::class);
        new Client('https://gateway.example', 'mk_test_1', '');
    }

    public function testAnEmptyIdIsRefused(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        (new Client('https://gateway.example', 'mk_test_1', 'secret'))->onBehalfOf('merch_1', 'test')->getPayment('');
    }

    public function testQueriesAreEscaped(): void
    {
        $target = Sender::withQuery('/v1/events?limit=1', ['after' => 'a b&ü', 'from' => null]);
        self::assertSame('/v1/events?limit=1&after=a%20b%26%C3%BC', $target);
        self::assertMatchesRegularExpression(
            '/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/D',
            Client::newIdempotencyKey(),
        );
    }
}

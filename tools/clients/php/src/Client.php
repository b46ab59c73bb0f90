<?php

declare(strict_types=1);

namespace Gateway\Client;

use Gateway\Client\Models as M;

/**
 * Calls a gateway with a key: one method for each operation.
 *
 * Lists are generators that read a page when it is needed. A time is an RFC 3339 text or a DateTimeInterface. The
 * exceptions are those of Gateway\Client\Errors.
 */
final class Client
{
    private readonly Sender $sender;

    /**
     * @param string $url the gateway's address, such as https://gateway.example
     * @param string|null $caFile a PEM file of the authorities that are trusted instead of the system's
     * @param string|null $merchant for a platform's key: the merchant for whom it acts
     * @param string|null $environment for a platform's key: `test` or `live`
     */
    public function __construct(
        string $url,
        string $keyId,
        #[\SensitiveParameter] string $secret,
        ?string $caFile = null,
        ?string $merchant = null,
        ?string $environment = null,
        Options $options = new Options(),
    ) {
        if ($keyId === '' || $secret === '') {
            throw new \InvalidArgumentException("the key's id or secret is empty");
        }
        $transport = new Transport($url, $caFile);
        $this->sender = new Sender($transport, $keyId, $secret, $merchant, $environment, $options);
    }

    /** A client from GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET and GATEWAY_CA_FILE. */
    public static function fromEnvironment(Options $options = new Options()): self
    {
        $given = [];
        foreach (['GATEWAY_URL', 'GATEWAY_KEY_ID', 'GATEWAY_SECRET'] as $name) {
            $given[] = getenv($name) ?: throw new \InvalidArgumentException("missing in the environment: $name");
        }
        return new self(...$given, caFile: getenv('GATEWAY_CA_FILE') ?: null, options: $options);
    }

    /** A random UUID, which names an intention. */
    public static function newIdempotencyKey(): string
    {
        return Sender::newKey();
    }

    /** A client of the same platform's key for a merchant. It shares the connection. */
    public function onBehalfOf(string $merchant, ?string $environment = null): self
    {
        $other = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $other->sender = $this->sender->onBehalfOf($merchant, $environment);
        return $other;
    }

    // Payments

    /** Creates a payment, and usually charges it. A declined payment is a result: its state is `failed`. */
    public function createPayment(M\CreatePayment $payment, ?string $idempotencyKey = null): M\PaymentResult
    {
        $answer = $this->sender->send('POST', '/v1/payment_intents', $payment, $idempotencyKey, $payment->payment_id);
        return M\PaymentResult::fromArray($answer);
    }

    public function getPayment(string $paymentId): M\Payment
    {
        return M\Payment::fromArray($this->sender->send('GET', self::payment($paymentId), about: $paymentId));
    }

    /**
     * Newest first.
     *
     * @param string|list<string>|null $state
     * @param string|\DateTimeInterface|null $createdFrom included
     * @param string|\DateTimeInterface|null $createdTo not included
     * @param int $limit the size of a page
     * @return \Generator<int, M\Payment>
     */
    public function listPayments(
        string|array|null $state = null,
        ?string $currency = null,
        string|\DateTimeInterface|null $createdFrom = null,
        string|\DateTimeInterface|null $createdTo = null,
        ?string $customerRef = null,
        ?string $providerRef = null,
        int $limit = 100,
        ?string $after = null,
    ): \Generator {
        $filters = [
            'state' => self::joined($state),
            'currency' => $currency,
            'created_from' => self::moment($createdFrom),
            'created_to' => self::moment($createdTo),
            'customer_ref' => $customerRef,
            'provider_ref' => $providerRef,
        ];
        return $this->list('/v1/payment_intents', 'payments', $filters, $limit, $after, M\Payment::fromArray(...));
    }

    public function getPaymentTimeline(string $paymentId): M\Timeline
    {
        $target = self::payment($paymentId, '/timeline');
        return M\Timeline::fromArray($this->sender->send('GET', $target, about: $paymentId));
    }

    public function listRefunds(string $paymentId): M\Refunds
    {
        return M\Refunds::fromArray($this->sender->send('GET', self::payment($paymentId, '/refunds')));
    }

    /** Takes the authorized money, or an amount of it. */
    public function capturePayment(
        string $paymentId,
        M\CapturePayment $capture = new M\CapturePayment(),
        ?string $idempotencyKey = null,
    ): M\CaptureResult {
        return M\CaptureResult::fromArray($this->act($paymentId, '/capture', $capture, $idempotencyKey));
    }

    /** Refunds an amount, or what remains. Each intended refund has a key of its own; its repeats have the same. */
    public function refundPayment(
        string $paymentId,
        M\RefundPayment $refund = new M\RefundPayment(),
        ?string $idempotencyKey = null,
    ): M\RefundResult {
        return M\RefundResult::fromArray($this->act($paymentId, '/refund', $refund, $idempotencyKey));
    }

    /** Releases the authorized money. */
    public function voidPayment(
        string $paymentId,
        M\VoidPayment $void = new M\VoidPayment(),
        ?string $idempotencyKey = null,
    ): M\PaymentResult {
        return M\PaymentResult::fromArray($this->act($paymentId, '/void', $void, $idempotencyKey));
    }

    /** Ends a payment that the customer has not paid yet. */
    public function cancelPayment(
        string $paymentId,
        M\CancelPayment $cancel = new M\CancelPayment(),
        ?string $idempotencyKey = null,
    ): M\PaymentResult {
        return M\PaymentResult::fromArray($this->act($paymentId, '/cancel', $cancel, $idempotencyKey));
    }

    /**
     * Reads a payment until it is no longer `created` or `processing`, for $timeout seconds at most. For payments whose
     * outcome is unknown (OutcomeUnknownException). Returns the payment as it was read last.
     */
    public function waitForPayment(string $paymentId, float $timeout = 300.0): M\Payment
    {
        $until = hrtime(true) / 1e9 + $timeout;
        for ($tries = 0;; ++$tries) {
            $payment = $this->getPayment($paymentId);
            $pause = Sender::pauseAfter($tries);
            if (!in_array($payment->state, ['created', 'processing'], true) || hrtime(true) / 1e9 + $pause > $until) {
                return $payment;
            }
            Sender::pause($pause);
        }
    }

    // Disputes

    public function getDispute(string $disputeId): M\Dispute
    {
        return M\Dispute::fromArray($this->sender->send('GET', '/v1/disputes/' . self::escaped($disputeId)));
    }

    /** @return \Generator<int, M\Dispute> */
    public function listDisputes(
        ?string $status = null,
        ?string $paymentId = null,
        int $limit = 100,
        ?string $after = null,
    ): \Generator {
        $filters = ['status' => $status, 'payment_id' => $paymentId];
        return $this->list('/v1/disputes', 'disputes', $filters, $limit, $after, M\Dispute::fromArray(...));
    }

    // Customers and subscriptions: for platforms' keys

    /** Charges a saved payment method. A declined charge is a result: its status is `failed`. */
    public function chargeSavedMethod(M\ChargeSavedMethod $charge, ?string $idempotencyKey = null): M\ChargeResult
    {
        $answer = $this->sender->send('POST', '/v1/charges/saved', $charge, $idempotencyKey, $charge->payment_id);
        return M\ChargeResult::fromArray($answer);
    }

    public function getCustomerByRef(string $customerRef): M\Customer
    {
        $target = Sender::withQuery('/v1/customers/by_ref', ['ref' => $customerRef]);
        return M\Customer::fromArray($this->sender->send('GET', $target));
    }

    /** @return \Generator<int, M\ListedCustomer> */
    public function listCustomers(?string $customerRef = null, int $limit = 100, ?string $after = null): \Generator
    {
        $filters = ['customer_ref' => $customerRef];
        return $this->list('/v1/customers', 'customers', $filters, $limit, $after, M\ListedCustomer::fromArray(...));
    }

    /** Opens a hosted page on which the customer subscribes. */
    public function createSubscriptionCheckout(
        M\CreateSubscriptionCheckout $checkout,
        ?string $idempotencyKey = null,
    ): M\SubscriptionCheckout {
        $answer = $this->sender->send('POST', '/v1/subscription_checkouts', $checkout, $idempotencyKey);
        return M\SubscriptionCheckout::fromArray($answer);
    }

    public function getSubscription(string $subscriptionId): M\Subscription
    {
        $target = '/v1/subscriptions/' . self::escaped($subscriptionId);
        return M\Subscription::fromArray($this->sender->send('GET', $target));
    }

    /** @return \Generator<int, M\Subscription> */
    public function listSubscriptions(
        ?string $status = null,
        ?string $customerRef = null,
        int $limit = 100,
        ?string $after = null,
    ): \Generator {
        $filters = ['status' => $status, 'customer_ref' => $customerRef];
        $model = M\Subscription::fromArray(...);
        return $this->list('/v1/subscriptions', 'subscriptions', $filters, $limit, $after, $model);
    }

    /** Ends a subscription at once. */
    public function cancelSubscription(string $subscriptionId, ?string $idempotencyKey = null): M\SubscriptionCancel
    {
        $target = '/v1/subscriptions/' . self::escaped($subscriptionId);
        return M\SubscriptionCancel::fromArray($this->sender->send('DELETE', $target, null, $idempotencyKey));
    }

    // Platforms

    /** Exchanges the code of the consent screen for the merchant's id and the grant's. */
    public function exchangeConnectToken(M\ExchangeConnectToken $token, ?string $idempotencyKey = null): M\GrantedAccess
    {
        $answer = $this->sender->send('POST', '/v1/public/connect/token', $token, $idempotencyKey, alone: true);
        return M\GrantedAccess::fromArray($answer);
    }

    public function revokeGrant(
        string $grantId,
        M\RevokeGrant $revoke = new M\RevokeGrant(),
        ?string $idempotencyKey = null,
    ): void {
        $target = '/v1/grants/' . self::escaped($grantId) . '/revoke';
        $this->sender->send('POST', $target, $revoke, $idempotencyKey, alone: true);
    }

    public function revokePlatformKey(string $keyId, ?string $idempotencyKey = null): void
    {
        $target = '/v1/platform_keys/' . self::escaped($keyId) . '/revoke';
        $this->sender->send('POST', $target, null, $idempotencyKey, alone: true);
    }

    // Events

    public function getEvent(string $eventId): Event
    {
        return Event::fromArray($this->sender->send('GET', '/v1/events/' . self::escaped($eventId)));
    }

    /**
     * The types of events, each with the JSON Schema of its data.
     *
     * @return list<array{type: string, schema: array<string, mixed>}>
     */
    public function listEventTypes(): array
    {
        return $this->sender->send('GET', '/v1/event_types')['event_types'];
    }

    /**
     * The events that there are, oldest first: from the oldest kept, after a cursor, or from a time.
     *
     * @param string|list<string>|null $types
     * @return \Generator<int, Event>
     */
    public function listEvents(
        ?string $after = null,
        string|\DateTimeInterface|null $from = null,
        string|array|null $types = null,
        int $limit = 100,
    ): \Generator {
        $filters = ['from' => self::moment($from), 'types' => self::joined($types)];
        return $this->list('/v1/events', 'events', $filters, $limit, $after, Event::fromArray(...));
    }

    /**
     * Pages of events, without an end, also while the gateway restarts. Each committed event is in one page.
     *
     * Store $page->next together with the results of the page's events, and begin there, as $after, the next time.
     * Without $after and $from it begins at the oldest event that is kept; $after = 'end' begins now. A page is empty
     * when no event came for $wait seconds: break then to end. Throws CursorExpiredException if the events at that
     * point are no longer kept.
     *
     * @param string|list<string>|null $types
     * @return \Generator<int, EventPage>
     */
    public function followEventPages(
        ?string $after = null,
        string|\DateTimeInterface|null $from = null,
        string|array|null $types = null,
        int $wait = 30,
        int $limit = 100,
    ): \Generator {
        $filters = ['types' => self::joined($types), 'limit' => $limit];
        // The first page is asked for without a wait: its `next` fixes the place of `end` before an event is missed.
        $target = Sender::withQuery('/v1/events', ['after' => $after, 'from' => self::moment($from)] + $filters);
        $page = EventPage::fromArray($this->sender->send('GET', $target));
        yield $page;
        while (true) {
            $asked = hrtime(true);
            $target = Sender::withQuery('/v1/events', ['after' => $page->next, 'wait' => $wait] + $filters);
            $page = EventPage::fromArray($this->sender->follow($target, $wait));
            if ($page->events === [] && hrtime(true) - $asked < 1e9) {
                Sender::pause(1.0);
            }
            yield $page;
        }
    }

    /**
     * The events of followEventPages, one by one. To go on after a restart, follow the pages and store `next`.
     *
     * @param string|list<string>|null $types
     * @return \Generator<int, Event>
     */
    public function followEvents(
        ?string $after = null,
        string|\DateTimeInterface|null $from = null,
        string|array|null $types = null,
        int $wait = 30,
        int $limit = 100,
    ): \Generator {
        foreach ($this->followEventPages($after, $from, $types, $wait, $limit) as $page) {
            foreach ($page->events as $event) {
                yield $event;
            }
        }
    }

    // Any request

    /** Any other request: the JSON of its answer. Signs and repeats it as all others. */
    public function call(string $method, string $target, mixed $body = null, ?string $idempotencyKey = null): mixed
    {
        return $this->sender->send($method, $target, $body, $idempotencyKey);
    }

    /** @return array<string, mixed> */
    private function act(string $paymentId, string $operation, M\Model $body, ?string $key): array
    {
        return $this->sender->send('POST', self::payment($paymentId, $operation), $body, $key, $paymentId);
    }

    /** @param array<string, string|null> $filters */
    private function list(
        string $path,
        string $member,
        array $filters,
        int $limit,
        ?string $after,
        \Closure $model,
    ): \Generator {
        do {
            $query = $filters + ['limit' => $limit, 'after' => $after];
            $page = $this->sender->send('GET', Sender::withQuery($path, $query));
            foreach ($page[$member] as $each) {
                yield $model($each);
            }
            $after = $page['next'] ?? null;
            // A cursor includes the position: `from` is for the first page.
            $filters['from'] = null;
            // The list of events always has a `next`: an empty page is its end.
        } while ($after !== null && $page[$member] !== []);
    }

    private static function payment(string $paymentId, string $operation = ''): string
    {
        return '/v1/payment_intents/' . self::escaped($paymentId) . $operation;
    }

    private static function escaped(string $part): string
    {
        if ($part === '') {
            throw new \InvalidArgumentException('an id is empty');
        }
        return rawurlencode($part);
    }

    /** @param string|list<string>|null $values */
    private static function joined(string|array|null $values): ?string
    {
        return is_array($values) ? implode(',', $values) : $values;
    }

    private static function moment(string|\DateTimeInterface|null $time): ?string
    {
        if (!$time instanceof \DateTimeInterface) {
            return $time;
        }
        $utc = \DateTimeImmutable::createFromInterface($time)->setTimezone(new \DateTimeZone('UTC'));
        return $utc->format('Y-m-d\TH:i:s.v\Z');
    }
}

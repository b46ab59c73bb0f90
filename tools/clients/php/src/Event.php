<?php

declare(strict_types=1);

namespace Gateway\Client;

/** What a webhook carries, and what the list of events has. */
final class Event implements \JsonSerializable
{
    /**
     * @param array<string, mixed> $merchant `id` and `entity_id`
     * @param array<string, mixed> $data by its type; Models\PaymentEventData::fromArray and the like read it
     * @param array<string, mixed> $raw the whole event
     */
    private function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $created,
        public readonly array $merchant,
        public readonly array $data,
        private readonly array $raw,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return new self($data['id'], $data['type'], $data['created'], $data['merchant'], $data['data'], $data);
    }

    /** @return array<string, mixed> */
    public function raw(): array
    {
        return $this->raw;
    }

    public function jsonSerialize(): mixed
    {
        return $this->raw;
    }
}

<?php

declare(strict_types=1);

namespace Gateway\Client\Models;

/** A body of a request or of an answer. */
abstract class Model implements \JsonSerializable
{
    /** @var array<string, mixed>|null */
    private ?array $raw = null;

    /**
     * An answer as it came, with the fields that this version does not know.
     *
     * @return array<string, mixed>
     */
    public function raw(): array
    {
        return $this->raw ?? $this->given();
    }

    public function jsonSerialize(): mixed
    {
        $given = $this->given();
        return $given === [] ? new \stdClass() : $given;
    }

    /** @param array<string, mixed> $data */
    protected function withRaw(array $data): static
    {
        $this->raw = $data;
        return $this;
    }

    /** @return array<string, mixed> what is not null */
    private function given(): array
    {
        $fields = array_diff_key(get_object_vars($this), ['raw' => null]);
        return array_filter($fields, static fn (mixed $value): bool => $value !== null);
    }
}

<?php

// Written by tools/clients/generate from docs/openapi.json. Do not edit.

declare(strict_types=1);

namespace Gateway\Client\Models;

final class CustomerList extends Model
{
    /**
     * @param list<ListedCustomer> $customers Newest first.
     * @param string|null $next Where to go on: send it as `after`. Absent on the last page.
     */
    public function __construct(
        public readonly array $customers,
        public readonly ?string $next = null,
    ) {
    }

    /** @param array<string, mixed> $data */
    public static function fromArray(array $data): self
    {
        return (new self(
            array_map(ListedCustomer::fromArray(...), $data['customers']),
            $data['next'] ?? null,
        ))->withRaw($data);
    }
}

<?php

declare(strict_types=1);

namespace Gateway\Client;

use Gateway\Client\Errors\BrokenExchange;

/**
 * Connections to one host. TLS certificates are verified; plain HTTP is for this machine only.
 *
 * @internal
 */
final class Transport
{
    private const MOST_ANSWER_BYTES = 64 << 20;
    private const UNTRUSTED = [CURLE_SSL_PEER_CERTIFICATE, CURLE_SSL_CACERT, CURLE_SSL_CACERT_BADFILE];

    private readonly \CurlHandle $handle;
    private readonly string $base;

    public function __construct(string $url, private readonly ?string $caFile)
    {
        $parts = parse_url($url);
        $scheme = $parts['scheme'] ?? '';
        $host = $parts['host'] ?? '';
        $local = in_array($host, ['localhost', '127.0.0.1', '[::1]'], true);
        if ($host === '' || !($scheme === 'https' || ($scheme === 'http' && $local))) {
            throw new \InvalidArgumentException('the address must be https; http is used on this machine only');
        }
        if (!in_array($parts['path'] ?? '', ['', '/'], true) || isset($parts['query']) || isset($parts['user'])) {
            throw new \InvalidArgumentException("the gateway's address has a host and a port only");
        }
        if ($caFile !== null && !is_readable($caFile)) {
            throw new \InvalidArgumentException("$caFile cannot be read");
        }
        $this->base = "$scheme://$host" . (isset($parts['port']) ? ":{$parts['port']}" : '');
        $this->handle = curl_init();
    }

    /**
     * Sends a request. libcurl replaces a kept connection that the gateway has closed meanwhile.
     *
     * @param array<string, string> $headers
     * @return array{int, array<string, string>, string} status, headers in lower case, body
     */
    public function exchange(string $method, string $target, array $headers, string $body, float $timeout): array
    {
        $received = [];
        $answer = '';
        $size = 0;
        curl_reset($this->handle);
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $this->base . $target,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTPS | CURLPROTO_HTTP,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => (int) ($timeout * 1000),
            CURLOPT_CONNECTTIMEOUT_MS => (int) (min($timeout, 10) * 1000),
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$received): int {
                if (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $received[strtolower(trim($name))] = trim($value);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($handle, string $part) use (&$answer, &$size): int {
                $size += strlen($part);
                $answer .= $part;
                return $size > self::MOST_ANSWER_BYTES ? -1 : strlen($part);
            },
        ]);
        if ($this->caFile !== null) {
            curl_setopt($this->handle, CURLOPT_CAINFO, $this->caFile);
        }
        if ($method !== 'GET') {
            // An empty body has a Content-Length, too.
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $body);
        }
        $lines = ['Expect:', ...($body === '' ? ['Content-Type:'] : [])];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        curl_setopt($this->handle, CURLOPT_HTTPHEADER, $lines);
        if (curl_exec($this->handle) === false) {
            $code = curl_errno($this->handle);
            $final = in_array($code, self::UNTRUSTED, true) || $size > self::MOST_ANSWER_BYTES;
            $late = $code === CURLE_OPERATION_TIMEDOUT;
            throw new BrokenExchange($late ? 'no answer in time' : curl_error($this->handle), $final);
        }
        return [curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $received, $answer];
    }
}

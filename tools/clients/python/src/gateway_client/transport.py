"""One exchange with the gateway over a kept connection. Safe for several threads."""

from __future__ import annotations

import http.client
import select
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MOST_ANSWER_BYTES = 64 << 20
_MOST_KEPT = 16


class BrokenExchange(Exception):
    """There is no usable answer. `final`: another attempt will have none either."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


@dataclass(frozen=True)
class Answer:
    """Status, headers and body of one answer."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Transport:
    """Connections to one host. TLS certificates are verified; plain HTTP is for this machine only."""

    def __init__(self, url: str, ca_file: str | None) -> None:
        parts = urlsplit(url)
        host = parts.hostname
        if parts.scheme not in ("https", "http") or not host:
            raise ValueError(f"{url!r} is not an http or https address")
        if parts.scheme == "http" and host not in ("localhost", "127.0.0.1", "::1"):
            raise ValueError("http is used on this machine only: the address must be https")
        if parts.path not in ("", "/") or parts.query or parts.username:
            raise ValueError("the gateway's address has a host and a port only")
        self._host, self._port = host, parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        if self._tls and ca_file:
            self._tls.load_verify_locations(ca_file)
        self._kept: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def exchange(self, method: str, target: str, headers: dict[str, str], body: bytes | None, timeout: float) -> Answer:
        """Sends a request. A kept connection that the gateway has closed meanwhile is replaced."""
        deadline = time.monotonic() + timeout
        while (kept := self._take()) is not None:
            try:
                return self._once(kept, method, target, headers, body, deadline)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                kept.close()
            except (OSError, http.client.HTTPException) as fault:
                kept.close()
                raise BrokenExchange(_reason(fault)) from fault
        connection = self._connection(deadline)
        try:
            return self._once(connection, method, target, headers, body, deadline)
        except ssl.SSLCertVerificationError as fault:
            connection.close()
            raise BrokenExchange(f"the certificate is not trusted: {fault.verify_message}", final=True) from fault
        except (OSError, http.client.HTTPException) as fault:
            connection.close()
            raise BrokenExchange(_reason(fault)) from fault

    def close(self) -> None:
        """Closes the connections that are not in use."""
        with self._lock:
            kept, self._kept = self._kept, []
        for each in kept:
            each.close()

    def _connection(self, deadline: float) -> http.client.HTTPConnection:
        timeout = min(10.0, max(0.001, deadline - time.monotonic()))
        if self._tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _once(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: dict[str, str],
        body: bytes | None,
        deadline: float,
    ) -> Answer:
        if connection.sock is None:
            connection.connect()
        _limit(connection, deadline)
        connection.request(method, target, body=body, headers=headers)
        sock = connection.sock
        answer = connection.getresponse()
        parts: list[bytes] = []
        size = 0
        while True:
            # The socket stays open for the answer, even if the connection has released it.
            sock.settimeout(max(0.001, deadline - time.monotonic()))
            part = answer.read1(1 << 16)
            if not part:
                break
            parts.append(part)
            size += len(part)
            if size > MOST_ANSWER_BYTES:
                connection.close()
                raise BrokenExchange("the answer is too large", final=True)
        if answer.length:  # read1 reports an early end as the end
            raise http.client.IncompleteRead(b"", answer.length)
        answer.close()  # read1 does not
        self._keep(connection, answer.will_close)
        return Answer(answer.status, answer.headers, b"".join(parts))

    def _take(self) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                if not self._kept:
                    return None
                connection = self._kept.pop()
            if _is_silent(connection.sock):
                return connection
            connection.close()

    def _keep(self, connection: http.client.HTTPConnection, will_close: bool) -> None:
        with self._lock:
            if not will_close and connection.sock is not None and len(self._kept) < _MOST_KEPT:
                self._kept.append(connection)
                return
        connection.close()


def _limit(connection: http.client.HTTPConnection, deadline: float) -> None:
    connection.sock.settimeout(max(0.001, deadline - time.monotonic()))


def _is_silent(sock: Any) -> bool:
    """False if a kept connection was closed, or has unrequested bytes, which would be read as the next answer."""
    if sock is None or sock.fileno() < 0:
        return False
    if isinstance(sock, ssl.SSLSocket) and sock.pending():
        return False
    if not hasattr(select, "poll"):
        return not select.select([sock], [], [], 0)[0]
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return not poll.poll(0)


def _reason(fault: Exception) -> str:
    if isinstance(fault, TimeoutError):
        return "no answer in time"
    return f"the connection failed: {fault or type(fault).__name__}"

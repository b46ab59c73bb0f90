"""A proxy in front of a gateway that cuts, delays and doubles requests and answers, as its rules say.

Each rule applies to one request, in the order of the list; a rule with `on` only to a request whose method and path begin with it:

    {"do": "pass"}            passes on
    {"do": "drop"}            closes the connection; the gateway gets nothing
    {"do": "cut"}             passes on, and closes the connection instead of answering
    {"do": "cut_body"}        passes on, and closes the connection in the middle of the answer's body
    {"do": "hold"}            passes on, and gives no answer until the client gives up
    {"do": "late"}            passes on only after the client has given up
    {"do": "double_request"}  passes on twice, and gives the second answer
    {"do": "double_answer"}   passes on, and gives the answer twice
    {"do": "answer", "status": 503, "headers": {}, "body": …}   answers itself; a body that is a text is sent as it is

A request without a rule is passed on. `requests` lists the received requests, in order.
"""
import http.client
import json
import ssl
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Only a client that hangs reaches this limit.
HANG_SECONDS = 180
NOT_PASSED = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass
class Request:
    """A received request, its time and its outcome."""

    method: str
    target: str
    headers: dict
    body: bytes
    at: float
    rule: str
    status: int | None = None


class Proxy:
    """Listens on a free port with the gateway's own certificate."""

    def __init__(self, gateway_url, certificate, server_pair):
        self.host, self.port = gateway_url.removeprefix("https://").split(":")
        self.trusted = ssl.create_default_context(cafile=certificate)
        self.lock = threading.Condition()
        self.rules, self.requests, self.unanswered = [], [], 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = HANG_SECONDS

            def handle_any(self):
                owner.serve(self)

            do_GET = do_POST = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # These tests make clients break their connections.

            def get_request(self):
                # The handshake is done by the thread of the connection, at its first read.
                sock, address = super().get_request()
                return tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False), address

        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*server_pair)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"https://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def begin(self, rules):
        """Deletes the recorded requests, and sets new rules."""
        self.settle()
        with self.lock:
            self.rules, self.requests = list(rules), []

    def settle(self):
        """Waits until every received request is finished, also those that are passed on late."""
        with self.lock:
            if not self.lock.wait_for(lambda: self.unanswered == 0, HANG_SECONDS):
                raise AssertionError("the proxy is still passing requests on")

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        with self.lock:
            self.unanswered += 1
            rule = self.next_rule(handler.command, handler.path)
            request = Request(handler.command, handler.path, dict(handler.headers), body, time.monotonic(), rule["do"])
            self.requests.append(request)
        try:
            getattr(self, "do_" + rule["do"])(handler, request, rule)
        finally:
            with self.lock:
                self.unanswered -= 1
                self.lock.notify_all()

    def next_rule(self, method, target):
        for rule in self.rules:
            if f"{method} {target}".startswith(rule.get("on", "")):
                self.rules.remove(rule)
                return rule
        return {"do": "pass"}

    def pass_on(self, request):
        """The gateway's answer as the bytes of its head and of its body."""
        upstream = http.client.HTTPSConnection(self.host, int(self.port), timeout=HANG_SECONDS, context=self.trusted)
        try:
            headers = {name: value for name, value in request.headers.items() if name.lower() not in NOT_PASSED}
            upstream.request(request.method, request.target, body=request.body or None, headers=headers)
            answer = upstream.getresponse()
            body = answer.read()
            request.status = answer.status
            return answer_bytes(answer.status, answer.getheaders(), body)
        finally:
            upstream.close()

    def do_pass(self, handler, request, _):
        handler.wfile.write(b"".join(self.pass_on(request)))

    def do_drop(self, handler, *_):
        close(handler)

    def do_cut(self, handler, request, _):
        self.pass_on(request)
        close(handler)

    def do_cut_body(self, handler, request, _):
        head, body = self.pass_on(request)
        handler.wfile.write(head + body[: len(body) // 2])
        close(handler)

    def do_hold(self, handler, request, _):
        self.pass_on(request)
        wait_for_end(handler)

    def do_late(self, handler, request, _):
        wait_for_end(handler)
        self.pass_on(request)

    def do_double_request(self, handler, request, _):
        self.pass_on(request)
        handler.wfile.write(b"".join(self.pass_on(request)))

    def do_double_answer(self, handler, request, _):
        handler.wfile.write(b"".join(self.pass_on(request)) * 2)

    def do_answer(self, handler, request, rule):
        body = rule.get("body", {})
        headers = list(rule.get("headers", {}).items())
        if body is None:
            body = b""
        elif isinstance(body, str):
            body = body.encode()
        else:
            body = json.dumps(body, ensure_ascii=False).encode()
            headers.append(("Content-Type", "application/json"))
        request.status = rule["status"]
        handler.wfile.write(b"".join(answer_bytes(rule["status"], headers, body)))


def answer_bytes(status, headers, body):
    lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}"]
    lines += [f"{name}: {value}" for name, value in headers if name.lower() not in NOT_PASSED]
    if status != 204:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode(), body


def close(handler):
    handler.close_connection = True
    handler.wfile.flush()


def wait_for_end(handler):
    """Until the client has closed the connection."""
    handler.close_connection = True
    try:
        while handler.connection.recv(1 << 16):
            pass
    except OSError:
        pass

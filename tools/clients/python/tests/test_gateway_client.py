"""Signatures, webhooks, errors and addresses. The scenarios in tests/clients/ test how requests are repeated."""

from __future__ import annotations

import json
import pathlib
import threading
import unittest
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import gateway_client
from gateway_client import Client, WebhookError, request_signature, verify_webhook
from gateway_client.errors import ApiError, api_error
from gateway_client.transport import Transport

VECTORS = json.loads((pathlib.Path(__file__).resolve().parents[4] / "tests/data/signing.json").read_text())


class Signing(unittest.TestCase):
    def test_requests_are_signed_as_the_vectors(self) -> None:
        for vector in VECTORS["requests"]:
            with self.subTest(vector["name"]):
                given = (vector["method"], vector["target"], vector["timestamp"], vector["body"].encode())
                self.assertEqual(request_signature(VECTORS["secret"], *given), vector["signature"])

    def test_a_changed_request_has_another_signature(self) -> None:
        for vector in VECTORS["rejected"]:
            with self.subTest(vector["name"]):
                given = (vector["method"], vector["target"], vector["timestamp"], vector["body"].encode())
                self.assertNotEqual(request_signature(VECTORS["secret"], *given), vector["signature"])


class Webhooks(unittest.TestCase):
    fresh = VECTORS["webhooks"][0]

    def verify(self, header: str | None, body: str | None = None, secret: str | None = None) -> None:
        body = self.fresh["body"] if body is None else body
        secret = self.fresh["secret"] if secret is None else secret
        verify_webhook(header, body.encode(), secret, now=self.fresh["now"])

    def test_webhooks_are_verified_as_the_vectors(self) -> None:
        for vector in VECTORS["webhooks"]:
            with self.subTest(vector["name"]):
                how = {"tolerance": vector["tolerance"], "now": vector["now"]}
                if vector["valid"]:
                    event = verify_webhook(vector["header"], vector["body"].encode(), vector["secret"], **how)
                    self.assertEqual(event, json.loads(vector["body"]))
                else:
                    with self.assertRaises(WebhookError):
                        verify_webhook(vector["header"], vector["body"].encode(), vector["secret"], **how)

    def test_one_of_several_signatures_is_enough(self) -> None:
        time, _, signature = self.fresh["header"].partition(",")
        self.verify(f"{time},v1={'0' * 64},{signature},v2=other")

    def test_malformed_headers_are_refused(self) -> None:
        time, _, signature = self.fresh["header"].partition(",")
        upper = signature.removeprefix("v1=").upper()
        for header in (
            *(None, "", time, signature, f"{time},{time},{signature}", f"t=,{signature}", f"{time},v1={upper}"),
            *(f"t=-1,{signature}", f"{time}.0,{signature}", f"{time},{signature[:-1]}", f"{time},v1=é"),
        ):
            with self.subTest(header), self.assertRaises(WebhookError):
                self.verify(header)

    def test_another_secret_is_refused_and_an_empty_one_is_a_mistake(self) -> None:
        with self.assertRaises(WebhookError):
            self.verify(self.fresh["header"], secret="whsec_other")
        with self.assertRaises(ValueError):
            self.verify(self.fresh["header"], secret="")


class Errors(unittest.TestCase):
    def made(self, status: int, body: object) -> ApiError:
        return api_error(status, body, request_id=None, idempotency_key=None, retry_after=None)

    def test_each_answer_has_the_most_specific_type(self) -> None:
        for status, code, kind in (
            (400, "invalid_request", gateway_client.InvalidRequestError),
            (401, "PLATFORM_KEY_INVALID", gateway_client.AuthenticationError),
            (403, "SCOPE_DENIED", gateway_client.ForbiddenError),
            (404, "payment_not_found", gateway_client.NotFoundError),
            (409, "payment disputed", gateway_client.ConflictError),
            (409, "IDEMPOTENCY_KEY_REUSED", gateway_client.IdempotencyKeyReusedError),
            (409, "request already processing", gateway_client.StillProcessingError),
            (410, "cursor_expired", gateway_client.CursorExpiredError),
            (410, "token_unusable", ApiError),
            (422, "platform_key_required", gateway_client.BusinessError),
            (422, "merchant_not_charge_capable", gateway_client.NotChargeCapableError),
            (429, "rate_limited", gateway_client.RateLimitedError),
            (502, "refund rejected by provider", gateway_client.ServerError),
            (502, "provider outcome unknown", gateway_client.OutcomeUnknownError),
        ):
            for body in ({"error": code}, {"error": {"code": code, "setup_url": "https://x.example"}}):
                with self.subTest(f"{status} {code}"):
                    self.assertIs(type(self.made(status, body)), kind)
                    self.assertEqual(self.made(status, body).code, code)

    def test_a_body_that_is_no_error_is_survived(self) -> None:
        bodies: list[object] = [None, [], "text", {}, {"error": 7}, {"error": None}]
        for body in bodies:
            self.assertEqual(self.made(500, body).code, "")


class Addresses(unittest.TestCase):
    def test_secrets_stay_out_of_clear_http_and_of_the_representation(self) -> None:
        for url in ("http://gateway.example", "ftp://localhost", "gateway.example", "https://gateway.example/v1"):
            with self.subTest(url), self.assertRaises(ValueError):
                Transport(url, None)
        client = Client("https://gateway.example", "mk_test_1", "a secret")
        self.assertNotIn("a secret", repr(client))
        with self.assertRaises(ValueError):
            Client("https://gateway.example", "mk_test_1", "")


class Platforms(unittest.TestCase):
    """What a platform's key sends besides: seen by a server of this test."""

    def setUp(self) -> None:
        self.seen: list[tuple[str, str | None]] = []
        seen = self.seen

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append((self.path, self.headers["Service-Merchant"]))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'{"payments":[]}')

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def test_the_merchant_and_the_environment_are_sent(self) -> None:
        platform = Client(f"http://127.0.0.1:{self.server.server_port}", "mk_platform_1", "secret")
        merchant = platform.on_behalf_of("merch_1", "test")
        noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
        list(merchant.list_payments(state=["captured", "failed"], created_from=noon))
        list(platform.list_payments(limit=7))
        query = "state=captured%2Cfailed&created_from=2026-11-20T12%3A00%3A00.000Z&limit=100&environment=test"
        self.assertEqual(
            self.seen, [(f"/v1/payment_intents?{query}", "merch_1"), ("/v1/payment_intents?limit=7", None)]
        )
        with self.assertRaises(ValueError):
            merchant.list_payments(created_to=datetime(2026, 11, 20))  # noqa: DTZ001
        with self.assertRaises(ValueError):
            merchant.get_payment("")


if __name__ == "__main__":
    unittest.main()

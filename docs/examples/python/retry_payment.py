"""Creates a payment however often the network, the gateway or the provider fails. Needs Python 3.8 and nothing else.

GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE   as in create_payment.py
PAYMENT_ID, IDEMPOTENCY_KEY   store both with the order before the first attempt: after a restart, the program goes
                              on with the same two
PAYMENT_METHOD                optional: a sandbox token
GATEWAY_TIMEOUT               optional: seconds for one attempt; the gateway answers within 35
"""

import hashlib
import hmac
import http.client
import json
import os
import random
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid

PAYMENTS = "/v1/payment_intents"
KEY = os.environ.get("IDEMPOTENCY_KEY", str(uuid.uuid4()))
TRUSTED = ssl.create_default_context(cafile=os.environ.get("GATEWAY_CA_FILE"))


def call(method, path, body=b""):
    """Status, headers and JSON of one attempt, None each where there is none. Each is signed anew, with its own time."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    lines = "\n".join([method, path, at, hashlib.sha256(body).hexdigest()])
    secret = os.environ["GATEWAY_SECRET"].encode()
    headers = {
        "X-Service-Key-Id": os.environ["GATEWAY_KEY_ID"],
        "X-Service-Timestamp": at,
        "X-Service-Signature": hmac.new(secret, lines.encode(), hashlib.sha256).hexdigest(),
        "Content-Type": "application/json",
    }
    if method == "POST":
        headers["Idempotency-Key"] = KEY
    request = urllib.request.Request(os.environ["GATEWAY_URL"] + path, body or None, headers, method=method)
    timeout = float(os.environ.get("GATEWAY_TIMEOUT", "40"))
    try:
        try:
            answer = urllib.request.urlopen(request, timeout=timeout, context=TRUSTED)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            text = answer.read()
    except (OSError, http.client.HTTPException):
        return None, None, None
    try:
        return answer.status, answer.headers, json.loads(text)
    except ValueError:
        return answer.status, answer.headers, None


def must_repeat(status, answer):
    """Whether the same request, with the same key and body, is to be sent again."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if status == 409:  # the first attempt is still under way
        return error == "request already processing"
    if status == 502:  # a proxy's, unless it is the gateway's about an unknown outcome
        return error != "provider outcome unknown"
    return status in (None, 408, 429, 500, 503, 504)  # no answer, or not now


def pause(attempt, headers):
    """The pause grows with each attempt and has a random part; the gateway's Retry-After takes precedence."""
    asked = (headers or {}).get("Retry-After", "")
    time.sleep((int(asked) if asked.isdigit() else min(2**attempt, 32)) + random.random())


def create(payment):
    body = json.dumps(payment).encode()
    for attempt in range(10):
        status, headers, answer = call("POST", PAYMENTS, body)
        if not must_repeat(status, answer):
            break
        pause(attempt, headers)
    if status != 502:
        return status, answer
    # The provider did not report the outcome, and this stays the answer to this key. The payment shows how it ended.
    # Never start a second payment for the order before the outcome is known.
    for attempt in range(10):
        pause(attempt, None)
        status, _, answer = call("GET", f"{PAYMENTS}/{payment['payment_id']}")
        if status == 200 and answer["state"] != "processing":
            break
    return status, answer


def main():
    status, answer = create(
        {
            "payment_id": os.environ.get("PAYMENT_ID", f"pay_{int(time.time())}"),
            "amount": 4200,
            "currency": "HKD",
            "payment_method": os.environ.get("PAYMENT_METHOD", "pm_card_visa"),
        }
    )
    print(status, json.dumps(answer))
    sys.exit(0 if status == 200 and answer["state"] == "authorized" else 1)


main()

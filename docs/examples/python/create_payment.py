"""Signs one create and sends it. Needs Python 3.8 and nothing else.

GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET   where the gateway is, and a key of the test environment
GATEWAY_CA_FILE                               optional: whose certificates are trusted, for a gateway of your own
PAYMENT_ID                                    optional: your id of the payment
"""

import hashlib
import hmac
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid


def signed_headers(method, path, body):
    """Four lines are signed: the method, the path without a query, the time, and the hash of the body as it is sent."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    lines = "\n".join([method, path, at, hashlib.sha256(body).hexdigest()])
    secret = os.environ["GATEWAY_SECRET"].encode()
    return {
        "X-Service-Key-Id": os.environ["GATEWAY_KEY_ID"],
        "X-Service-Timestamp": at,
        "X-Service-Signature": hmac.new(secret, lines.encode(), hashlib.sha256).hexdigest(),
    }


def main():
    path = "/v1/payment_intents"
    payment = {
        "payment_id": os.environ.get("PAYMENT_ID", f"pay_{int(time.time())}"),
        "amount": 4200,
        "currency": "HKD",
        "payment_method": "pm_card_visa",
    }
    body = json.dumps(payment).encode()
    headers = signed_headers("POST", path, body)
    headers["Idempotency-Key"] = str(uuid.uuid4())
    headers["Content-Type"] = "application/json"
    request = urllib.request.Request(os.environ["GATEWAY_URL"] + path, body, headers, method="POST")
    trusted = ssl.create_default_context(cafile=os.environ.get("GATEWAY_CA_FILE"))
    try:
        with urllib.request.urlopen(request, timeout=40, context=trusted) as answer:
            print(answer.read().decode())
    except urllib.error.HTTPError as refused:
        sys.exit(f"{refused.code} {refused.read().decode()}")


main()

"""Checks whether a webhook is genuine: ends with 0 if it is, with 1 if not. Needs Python 3.8 and nothing else.

WEBHOOK_SECRET=whsec_… python3 verify_webhook.py "$X_SERVICE_SIGNATURE" <BODY

BODY is what was posted, to the byte, before anything parses it.
"""

import hashlib
import hmac
import os
import sys
import time


def genuine(header, body, secret, tolerance=300):
    """`header` is X-Service-Signature, `body` bytes, `tolerance` seconds."""
    parts = [part.partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit():
        return False
    if abs(time.time() - int(times[0])) > tolerance:
        return False
    signed = times[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    # While the secret is being changed there are two signatures; one match is enough.
    return any([hmac.compare_digest(value.encode(), expected) for name, _, value in parts if name == "v1"])


def main():
    if not genuine(sys.argv[1], sys.stdin.buffer.read(), os.environ["WEBHOOK_SECRET"]):
        sys.exit("refused")
    print("genuine")


main()

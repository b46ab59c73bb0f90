"""Verification of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import cast

from .errors import WebhookError
from .models import Event


def verify_webhook(
    header: str | None, body: bytes, secret: str, *, tolerance: float = 300, now: float | None = None
) -> Event:
    """The event of a genuine webhook; raises WebhookError otherwise.

    `header` is X-Service-Signature. `body` is what was posted, byte for byte, before anything parses it. `secret` is
    the destination's, with its `whsec_`. `tolerance` is how many seconds the signature's time may be from now.
    """
    if not secret:
        raise ValueError("the signing secret is empty")
    parts = [part.partition("=") for part in (header or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1" and re.fullmatch(r"[0-9a-f]{64}", value)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]):
        raise WebhookError("the signature has no time")
    if not given:
        raise WebhookError("the header has no v1 signature")
    expected = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
    # While a secret is being changed there are two signatures: one match is enough. Comparing takes constant time.
    if not any(hmac.compare_digest(expected, each) for each in given):
        raise WebhookError("no signature fits the body and the secret")
    if abs((time.time() if now is None else now) - int(times[0])) > tolerance:
        raise WebhookError("the signature's time is too far from now")
    try:
        return cast(Event, json.loads(body))
    except ValueError as fault:
        raise WebhookError("the body is not JSON") from fault

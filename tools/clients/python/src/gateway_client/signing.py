"""Signatures of requests."""

from __future__ import annotations

import hashlib
import hmac


def request_signature(secret: str, method: str, target: str, timestamp: str, body: bytes) -> str:
    """The value of X-Service-Signature. The query of `target` is not signed, and the body counts as it is sent."""
    path = target.partition("?")[0]
    lines = "\n".join([method, path, timestamp, hashlib.sha256(body).hexdigest()])
    return hmac.new(secret.encode(), lines.encode(), hashlib.sha256).hexdigest()

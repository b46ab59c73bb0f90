"""Schemathesis's requests, signed: loaded by it through SCHEMATHESIS_HOOKS. GATEWAY_SCENE names the file that scene.py wrote.

Most requests are made plausible, so that they pass the first checks: the right merchant and environment, a fresh
Idempotency-Key, ids of existing payments and subscriptions. The rest are sent as they were generated, some of them
without a signature.
"""
import datetime
import hashlib
import hmac
import json
import os
import random
import uuid
from urllib.parse import urlsplit

import requests.auth
import schemathesis

SCENE = json.load(open(os.environ["GATEWAY_SCENE"]))
# A platform's key signs the operations of these tags; the merchant's key signs the others.
OF_PLATFORMS = {"Platforms", "Customers", "Subscriptions"}
ENVIRONMENT = {"$ref": "#/components/parameters/Environment"}
# Texts that random generation rarely produces; they replace other texts.
LIKELY = {"currency": "EUR", "success_url": "https://shop.example/thanks", "cancel_url": "https://shop.example/back",
          "customer_email": "reader@mail.example"}
LEFT_AS_GENERATED = 0.2
LEFT_UNSIGNED = 0.05

choices = random.Random(int(os.environ.get("GATEWAY_SCENE_SEED", "1")))
known = {"payment_id": ["pay_unknown"], "subscription_id": ["unknown"], "dispute_id": ["dp_unknown"]}


class Signer(requests.auth.AuthBase):
    """Signs the sent bytes: the path as escaped, the body as sent."""

    def __init__(self, key):
        self.key = key

    def __call__(self, request):
        body = request.body or b""
        if isinstance(body, str):
            body = body.encode()
        at = datetime.datetime.utcnow().strftime("%Y-%m-%dT%H:%M:%SZ")
        path = urlsplit(request.url).path
        canonical = "\n".join([request.method, path, at, hashlib.sha256(body).hexdigest()])
        signature = hmac.new(self.key["secret"].encode(), canonical.encode(), hashlib.sha256).hexdigest()
        request.headers["X-Service-Key-Id"] = self.key["key_id"]
        request.headers["X-Service-Timestamp"] = at
        request.headers["X-Service-Signature"] = signature
        return request


def is_signed(operation):
    return bool(operation.definition.raw.get("security"))


def make_body_plausible(case):
    case.body.pop("merchant_id", None)
    for name, value in LIKELY.items():
        if isinstance(case.body.get(name), str):
            case.body[name] = value
    # Objects that were created before cannot be created again.
    for name, prefix in (("payment_id", "pay_"), ("subscription_id", "")):
        if isinstance(case.body.get(name), str):
            case.body[name] = f"{prefix}{choices.getrandbits(64):x}"


def make_plausible(case, by_platform):
    if case.headers is not None:
        names = {name.lower(): name for name in case.headers}
        if "idempotency-key" in names:
            case.headers[names["idempotency-key"]] = str(uuid.UUID(int=choices.getrandbits(128)))
        if "service-merchant" in names:
            if by_platform:
                case.headers[names["service-merchant"]] = SCENE["merchant"]
            else:
                del case.headers[names["service-merchant"]]
    if by_platform and case.query is not None and ENVIRONMENT in case.operation.definition.raw["parameters"]:
        case.query["environment"] = "live"
    if isinstance(case.body, dict):
        make_body_plausible(case)
    for name, ids in known.items():
        if case.path_parameters and case.path_parameters.get(name, ids[0]) not in ids:
            case.path_parameters[name] = choices.choice(ids)


@schemathesis.hook
def before_call(context, case, kwargs):
    kwargs["allow_redirects"] = False
    if not is_signed(case.operation):
        return
    for name in ("X-Service-Key-Id", "X-Service-Timestamp", "X-Service-Signature"):
        if case.headers is not None:
            case.headers.pop(name, None)
    by_platform = bool(OF_PLATFORMS & set(case.operation.tags or ()))
    if choices.random() >= LEFT_AS_GENERATED:
        make_plausible(case, by_platform)
    if choices.random() >= LEFT_UNSIGNED:
        kwargs["auth"] = Signer(SCENE["platform_key"] if by_platform else SCENE["merchant_key"])


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code != 200 or case.method.upper() != "POST" or not isinstance(case.body, dict):
        return
    for name, ids in known.items():
        made = case.body.get(name)
        if isinstance(made, str) and len(ids) < 50 and "{" not in case.operation.path:
            ids.append(made)

"""Runs the steps that are given on standard input, and prints the result or the error of each: see tests/clients/."""

from __future__ import annotations

import itertools
import json
import re
import sys
from typing import Any

from gateway_client import ApiError, Client, GatewayError, NoAnswerError, NotChargeCapableError, Options


def method_of(client: Client, operation: str) -> Any:
    return getattr(client, re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower())


def call(client: Client, step: dict[str, Any]) -> Any:
    if step["do"] == "call":
        return client.call(step["method"], step["target"])[1]
    named = {"from_time" if name == "from" else name: value for name, value in step.get("query", {}).items()}
    named |= step.get("body", {})
    if "key" in step:
        named["idempotency_key"] = step["key"]
    result = method_of(client, step["do"])(*step.get("path", []), **named)
    if isinstance(result, dict | list) or result is None:
        return result
    return list(itertools.islice(result, step.get("take")))


def described(fault: GatewayError) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": type(fault).__name__.removesuffix("Error"), "text": str(fault)}
    if isinstance(fault, NoAnswerError):
        told["idempotency_key"] = fault.idempotency_key
    if isinstance(fault, ApiError):
        told |= {name: getattr(fault, name) for name in ("status", "code", "docs_url", "request_id", "retry_after")}
        told |= {"idempotency_key": fault.idempotency_key, "fields": [each["name"] for each in fault.fields]}
    if isinstance(fault, NotChargeCapableError):
        told["setup_url"] = fault.setup_url
    return told


def main() -> None:
    given = json.load(sys.stdin)
    with Client.from_environment(options=Options(**given["options"])) as client:
        for step in given["steps"]:
            try:
                line = {"result": call(client, step)}
            except GatewayError as fault:
                line = {"error": described(fault)}
            print(json.dumps(line), flush=True)


main()

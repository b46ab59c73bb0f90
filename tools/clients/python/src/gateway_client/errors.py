"""What can go wrong, as types."""

from __future__ import annotations

from typing import Any


class GatewayError(Exception):
    """Every error of this package."""


class WebhookError(GatewayError):
    """A webhook that is not genuine. The text gives the reason."""


class NoAnswerError(GatewayError):
    """No usable answer, after all attempts. A write may have been carried out.

    Call again with `idempotency_key` and the same arguments to learn what happened: it is carried out once.
    """

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ApiError(GatewayError):
    """The gateway refused, or failed.

    Decide by the class, or by `status` and `code`. `message` is for people and changes. The body can contain a link
    that must not be logged, so it is not part of the exception's text.
    """

    def __init__(
        self, status: int, body: Any, *, request_id: str | None, idempotency_key: str | None, retry_after: float | None
    ) -> None:
        self.status = status
        self.body = body
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after
        self.replayed = False  # whether it is the stored answer to an earlier attempt
        whole = body if isinstance(body, dict) else {}
        error = whole.get("error")
        detail = error if isinstance(error, dict) else whole
        self.code: str = error_code(body)
        self.message: str = str(detail.get("message") or detail.get("error_description") or "")
        self.docs_url: str | None = detail.get("docs_url")
        self.fields: list[dict[str, str]] = whole.get("fields") or []
        super().__init__(f"{status} {self.code or 'without a code'}{': ' + self.message if self.message else ''}")


class InvalidRequestError(ApiError):
    """400, 405, 413, 415, 431: the request is wrong. `fields` has each fault of the body's fields."""


class AuthenticationError(ApiError):
    """401: the key, the signature or the clock."""


class ForbiddenError(ApiError):
    """403: the scope or the grant."""


class NotFoundError(ApiError):
    """404: there is none, or this key may not see it."""


class ConflictError(ApiError):
    """409: the state does not allow it."""


class IdempotencyKeyReusedError(ConflictError):
    """409 `IDEMPOTENCY_KEY_REUSED`: the key was used for another request."""


class StillProcessingError(ConflictError):
    """409 `request already processing`, also after the last attempt: an earlier attempt still runs.

    Call again with the same key and the same arguments.
    """


class CursorExpiredError(ApiError):
    """410 `cursor_expired`: the events after the cursor are no longer kept."""


class BusinessError(ApiError):
    """422: a rule of the business."""


class NotChargeCapableError(BusinessError):
    """422 `merchant_not_charge_capable`: the merchant has not finished its set-up at a provider."""

    @property
    def setup_url(self) -> str:
        """For the merchant's owner; works once. Do not log, cache or forward it."""
        return str(self.body["error"]["setup_url"])

    @property
    def setup_url_expires_at(self) -> str:
        return str(self.body["error"]["setup_url_expires_at"])

    @property
    def providers(self) -> list[dict[str, str]]:
        return list(self.body["error"].get("providers", []))


class RateLimitedError(ApiError):
    """429, also after the last attempt."""


class ServerError(ApiError):
    """5xx, also after the last attempt. A write may have been carried out: call again with `idempotency_key`."""


class OutcomeUnknownError(ServerError):
    """502 `provider outcome unknown`: the provider did not answer. The gateway asks it until it knows.

    Read the payment until its state is final (`wait_for_payment`). Make no second payment before that.
    """


_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: ForbiddenError,
    404: NotFoundError,
    405: InvalidRequestError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: BusinessError,
    429: RateLimitedError,
    431: InvalidRequestError,
}

_BY_CODE: dict[tuple[int, str], type[ApiError]] = {
    (409, "IDEMPOTENCY_KEY_REUSED"): IdempotencyKeyReusedError,
    (409, "request already processing"): StillProcessingError,
    (410, "cursor_expired"): CursorExpiredError,
    (422, "merchant_not_charge_capable"): NotChargeCapableError,
    (502, "provider outcome unknown"): OutcomeUnknownError,
}


def error_code(body: Any) -> str:
    """The code of an error's body, in any of its shapes; empty without one."""
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        error = error.get("code")
    return error if isinstance(error, str) else ""


def api_error(
    status: int, body: Any, *, request_id: str | None, idempotency_key: str | None, retry_after: float | None
) -> ApiError:
    """The error of an answer, in its most specific class."""
    general = ServerError if status >= 500 else _BY_STATUS.get(status, ApiError)
    kind = _BY_CODE.get((status, error_code(body)), general)
    return kind(status, body, request_id=request_id, idempotency_key=idempotency_key, retry_after=retry_after)

"""The client: one method for each operation of the gateway."""

from __future__ import annotations

import dataclasses
import email.utils
import itertools
import json
import os
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict, Unpack, cast
from urllib.parse import quote, urlencode

from . import models as m
from .errors import ApiError, NoAnswerError, api_error, error_code
from .listing import Listing
from .signing import request_signature
from .transport import Answer, BrokenExchange, Transport

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
LONGEST_RETRY_AFTER = 60.0

Moment = str | datetime


class EventPage(TypedDict):
    """Events, oldest first, and where to go on. `next` is always there."""

    events: list[m.Event]
    next: str


class EventType(TypedDict):
    """A type of events, and the JSON Schema of its data."""

    type: str
    schema: dict[str, Any]


class Following(TypedDict, total=False):
    """Where to begin and how to follow. `wait`: seconds, up to 30. `stop` ends it between two requests."""

    after: str | None
    from_time: Moment | None
    types: str | Iterable[str] | None
    wait: int
    limit: int
    stop: threading.Event | None


@dataclasses.dataclass(frozen=True)
class Options:
    """How requests are sent. `timeout`: seconds for one attempt. The gateway answers within 35 s, so it is longer."""

    timeout: float = 40.0
    attempts: int = 8
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time


class Client:
    """Calls a gateway with a key. Safe for several threads.

    `merchant` and `environment` are for platforms' keys: the merchant for whom, and the environment in which it acts.
    """

    def __init__(
        self,
        url: str,
        key_id: str,
        secret: str,
        *,
        ca_file: str | None = None,
        merchant: str | None = None,
        environment: Literal["test", "live"] | None = None,
        options: Options | None = None,
    ) -> None:
        if not key_id or not secret:
            raise ValueError("the key's id or secret is empty")
        self._transport = Transport(url, ca_file)
        self._key_id, self._secret = key_id, secret
        self._merchant, self._environment = merchant, environment
        self._options = options or Options()

    @classmethod
    def from_environment(cls, **more: Any) -> Client:
        """A client from GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET and GATEWAY_CA_FILE."""
        missing = [name for name in ("GATEWAY_URL", "GATEWAY_KEY_ID", "GATEWAY_SECRET") if not os.environ.get(name)]
        if missing:
            raise ValueError(f"missing in the environment: {', '.join(missing)}")
        more.setdefault("ca_file", os.environ.get("GATEWAY_CA_FILE") or None)
        return cls(os.environ["GATEWAY_URL"], os.environ["GATEWAY_KEY_ID"], os.environ["GATEWAY_SECRET"], **more)

    def on_behalf_of(self, merchant: str, environment: Literal["test", "live"] | None = None) -> Client:
        """A client of the same platform's key for a merchant. It shares the connections."""
        other = object.__new__(Client)
        other.__dict__.update(self.__dict__)
        other._merchant = merchant
        other._environment = environment or self._environment
        return other

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client(key_id={self._key_id!r})"

    # Payments

    def create_payment(
        self, *, idempotency_key: str | None = None, **payment: Unpack[m.CreatePayment]
    ) -> m.PaymentResult:
        """Creates a payment, and usually charges it. A declined payment is a result: its state is `failed`."""
        about = payment.get("payment_id")
        return cast(m.PaymentResult, self._write("POST", "/v1/payment_intents", payment, idempotency_key, about))

    def get_payment(self, payment_id: str) -> m.Payment:
        return cast(m.Payment, self._read(_payment(payment_id), about=payment_id))

    def list_payments(
        self,
        *,
        state: str | Iterable[str] | None = None,
        currency: str | None = None,
        created_from: Moment | None = None,
        created_to: Moment | None = None,
        customer_ref: str | None = None,
        provider_ref: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Listing[m.Payment, m.PaymentList]:
        """Newest first. `created_from` is included, `created_to` is not. `limit` is the size of a page."""
        filters = {
            "state": _joined(state),
            "currency": currency,
            "created_from": _moment(created_from),
            "created_to": _moment(created_to),
            "customer_ref": customer_ref,
            "provider_ref": provider_ref,
        }
        return self._list("/v1/payment_intents", "payments", filters, limit, after)

    def get_payment_timeline(self, payment_id: str) -> m.Timeline:
        return cast(m.Timeline, self._read(_payment(payment_id, "timeline"), about=payment_id))

    def list_refunds(self, payment_id: str) -> m.Refunds:
        return cast(m.Refunds, self._read(_payment(payment_id, "refunds")))

    def capture_payment(
        self, payment_id: str, *, idempotency_key: str | None = None, **capture: Unpack[m.CapturePayment]
    ) -> m.CaptureResult:
        """Takes the authorized money, or `amount` of it."""
        target = _payment(payment_id, "capture")
        return cast(m.CaptureResult, self._write("POST", target, capture, idempotency_key, payment_id))

    def refund_payment(
        self, payment_id: str, *, idempotency_key: str | None = None, **refund: Unpack[m.RefundPayment]
    ) -> m.RefundResult:
        """Refunds `amount`, or what remains. Each intended refund has a key of its own; its repeats have the same."""
        target = _payment(payment_id, "refund")
        return cast(m.RefundResult, self._write("POST", target, refund, idempotency_key, payment_id))

    def void_payment(
        self, payment_id: str, *, idempotency_key: str | None = None, **void: Unpack[m.VoidPayment]
    ) -> m.PaymentResult:
        """Releases the authorized money."""
        target = _payment(payment_id, "void")
        return cast(m.PaymentResult, self._write("POST", target, void, idempotency_key, payment_id))

    def cancel_payment(
        self, payment_id: str, *, idempotency_key: str | None = None, **cancel: Unpack[m.CancelPayment]
    ) -> m.PaymentResult:
        """Ends a payment that the customer has not paid yet."""
        target = _payment(payment_id, "cancel")
        return cast(m.PaymentResult, self._write("POST", target, cancel, idempotency_key, payment_id))

    def wait_for_payment(self, payment_id: str, *, timeout: float = 300.0) -> m.Payment:
        """Reads a payment until it is no longer `created` or `processing`, for `timeout` seconds at most.

        For payments whose outcome is unknown (OutcomeUnknownError). Returns the payment as it was read last.
        """
        until = time.monotonic() + timeout
        payment = self.get_payment(payment_id)
        for tries in itertools.count():
            pause = _pause(tries)
            if payment["state"] not in ("created", "processing") or time.monotonic() + pause > until:
                break
            self._options.sleep(pause)
            payment = self.get_payment(payment_id)
        return payment

    # Disputes

    def get_dispute(self, dispute_id: str) -> m.Dispute:
        return cast(m.Dispute, self._read(f"/v1/disputes/{_escaped(dispute_id)}"))

    def list_disputes(
        self,
        *,
        status: str | None = None,
        payment_id: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Listing[m.Dispute, m.DisputeList]:
        return self._list("/v1/disputes", "disputes", {"status": status, "payment_id": payment_id}, limit, after)

    # Customers and subscriptions: for platforms' keys

    def charge_saved_method(
        self, *, idempotency_key: str | None = None, **charge: Unpack[m.ChargeSavedMethod]
    ) -> m.ChargeResult:
        """Charges a saved payment method. A declined charge is a result: its status is `failed`."""
        about = charge.get("payment_id")
        return cast(m.ChargeResult, self._write("POST", "/v1/charges/saved", charge, idempotency_key, about))

    def get_customer_by_ref(self, customer_ref: str) -> m.Customer:
        return cast(m.Customer, self._read(_with("/v1/customers/by_ref", {"ref": customer_ref})))

    def list_customers(
        self, *, customer_ref: str | None = None, limit: int = 100, after: str | None = None
    ) -> Listing[m.ListedCustomer, m.CustomerList]:
        return self._list("/v1/customers", "customers", {"customer_ref": customer_ref}, limit, after)

    def create_subscription_checkout(
        self, *, idempotency_key: str | None = None, **checkout: Unpack[m.CreateSubscriptionCheckout]
    ) -> m.SubscriptionCheckout:
        """Opens a hosted page on which the customer subscribes."""
        answer = self._write("POST", "/v1/subscription_checkouts", checkout, idempotency_key)
        return cast(m.SubscriptionCheckout, answer)

    def get_subscription(self, subscription_id: str) -> m.Subscription:
        return cast(m.Subscription, self._read(f"/v1/subscriptions/{_escaped(subscription_id)}"))

    def list_subscriptions(
        self,
        *,
        status: str | None = None,
        customer_ref: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Listing[m.Subscription, m.SubscriptionList]:
        filters = {"status": status, "customer_ref": customer_ref}
        return self._list("/v1/subscriptions", "subscriptions", filters, limit, after)

    def cancel_subscription(self, subscription_id: str, *, idempotency_key: str | None = None) -> m.SubscriptionCancel:
        """Ends a subscription at once."""
        target = f"/v1/subscriptions/{_escaped(subscription_id)}"
        return cast(m.SubscriptionCancel, self._write("DELETE", target, None, idempotency_key))

    # Platforms

    def exchange_connect_token(
        self, *, idempotency_key: str | None = None, **token: Unpack[m.ExchangeConnectToken]
    ) -> m.GrantedAccess:
        """Exchanges the code of the consent screen for the merchant's id and the grant's."""
        answer = self._write("POST", "/v1/public/connect/token", token, idempotency_key, merchant=False)
        return cast(m.GrantedAccess, answer)

    def revoke_grant(
        self, grant_id: str, *, idempotency_key: str | None = None, **revoke: Unpack[m.RevokeGrant]
    ) -> None:
        self._write("POST", f"/v1/grants/{_escaped(grant_id)}/revoke", revoke, idempotency_key, merchant=False)

    def revoke_platform_key(self, key_id: str, *, idempotency_key: str | None = None) -> None:
        self._write("POST", f"/v1/platform_keys/{_escaped(key_id)}/revoke", None, idempotency_key, merchant=False)

    # Events

    def get_event(self, event_id: str) -> m.Event:
        return cast(m.Event, self._read(f"/v1/events/{_escaped(event_id)}"))

    def list_event_types(self) -> list[EventType]:
        """The types of events, each with the JSON Schema of its data."""
        return cast(list[EventType], self._read("/v1/event_types")["event_types"])

    def list_events(
        self,
        *,
        after: str | None = None,
        from_time: Moment | None = None,
        types: str | Iterable[str] | None = None,
        limit: int = 100,
    ) -> Listing[m.Event, EventPage]:
        """The events that there are, oldest first: from the oldest kept, after a cursor, or from a time."""
        filters = {"from": _moment(from_time), "types": _joined(types)}
        return self._list("/v1/events", "events", filters, limit, after)

    def follow_event_pages(self, **how: Unpack[Following]) -> Iterator[EventPage]:
        """Pages of events, without an end, also while the gateway restarts. Each committed event is in one page.

        Store `page["next"]` together with the results of the page's events, and begin there, as `after`, the next
        time. Without `after` and `from_time` it begins at the oldest event that is kept; `after="end"` begins now. A
        page is empty when no event came for `wait` seconds. Raises CursorExpiredError if the events at that point are
        no longer kept.
        """
        stop, wait = how.get("stop"), how.get("wait", 30)
        filters: dict[str, Any] = {"types": _joined(how.get("types")), "limit": how.get("limit", 100)}
        # The first page is asked for without a wait: its `next` fixes the place of `end` before an event can be missed.
        begin = {"after": how.get("after"), "from": _moment(how.get("from_time"))}
        page = self._read(_with("/v1/events", {**begin, **filters}))
        yield page
        while stop is None or not stop.is_set():
            asked = time.monotonic()
            page = self._event_page(_with("/v1/events", {"after": page["next"], "wait": wait, **filters}), wait, stop)
            if page is None:
                return
            yield page
            if not page["events"] and time.monotonic() - asked < 1:
                self._options.sleep(1.0)

    def follow_events(self, **how: Unpack[Following]) -> Iterator[m.Event]:
        """The events of follow_event_pages, one by one. To go on after a restart, follow the pages and store `next`."""
        for page in self.follow_event_pages(**how):
            yield from page["events"]

    # Any request

    def call(
        self, method: str, target: str, body: Any = None, *, idempotency_key: str | None = None
    ) -> tuple[int, Any]:
        """Any other request: its status and JSON. Signs and repeats it as all others; raises the same errors."""
        answer, parsed = self._repeat(method, target, body, idempotency_key)
        return answer.status, parsed

    # How a request is sent

    def _read(self, target: str, about: str | None = None) -> Any:
        return self._repeat("GET", target, about=about)[1]

    def _write(
        self, method: str, target: str, body: Any, key: str | None, about: str | None = None, *, merchant: bool = True
    ) -> Any:
        return self._repeat(method, target, body or None, key, about, merchant=merchant)[1]

    def _list(
        self, path: str, member: str, filters: dict[str, str | None], limit: int, after: str | None
    ) -> Listing[Any, Any]:
        def read(after: str | None) -> Any:
            # A cursor includes the position: `from` is for the first page.
            kept = {**filters, "from": None} if after else filters
            return self._read(_with(path, {**kept, "limit": limit, "after": after}))

        return Listing(read, member, after)

    def _event_page(self, target: str, wait: int, stop: threading.Event | None) -> Any:
        """Repeats for as long as it takes. Only the gateway's own refusal ends it, or `stop`: then it returns None."""
        for tries in itertools.count():
            asked = 0.0
            try:
                return self._attempt("GET", target, b"", None, None, timeout=wait + 15)[1]
            except BrokenExchange as fault:
                if fault.final:
                    raise NoAnswerError(str(fault), None) from fault
            except ApiError as refused:
                if refused.status < 500 and refused.status not in (408, 429):
                    raise
                asked = min(refused.retry_after or 0.0, LONGEST_RETRY_AFTER)
            pause = max(_pause(tries), asked)
            if stop is None:
                self._options.sleep(pause)
            elif stop.wait(pause):
                return None
        return None

    def _repeat(
        self,
        method: str,
        target: str,
        body: Any = None,
        key: str | None = None,
        about: str | None = None,
        *,
        merchant: bool = True,
    ) -> tuple[Answer, Any]:
        """Repeats with the same key and body until there is an answer that says what happened."""
        sent = b"" if body is None else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        if method != "GET" and key is None:
            key = str(uuid.uuid4())
        failed: Exception = AssertionError()
        for tries in range(self._options.attempts):
            asked = 0.0
            try:
                return self._attempt(method, target, sent, key, about, merchant=merchant)
            except BrokenExchange as fault:
                failed = NoAnswerError(f"{method} {target.partition('?')[0]}: {fault}", key)
                failed.__cause__ = fault
                if fault.final:
                    break
            except ApiError as refused:
                if not _may_pass(refused):
                    raise
                failed, asked = refused, refused.retry_after or 0.0
            if asked > LONGEST_RETRY_AFTER:
                break
            if tries + 1 < self._options.attempts:
                self._options.sleep(max(_pause(tries), asked))
        raise failed

    def _attempt(
        self,
        method: str,
        target: str,
        body: bytes,
        key: str | None,
        about: str | None,
        *,
        merchant: bool = True,
        timeout: float | None = None,
    ) -> tuple[Answer, Any]:
        """One signed request. Raises ApiError for a refusal, BrokenExchange without a usable answer."""
        if merchant and self._environment:
            target = _with(target, {"environment": self._environment})
        now = self._options.now()
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        headers = {
            "X-Service-Key-Id": self._key_id,
            "X-Service-Timestamp": at,
            "X-Service-Signature": request_signature(self._secret, method, target, at, body),
            "User-Agent": "gateway-client-python/1.0.0",
            "Accept": "application/json",
        }
        if merchant and self._merchant:
            headers["Service-Merchant"] = self._merchant
        if key:
            headers["Idempotency-Key"] = key
        if body:
            headers["Content-Type"] = "application/json"
        answer = self._transport.exchange(method, target, headers, body or None, timeout or self._options.timeout)
        parsed = _parsed(answer.body)
        if 200 <= answer.status < 300:
            if parsed is None and answer.status != 204:
                raise BrokenExchange("the answer is not JSON")
            if about and isinstance(parsed, dict) and parsed.get("payment_id", about) != about:
                raise BrokenExchange("the answer belongs to another payment")
            return answer, parsed
        error = api_error(
            answer.status,
            parsed,
            request_id=answer.headers.get("Request-Id"),
            idempotency_key=key,
            retry_after=_retry_after(answer.headers.get("Retry-After"), now),
        )
        error.replayed = "Idempotent-Replayed" in answer.headers
        raise error


def _may_pass(refused: ApiError) -> bool:
    """Whether the same request may get another answer later. A replayed answer is the stored one: it stays."""
    if refused.status >= 500:
        return not refused.replayed
    if refused.status == 409:
        return error_code(refused.body) == "request already processing"
    return refused.status in (408, 429)


def _pause(tries: int) -> float:
    """Growing, and random so that many clients do not return at one moment."""
    longest: float = min(FIRST_PAUSE * 2 ** min(tries, 16), LONGEST_PAUSE)
    return longest * random.uniform(0.5, 1)  # noqa: S311


def _retry_after(value: str | None, now: float) -> float | None:
    """Seconds: of a number, or until a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _escaped(part: str) -> str:
    if not part:
        raise ValueError("an id is empty")
    return quote(part, safe="")


def _payment(payment_id: str, operation: str = "") -> str:
    return f"/v1/payment_intents/{_escaped(payment_id)}{'/' if operation else ''}{operation}"


def _with(target: str, parameters: dict[str, Any]) -> str:
    query = urlencode({name: value for name, value in parameters.items() if value is not None}, quote_via=quote)
    return f"{target}{'&' if '?' in target else '?'}{query}" if query else target


def _joined(values: str | Iterable[str] | None) -> str | None:
    return values if values is None or isinstance(values, str) else ",".join(values)


def _moment(moment: Moment | None) -> str | None:
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise ValueError("a time without a time zone")
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return moment

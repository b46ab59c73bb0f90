"""Written by tools/clients/generate from docs/openapi.json. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

# `processing`: the customer must act at `provider.hosted_url`, or the outcome is still open. `authorized`:
# the money is reserved: capture or void. `captured`: taken: refund. `partially_refunded`, `refunded`: some or
# all of it went back. `voided`: the reservation is released. `failed`: `provider.error` says why.
PaymentState: TypeAlias = Literal[
    "created",
    "processing",
    "authorized",
    "captured",
    "partially_refunded",
    "refunded",
    "failed",
    "voided",
]

# Who caused it: `api`, `portal`, `provider` (it happened there, or the customer, the bank or time did it),
# `operator` (of the gateway), `system` (the gateway itself, such as an expiry).
Origin: TypeAlias = Literal["api", "portal", "provider", "operator", "system"]

# `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken back, and evidence
# can be sent until `evidence_due_by`. `under_review`: the bank decides. `won`: the amount was given back, or
# the inquiry ended. `lost`: the amount stays with the cardholder. The last two are final.
DisputeStatus: TypeAlias = Literal["warning", "needs_response", "under_review", "won", "lost"]

# `pending`: the checkout has not been paid yet. `failed`: the checkout could not be opened. All others are
# the provider's; `canceled` and `incomplete_expired` are final.
SubscriptionStatus: TypeAlias = Literal[
    "pending",
    "failed",
    "incomplete",
    "trialing",
    "active",
    "past_due",
    "unpaid",
    "paused",
    "incomplete_expired",
    "canceled",
]

Scope: TypeAlias = Literal[
    "payments:write",
    "payments:read",
    "customers:read",
    "refunds:write",
    "payouts:read",
    "customers:write",
    "mcp:read",
    "webhooks:configure",
    "*",
]


class PaymentList(TypedDict):
    # Newest first.
    payments: list[Payment]
    # Where to go on: send it as `after`. Absent on the last page.
    next: NotRequired[str]


class Payment(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    state: PaymentState
    provider: ProviderPart
    # Minor units.
    amount: int
    currency: str
    # Minor units. Below `amount` if only a part was captured.
    captured_amount: int
    # Minor units.
    refunded_total: int
    # Minor units: what can still be refunded. 0 before a capture. What was lost in a dispute cannot be
    # refunded.
    remaining_amount: int
    # Minor units: what open disputes have taken back. While it is above 0, a refund is 409 `payment
    # disputed`.
    disputed_amount: int
    # Those that the provider accepted, oldest first.
    refunds: list[Refund]
    # Oldest first.
    disputes: list[Dispute]
    # UTC.
    created_at: str
    description: NotRequired[str]
    # Only to the merchant and the platform that made the payment.
    customer_ref: NotRequired[str]
    # Only to the merchant and the platform that made the payment.
    metadata: NotRequired[dict[str, str]]


class ProviderPart(TypedDict):
    # How the provider answered.
    status: Literal["pending", "approved", "declined"]
    # Which provider. Left out for a wallet merchant.
    provider: NotRequired[str]
    # The provider's name for the payment, once it has one. Left out for a wallet merchant.
    provider_ref: NotRequired[str]
    # Send the customer's browser here.
    hosted_url: NotRequired[str]
    error: NotRequired[ProviderError]


class ProviderError(TypedDict):
    category: Literal["auth", "validation", "provider", "timeout", "risk", "internal"]
    # The same word whichever provider said it, where there is one: `card_declined`, `insufficient_funds`,
    # `expired_card`, `incorrect_cvc`, `authentication_required`, `processing_error`, `provider_unavailable`,
    # `account_invalid`, `risk_blocked`, `checkout_expired`, `payment_method_not_found`, `customer_not_found`.
    # Any other is the provider's own. A wallet merchant's are neutral: `PAYMENT_DECLINED`, `PAYMENT_EXPIRED`,
    # `PAYMENT_OUTCOME_UNKNOWN`, `PAYMENT_FAILED`.
    code: str
    # For people.
    message: str
    # Whether the customer may try again.
    retryable: bool
    # Only if it is not known whether it happened: the gateway asks until it knows. Do not start a second
    # payment before you know.
    outcome: NotRequired[Literal["unknown"]]


class Refund(TypedDict):
    # The gateway's.
    refund_id: str
    # Minor units.
    amount: int
    currency: str
    # `pending`: the provider has accepted it and carries it out later; it counts as refunded. `failed`: it
    # failed after it was accepted; it no longer counts, and its amount can be refunded again.
    status: Literal["pending", "succeeded", "failed"]
    origin: Origin
    # UTC.
    created_at: str
    # As it was given.
    reason: NotRequired[str]
    # Of a failed one: the provider's reason.
    failure_code: NotRequired[str]


class Dispute(TypedDict):
    # The gateway's.
    dispute_id: str
    # The id that the payment was created under.
    payment_id: str
    # Minor units.
    amount: int
    currency: str
    status: DisputeStatus
    # UTC.
    opened_at: str
    # The provider's word for it.
    reason: NotRequired[str]
    # UTC.
    evidence_due_by: NotRequired[str]
    # UTC.
    closed_at: NotRequired[str]


class CreatePayment(TypedDict):
    """Unknown fields are ignored; a field that is null or empty counts as absent, except an `amount` that is
    null and a `customer_ref` that is empty.
    """

    # Yours: unique per merchant and environment. Cycles of subscriptions have ids of the gateway's own.
    payment_id: str
    # Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not `4200.0`, `1e3` or
    # `"4200"`.
    amount: int
    # An ISO 4217 code in force; answers have it in capitals.
    currency: str
    # `server`, the default: charged at once. `redirect`: the customer pays on a hosted page. `embedded`: that
    # page in a frame of the shop's.
    flow: NotRequired[Literal["server", "redirect", "embedded"]]
    # For the server flow: a token, never a card number. What each token does at the sandbox stands under
    # *Sandbox tokens* below.
    payment_method: NotRequired[str]
    # Where the customer returns to after paying: an absolute https URL (in test also http to this machine).
    # Required for `redirect` and `embedded`.
    success_url: NotRequired[str]
    # Where the customer returns to otherwise. Required for `redirect` and `embedded`.
    cancel_url: NotRequired[str]
    # Shown on hosted pages. At most 64 KiB.
    description: NotRequired[str]
    # An e-mail address. Pre-filled on hosted pages.
    customer_email: NotRequired[str]
    # Pre-filled on hosted pages.
    customer_name: NotRequired[str]
    # Up to 50 strings by name, at most 64 KiB in all, as bytes of JSON. Names that begin with `service_` are
    # dropped. Comes back in events.
    metadata: NotRequired[dict[str, str]]
    # Pre-filled on hosted pages.
    customer_mobile: NotRequired[str]
    # `pkr_wallet` for the wallet: then `flow` is `redirect` or `embedded` and `currency` PKR. Leave it out
    # otherwise.
    payment_method_type: NotRequired[Literal["pkr_wallet"]]
    # The platform's own name for its customer: 1 to 128 characters, none of them a control character,
    # compared byte for byte. Of platforms, in live only, together with `setup_future_usage`.
    customer_ref: NotRequired[str]
    # Saves the method for the customer once the payment is approved, to be charged without the customer
    # (`off_session`) or while the customer is there (`on_session`); the provider learns which. With
    # `off_session` in the server flow `payment_method` may be left out: what was saved last is charged.
    # Requires `customer_ref`.
    setup_future_usage: NotRequired[Literal["on_session", "off_session"]]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class PaymentResult(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    state: PaymentState
    provider: ProviderPart


class Timeline(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    timeline: list[TimelineEntry]


class TimelineEntry(TypedDict):
    # `attempt`: a call to the provider, or what happened there. `event`: an event that was published.
    kind: Literal["attempt", "event"]
    # `authorize`, `capture`, `refund`, `void`, `dispute` and the like; of an event its type.
    operation: str
    # Of an attempt how it went; of an event `published`.
    status: str
    # UTC.
    occurred_at: str
    origin: Origin
    provider: NotRequired[str]
    error_code: NotRequired[str]
    message: NotRequired[str]


class Refunds(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    # Oldest first.
    refunds: list[Refund]


class CapturePayment(TypedDict):
    # Minor units. 0, or no amount: all that was authorized.
    amount: NotRequired[int]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class CaptureResult(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    state: PaymentState
    # Minor units.
    captured_amount: int
    provider: ProviderPart


class RefundPayment(TypedDict):
    # Minor units. 0, or no amount: all that remains. Null is refused.
    amount: NotRequired[int]
    # For your own records. At most 64 KiB.
    reason: NotRequired[str]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class RefundResult(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    state: PaymentState
    # By this request.
    refunded_amount: int
    # In all.
    refunded_total: int
    # What can still be refunded.
    remaining_amount: int
    # Of this refund.
    refund_id: str
    provider: ProviderPart


class VoidPayment(TypedDict):
    # For your own records. At most 64 KiB.
    reason: NotRequired[str]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class CancelPayment(TypedDict):
    # For your own records. At most 64 KiB.
    reason: NotRequired[str]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class EventList(TypedDict):
    # Oldest first.
    events: list[LoggedEvent]
    # Where to go on: send it as `after`. Always there.
    next: str


class LoggedEvent(TypedDict):
    """The event as a destination receives it, byte for byte."""

    id: str
    type: str
    created: str
    merchant: LoggedEventMerchant
    # As the webhook of that type has it.
    data: dict[str, Any]


class LoggedEventMerchant(TypedDict):
    id: str
    entity_id: str


class DisputeList(TypedDict):
    # Newest first.
    disputes: list[Dispute]
    # Where to go on: send it as `after`. Absent on the last page.
    next: NotRequired[str]


class EventTypeList(TypedDict):
    event_types: list[EventTypeListEventType]


class EventTypeListEventType(TypedDict):
    # As in the event's `type`.
    type: str
    # The JSON Schema of the event's `data`; `x-version` is its version.
    schema: dict[str, Any]


class ChargeSavedMethod(TypedDict):
    # Yours: unique per merchant and environment. Cycles of subscriptions have ids of the gateway's own.
    payment_id: str
    # Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not `4200.0`, `1e3` or
    # `"4200"`.
    amount: int
    # An ISO 4217 code in force; answers have it in capitals.
    currency: str
    # The platform's own name for its customer: 1 to 128 characters, none of them a control character,
    # compared byte for byte.
    customer_ref: str
    # The saved method, as the event of the payment that saved it gave it.
    payment_method_id: str
    # Whether the customer is away. It changes nothing here: a provider that wants to see the customer says
    # so.
    off_session: NotRequired[bool]
    # `false`: authorize only.
    auto_capture: NotRequired[bool]
    # Shown on hosted pages. At most 64 KiB.
    description: NotRequired[str]
    # An e-mail address. Pre-filled on hosted pages.
    customer_email: NotRequired[str]
    # Pre-filled on hosted pages.
    customer_name: NotRequired[str]
    # Up to 50 strings by name, at most 64 KiB in all, as bytes of JSON. Names that begin with `service_` are
    # dropped. Comes back in events.
    metadata: NotRequired[dict[str, str]]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class ChargeResult(TypedDict):
    # The id that the payment was created under.
    payment_id: str
    status: Literal["succeeded", "failed", "requires_action"]
    state: PaymentState
    provider: str
    provider_ref: NotRequired[str]
    # For the provider's SDK in the customer's program.
    next_action: NotRequired[ChargeResultNextAction]
    error: NotRequired[ProviderError]


class ChargeResultNextAction(TypedDict):
    """For the provider's SDK in the customer's program."""

    type: Literal["use_provider_sdk"]
    client_secret: str
    connected_account_id: str
    publishable_key: str


class CustomerList(TypedDict):
    # Newest first.
    customers: list[ListedCustomer]
    # Where to go on: send it as `after`. Absent on the last page.
    next: NotRequired[str]


class ListedCustomer(TypedDict):
    customer_ref: str
    provider_customer_id: str
    merchant_id: str
    # The one saved last first. `saved_at` is absent of methods that were last saved before 28 November 2026.
    methods: list[SavedMethod]


class SavedMethod(TypedDict):
    # What charges of the method name.
    payment_method_id: str
    # UTC.
    saved_at: NotRequired[str]


class Customer(TypedDict):
    customer_ref: str
    provider_customer_id: str
    merchant_id: str


class CreateSubscriptionCheckout(TypedDict):
    # Yours: once per merchant.
    subscription_id: str
    # The platform's own name for its customer: 1 to 128 characters, none of them a control character,
    # compared byte for byte.
    customer_ref: str
    # Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not `4200.0`, `1e3` or
    # `"4200"`.
    amount: int
    # An ISO 4217 code in force; answers have it in capitals.
    currency: str
    # How long a cycle is.
    interval: Literal["day", "week", "month", "year"]
    # Where the customer returns to after subscribing: an absolute https URL.
    success_url: str
    # Where the customer returns to otherwise.
    cancel_url: str
    # So many intervals are a cycle. 0 means 1.
    interval_count: NotRequired[int]
    # Free days before the first cycle.
    trial_period_days: NotRequired[int]
    # Shown on the hosted page.
    description: NotRequired[str]
    # Up to 50 strings by name, at most 64 KiB in all, as bytes of JSON. Names that begin with `service_` are
    # dropped. Comes back in events.
    metadata: NotRequired[dict[str, str]]
    # The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
    # `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
    merchant_id: NotRequired[str]


class SubscriptionCheckout(TypedDict):
    subscription_id: str
    status: SubscriptionStatus
    # Send the customer's browser here.
    hosted_url: str
    checkout_session_id: str


class SubscriptionList(TypedDict):
    # Newest first.
    subscriptions: list[Subscription]
    # Where to go on: send it as `after`. Absent on the last page.
    next: NotRequired[str]


class Subscription(TypedDict):
    # Your own id.
    subscription_id: str
    status: SubscriptionStatus
    subscription_status: SubscriptionStatus
    # Minor units, each cycle.
    amount: int
    currency: str
    interval: Literal["day", "week", "month", "year"]
    interval_count: int
    provider_subscription_id: NotRequired[str]
    provider_customer_id: NotRequired[str]
    customer_ref: NotRequired[str]
    # UTC.
    period_start: NotRequired[str]
    # UTC.
    period_end: NotRequired[str]
    # UTC.
    cancel_at: NotRequired[str]
    # UTC.
    canceled_at: NotRequired[str]
    # The provider's event that stated this.
    source_event_id: NotRequired[str]
    # While a cycle needs its customer, as by 3-D Secure: the page where the customer approves the payment.
    hosted_url: NotRequired[str]
    subscription_metadata: NotRequired[dict[str, str]]


class SubscriptionCancel(TypedDict):
    subscription_id: str
    status: SubscriptionStatus
    # UTC.
    canceled_at: NotRequired[str]


class ExchangeConnectToken(TypedDict):
    grant_type: Literal["authorization_code"]
    # The `code` that the browser came back with.
    code: str
    # The address that the browser came back to, byte for byte as it was sent to the consent screen.
    redirect_uri: str


class GrantedAccess(TypedDict):
    # Send it as `Service-Merchant`.
    merchant_id: str
    entity_id: str
    grant_id: str
    granted_scopes: list[Scope]
    # UTC.
    granted_at: str
    platform_id: str
    token_type: Literal["merchant_id"]


class RevokeGrant(TypedDict):
    # Shown to the merchant. Without one: `integrator_requested`.
    reason: NotRequired[str]


class DisputeClosedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["dispute.closed"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A dispute was won or lost. It changes no more. Sent only to endpoints that list it.
    data: DisputeClosedData


class EventMerchant(TypedDict):
    """Whose event it is."""

    id: str
    entity_id: str


class DisputeClosedData(TypedDict):
    """A dispute was won or lost. It changes no more. Sent only to endpoints that list it."""

    # The gateway's id, `dp_…`.
    dispute_id: str
    # The id that the payment was created under.
    payment_id: str
    # What is disputed, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken back, and
    # evidence can be sent until `evidence_due_by`. `under_review`: the bank decides. `won`: the amount was
    # given back, or the inquiry ended. `lost`: the amount stays with the cardholder. The last two are final.
    status: Literal["warning", "needs_response", "under_review", "won", "lost"]
    # When it was opened.
    opened_at: str
    # The provider's word for it.
    reason: NotRequired[str]
    # Until when evidence can be sent to the provider.
    evidence_due_by: NotRequired[str]
    # When it was won or lost.
    closed_at: NotRequired[str]


class DisputeOpenedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["dispute.opened"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A cardholder disputed a payment. The payment's state stays. Sent only to endpoints that list it.
    data: DisputeOpenedData


class DisputeOpenedData(TypedDict):
    """A cardholder disputed a payment. The payment's state stays. Sent only to endpoints that list it."""

    # The gateway's id, `dp_…`.
    dispute_id: str
    # The id that the payment was created under.
    payment_id: str
    # What is disputed, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken back, and
    # evidence can be sent until `evidence_due_by`. `under_review`: the bank decides. `won`: the amount was
    # given back, or the inquiry ended. `lost`: the amount stays with the cardholder. The last two are final.
    status: Literal["warning", "needs_response", "under_review", "won", "lost"]
    # When it was opened.
    opened_at: str
    # The provider's word for it.
    reason: NotRequired[str]
    # Until when evidence can be sent to the provider.
    evidence_due_by: NotRequired[str]
    # When it was won or lost.
    closed_at: NotRequired[str]


class DisputeUpdatedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["dispute.updated"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A dispute changed, and is still open. Its status, its amount or its date. Sent only to endpoints that
    # list it.
    data: DisputeUpdatedData


class DisputeUpdatedData(TypedDict):
    """A dispute changed, and is still open. Its status, its amount or its date. Sent only to endpoints that
    list it.
    """

    # The gateway's id, `dp_…`.
    dispute_id: str
    # The id that the payment was created under.
    payment_id: str
    # What is disputed, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken back, and
    # evidence can be sent until `evidence_due_by`. `under_review`: the bank decides. `won`: the amount was
    # given back, or the inquiry ended. `lost`: the amount stays with the cardholder. The last two are final.
    status: Literal["warning", "needs_response", "under_review", "won", "lost"]
    # When it was opened.
    opened_at: str
    # The provider's word for it.
    reason: NotRequired[str]
    # Until when evidence can be sent to the provider.
    evidence_due_by: NotRequired[str]
    # When it was won or lost.
    closed_at: NotRequired[str]


class PaymentCapturedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.captured"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # Money of a payment was taken. All of what was authorized, or a part of it. Merchants' endpoints receive
    # this type; platforms' endpoints receive the same event as `payment.succeeded`.
    data: PaymentCapturedData


class PaymentCapturedData(TypedDict):
    """Money of a payment was taken. All of what was authorized, or a part of it. Merchants' endpoints
    receive this type; platforms' endpoints receive the same event as `payment.succeeded`.
    """

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The payment's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # What was captured in all, in minor units. Below `amount` if only a part was captured.
    captured_amount: int
    # Present, and true, if the payment had failed before, and was paid after all.
    late: NotRequired[bool]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # The payment method that was saved. Sent only to the merchant and to the platform that made the payment.
    payment_method_id: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class PaymentFailedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.failed"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A payment failed. No money was taken. Also sent for each failed attempt at a subscription's cycle,
    # beside `subscription.invoice_failed`.
    data: PaymentFailedData


class PaymentFailedData(TypedDict):
    """A payment failed. No money was taken. Also sent for each failed attempt at a subscription's cycle,
    beside `subscription.invoice_failed`.
    """

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The payment's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # Why it failed: `card_declined`, `insufficient_funds`, `account_invalid`, `checkout_expired` and others,
    # also the provider's own.
    failure_code: str
    # The kind of reason.
    failure_category: Literal["auth", "validation", "provider", "timeout", "risk", "internal"]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class PaymentPartiallyRefundedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.partially_refunded"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A part of a payment was refunded. One event for each refund that leaves some of the captured amount.
    data: PaymentPartiallyRefundedData


class PaymentPartiallyRefundedData(TypedDict):
    """A part of a payment was refunded. One event for each refund that leaves some of the captured amount."""

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The payment's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # What has been refunded in all so far, in minor units; not this refund alone.
    refunded_amount: int
    # What was captured in all, in minor units; present if anything was.
    captured_amount: NotRequired[int]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class PaymentRefundFailedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.refund_failed"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A refund failed after it had been accepted. Its money stays with the merchant. Sent only to endpoints
    # that list it.
    data: PaymentRefundFailedData


class PaymentRefundFailedData(TypedDict):
    """A refund failed after it had been accepted. Its money stays with the merchant. Sent only to endpoints
    that list it.
    """

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The refund that failed.
    refund_id: str
    # The refund's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # What is refunded in all, in minor units, now without this refund.
    refunded_amount: int
    # Why it failed; may be empty.
    failure_code: str
    # What was captured in all, in minor units; present if anything was.
    captured_amount: NotRequired[int]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class PaymentRefundedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.refunded"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # All of a payment was refunded. The event of the refund that leaves nothing of the captured amount.
    data: PaymentRefundedData


class PaymentRefundedData(TypedDict):
    """All of a payment was refunded. The event of the refund that leaves nothing of the captured amount."""

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The payment's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # What has been refunded in all so far, in minor units; not this refund alone.
    refunded_amount: int
    # What was captured in all, in minor units; present if anything was.
    captured_amount: NotRequired[int]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class PaymentSucceededEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.succeeded"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # Money of a payment was taken, as platforms receive it. Platforms' endpoints receive this type;
    # merchants' endpoints receive the same event as `payment.captured`.
    data: PaymentSucceededData


class PaymentSucceededData(TypedDict):
    """Money of a payment was taken, as platforms receive it. Platforms' endpoints receive this type;
    merchants' endpoints receive the same event as `payment.captured`.
    """

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The payment's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # What was captured in all, in minor units. Below `amount` if only a part was captured.
    captured_amount: int
    # Present, and true, if the payment had failed before, and was paid after all.
    late: NotRequired[bool]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # The payment method that was saved. Sent only to the merchant and to the platform that made the payment.
    payment_method_id: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class PaymentVoidedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["payment.voided"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # An authorization was released. No money was taken. Sent only to endpoints that list it.
    data: PaymentVoidedData


class PaymentVoidedData(TypedDict):
    """An authorization was released. No money was taken. Sent only to endpoints that list it."""

    # The id that the payment was created under. A subscription's cycle has an id of the gateway's own.
    payment_id: str
    # The payment's state at the time of the event.
    state: Literal[
        "created",
        "processing",
        "authorized",
        "captured",
        "partially_refunded",
        "refunded",
        "failed",
        "voided",
    ]
    # The payment's amount, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # `requested`: by the API, the portal or an operator. `authorization_expired`: its time was over.
    # `cancelled_at_provider`: it was cancelled there.
    void_reason: Literal["requested", "authorization_expired", "cancelled_at_provider"]
    # What was captured in all, in minor units; present if anything was.
    captured_amount: NotRequired[int]
    # The customer, where the payment has one. Sent only to the merchant and to the platform that made the
    # payment.
    customer_ref: NotRequired[str]
    # As given when the payment was created. Sent only to the merchant and to the platform that made the
    # payment.
    metadata: NotRequired[dict[str, str]]


class SubscriptionActivatedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["subscription.activated"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A subscription began. The provider created it after its checkout; once for each subscription. Sent to
    # the merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
    data: SubscriptionActivatedData


class SubscriptionActivatedData(TypedDict):
    """A subscription began. The provider created it after its checkout; once for each subscription. Sent to
    the merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
    """

    # `sub_<merchant>_<the provider's id>`.
    subscription_id: str
    # The provider's id.
    provider_subscription_id: str
    # The provider's status at the time of the event; `canceled` and `incomplete_expired` are final.
    subscription_status: Literal[
        "pending",
        "failed",
        "incomplete",
        "trialing",
        "active",
        "past_due",
        "unpaid",
        "paused",
        "incomplete_expired",
        "canceled",
    ]
    # The price of a cycle, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # The unit of a cycle.
    interval: Literal["day", "week", "month", "year"]
    # The number of units in a cycle.
    interval_count: int
    # The provider's event that caused this one.
    source_event_id: str
    # The provider's id of the customer.
    provider_customer_id: NotRequired[str]
    # The platform's reference of the customer.
    customer_ref: NotRequired[str]
    # When the present cycle begins.
    period_start: NotRequired[str]
    # When the present cycle ends.
    period_end: NotRequired[str]
    # When it will end, if that is planned.
    cancel_at: NotRequired[str]
    # When it was canceled.
    canceled_at: NotRequired[str]
    # The subscription's own metadata, unchanged.
    subscription_metadata: NotRequired[dict[str, str]]


class SubscriptionCanceledEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["subscription.canceled"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A subscription ended. It was canceled, or its first invoice was never paid; once for each subscription.
    # Sent to the merchant and to the platform that opened the subscription. Sent only to endpoints that list
    # it.
    data: SubscriptionCanceledData


class SubscriptionCanceledData(TypedDict):
    """A subscription ended. It was canceled, or its first invoice was never paid; once for each
    subscription. Sent to the merchant and to the platform that opened the subscription. Sent only to
    endpoints that list it.
    """

    # `sub_<merchant>_<the provider's id>`.
    subscription_id: str
    # The provider's id.
    provider_subscription_id: str
    # The provider's status at the time of the event; `canceled` and `incomplete_expired` are final.
    subscription_status: Literal[
        "pending",
        "failed",
        "incomplete",
        "trialing",
        "active",
        "past_due",
        "unpaid",
        "paused",
        "incomplete_expired",
        "canceled",
    ]
    # The price of a cycle, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # The unit of a cycle.
    interval: Literal["day", "week", "month", "year"]
    # The number of units in a cycle.
    interval_count: int
    # The provider's event that caused this one.
    source_event_id: str
    # The provider's id of the customer.
    provider_customer_id: NotRequired[str]
    # The platform's reference of the customer.
    customer_ref: NotRequired[str]
    # When the present cycle begins.
    period_start: NotRequired[str]
    # When the present cycle ends.
    period_end: NotRequired[str]
    # When it will end, if that is planned.
    cancel_at: NotRequired[str]
    # When it was canceled.
    canceled_at: NotRequired[str]
    # The subscription's own metadata, unchanged.
    subscription_metadata: NotRequired[dict[str, str]]


class SubscriptionInvoiceFailedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["subscription.invoice_failed"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # An attempt to collect a cycle of a subscription failed. Amount and period are the invoice's. Sent for
    # each attempt, and once more when the provider gives up; `payment.failed` is sent beside it. Sent to the
    # merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
    data: SubscriptionInvoiceFailedData


class SubscriptionInvoiceFailedData(TypedDict):
    """An attempt to collect a cycle of a subscription failed. Amount and period are the invoice's. Sent for
    each attempt, and once more when the provider gives up; `payment.failed` is sent beside it. Sent to
    the merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
    """

    # `sub_<merchant>_<the provider's id>`.
    subscription_id: str
    # The provider's id.
    provider_subscription_id: str
    # The provider's status at the time of the event; `canceled` and `incomplete_expired` are final.
    subscription_status: Literal[
        "pending",
        "failed",
        "incomplete",
        "trialing",
        "active",
        "past_due",
        "unpaid",
        "paused",
        "incomplete_expired",
        "canceled",
    ]
    # The invoice's amount, in minor units, which may differ from the price.
    amount: int
    # The ISO 4217 code.
    currency: str
    # The unit of a cycle.
    interval: Literal["day", "week", "month", "year"]
    # The number of units in a cycle.
    interval_count: int
    # The provider's event that caused this one.
    source_event_id: str
    # The provider's id of the customer.
    provider_customer_id: NotRequired[str]
    # The platform's reference of the customer.
    customer_ref: NotRequired[str]
    # When the invoice's period begins.
    period_start: NotRequired[str]
    # When the invoice's period ends.
    period_end: NotRequired[str]
    # When it will end, if that is planned.
    cancel_at: NotRequired[str]
    # When it was canceled.
    canceled_at: NotRequired[str]
    # Present where the customer must approve the payment: the page for it.
    hosted_url: NotRequired[str]
    # The subscription's own metadata, unchanged.
    subscription_metadata: NotRequired[dict[str, str]]


class SubscriptionInvoicePaidEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["subscription.invoice_paid"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A cycle of a subscription was paid. Amount and period are the invoice's. `payment.captured` (for
    # platforms `payment.succeeded`) is sent beside it, unless the amount is 0. Sent to the merchant and to
    # the platform that opened the subscription. Sent only to endpoints that list it.
    data: SubscriptionInvoicePaidData


class SubscriptionInvoicePaidData(TypedDict):
    """A cycle of a subscription was paid. Amount and period are the invoice's. `payment.captured` (for
    platforms `payment.succeeded`) is sent beside it, unless the amount is 0. Sent to the merchant and to
    the platform that opened the subscription. Sent only to endpoints that list it.
    """

    # `sub_<merchant>_<the provider's id>`.
    subscription_id: str
    # The provider's id.
    provider_subscription_id: str
    # The provider's status at the time of the event; `canceled` and `incomplete_expired` are final.
    subscription_status: Literal[
        "pending",
        "failed",
        "incomplete",
        "trialing",
        "active",
        "past_due",
        "unpaid",
        "paused",
        "incomplete_expired",
        "canceled",
    ]
    # The invoice's amount, in minor units, which may differ from the price.
    amount: int
    # The ISO 4217 code.
    currency: str
    # The unit of a cycle.
    interval: Literal["day", "week", "month", "year"]
    # The number of units in a cycle.
    interval_count: int
    # The provider's event that caused this one.
    source_event_id: str
    # The provider's id of the customer.
    provider_customer_id: NotRequired[str]
    # The platform's reference of the customer.
    customer_ref: NotRequired[str]
    # When the invoice's period begins.
    period_start: NotRequired[str]
    # When the invoice's period ends.
    period_end: NotRequired[str]
    # When it will end, if that is planned.
    cancel_at: NotRequired[str]
    # When it was canceled.
    canceled_at: NotRequired[str]
    # The subscription's own metadata, unchanged.
    subscription_metadata: NotRequired[dict[str, str]]


class SubscriptionUpdatedEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["subscription.updated"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A subscription changed at the provider, and goes on. Its status, price, period or planned end. Sent to
    # the merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
    data: SubscriptionUpdatedData


class SubscriptionUpdatedData(TypedDict):
    """A subscription changed at the provider, and goes on. Its status, price, period or planned end. Sent to
    the merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
    """

    # `sub_<merchant>_<the provider's id>`.
    subscription_id: str
    # The provider's id.
    provider_subscription_id: str
    # The provider's status at the time of the event; `canceled` and `incomplete_expired` are final.
    subscription_status: Literal[
        "pending",
        "failed",
        "incomplete",
        "trialing",
        "active",
        "past_due",
        "unpaid",
        "paused",
        "incomplete_expired",
        "canceled",
    ]
    # The price of a cycle, in minor units.
    amount: int
    # The ISO 4217 code.
    currency: str
    # The unit of a cycle.
    interval: Literal["day", "week", "month", "year"]
    # The number of units in a cycle.
    interval_count: int
    # The provider's event that caused this one.
    source_event_id: str
    # The provider's id of the customer.
    provider_customer_id: NotRequired[str]
    # The platform's reference of the customer.
    customer_ref: NotRequired[str]
    # When the present cycle begins.
    period_start: NotRequired[str]
    # When the present cycle ends.
    period_end: NotRequired[str]
    # When it will end, if that is planned.
    cancel_at: NotRequired[str]
    # When it was canceled.
    canceled_at: NotRequired[str]
    # The subscription's own metadata, unchanged.
    subscription_metadata: NotRequired[dict[str, str]]


class WebhookTestEvent(TypedDict):
    # The same for all of your endpoints and in every attempt.
    id: str
    type: Literal["webhook.test"]
    # UTC.
    created: str
    # Whose event it is.
    merchant: EventMerchant
    # A test of the endpoint was asked for in the portal. It belongs to no payment, is sent to that endpoint
    # alone, and cannot be listed.
    data: WebhookTestData


class WebhookTestData(TypedDict):
    """A test of the endpoint was asked for in the portal. It belongs to no payment, is sent to that endpoint
    alone, and cannot be listed.
    """

    # The endpoint's id in the portal.
    destination_id: str
    # For people.
    message: str


# An event, as a webhook carries it and as the list of events has it.
Event: TypeAlias = (
    DisputeClosedEvent
    | DisputeOpenedEvent
    | DisputeUpdatedEvent
    | PaymentCapturedEvent
    | PaymentFailedEvent
    | PaymentPartiallyRefundedEvent
    | PaymentRefundFailedEvent
    | PaymentRefundedEvent
    | PaymentSucceededEvent
    | PaymentVoidedEvent
    | SubscriptionActivatedEvent
    | SubscriptionCanceledEvent
    | SubscriptionInvoiceFailedEvent
    | SubscriptionInvoicePaidEvent
    | SubscriptionUpdatedEvent
    | WebhookTestEvent
)

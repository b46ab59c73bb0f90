// Written by tools/clients/generate from docs/openapi.json. Do not edit.

export interface PaymentList {
  /** Newest first. */
  payments: Payment[];
  /** Where to go on: send it as `after`. Absent on the last page. */
  next?: string;
}

export interface Payment {
  /** The id that the payment was created under. */
  payment_id: string;
  state: PaymentState;
  provider: ProviderPart;
  /** Minor units. */
  amount: number;
  currency: string;
  /** Minor units. Below `amount` if only a part was captured. */
  captured_amount: number;
  /** Minor units. */
  refunded_total: number;
  /**
   * Minor units: what can still be refunded. 0 before a capture. What was lost in a dispute
   * cannot be refunded.
   */
  remaining_amount: number;
  /**
   * Minor units: what open disputes have taken back. While it is above 0, a refund is 409
   * `payment disputed`.
   */
  disputed_amount: number;
  /** Those that the provider accepted, oldest first. */
  refunds: Refund[];
  /** Oldest first. */
  disputes: Dispute[];
  /** UTC. */
  created_at: string;
  description?: string;
  /** Only to the merchant and the platform that made the payment. */
  customer_ref?: string;
  /** Only to the merchant and the platform that made the payment. */
  metadata?: Record<string, string>;
}

/**
 * `processing`: the customer must act at `provider.hosted_url`, or the outcome is still open.
 * `authorized`: the money is reserved: capture or void. `captured`: taken: refund.
 * `partially_refunded`, `refunded`: some or all of it went back. `voided`: the reservation is
 * released. `failed`: `provider.error` says why.
 */
export type PaymentState =
  | "created"
  | "processing"
  | "authorized"
  | "captured"
  | "partially_refunded"
  | "refunded"
  | "failed"
  | "voided";

export interface ProviderPart {
  /** How the provider answered. */
  status: "pending" | "approved" | "declined";
  /** Which provider. Left out for a wallet merchant. */
  provider?: string;
  /** The provider's name for the payment, once it has one. Left out for a wallet merchant. */
  provider_ref?: string;
  /** Send the customer's browser here. */
  hosted_url?: string;
  error?: ProviderError;
}

export interface ProviderError {
  category: "auth" | "validation" | "provider" | "timeout" | "risk" | "internal";
  /**
   * The same word whichever provider said it, where there is one: `card_declined`,
   * `insufficient_funds`, `expired_card`, `incorrect_cvc`, `authentication_required`,
   * `processing_error`, `provider_unavailable`, `account_invalid`, `risk_blocked`,
   * `checkout_expired`, `payment_method_not_found`, `customer_not_found`. Any other is the
   * provider's own. A wallet merchant's are neutral: `PAYMENT_DECLINED`, `PAYMENT_EXPIRED`,
   * `PAYMENT_OUTCOME_UNKNOWN`, `PAYMENT_FAILED`.
   */
  code: string;
  /** For people. */
  message: string;
  /** Whether the customer may try again. */
  retryable: boolean;
  /**
   * Only if it is not known whether it happened: the gateway asks until it knows. Do not start a
   * second payment before you know.
   */
  outcome?: "unknown";
}

export interface Refund {
  /** The gateway's. */
  refund_id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /**
   * `pending`: the provider has accepted it and carries it out later; it counts as refunded.
   * `failed`: it failed after it was accepted; it no longer counts, and its amount can be
   * refunded again.
   */
  status: "pending" | "succeeded" | "failed";
  origin: Origin;
  /** UTC. */
  created_at: string;
  /** As it was given. */
  reason?: string;
  /** Of a failed one: the provider's reason. */
  failure_code?: string;
}

/**
 * Who caused it: `api`, `portal`, `provider` (it happened there, or the customer, the bank or
 * time did it), `operator` (of the gateway), `system` (the gateway itself, such as an expiry).
 */
export type Origin = "api" | "portal" | "provider" | "operator" | "system";

export interface Dispute {
  /** The gateway's. */
  dispute_id: string;
  /** The id that the payment was created under. */
  payment_id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  status: DisputeStatus;
  /** UTC. */
  opened_at: string;
  /** The provider's word for it. */
  reason?: string;
  /** UTC. */
  evidence_due_by?: string;
  /** UTC. */
  closed_at?: string;
}

/**
 * `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken back,
 * and evidence can be sent until `evidence_due_by`. `under_review`: the bank decides. `won`: the
 * amount was given back, or the inquiry ended. `lost`: the amount stays with the cardholder. The
 * last two are final.
 */
export type DisputeStatus = "warning" | "needs_response" | "under_review" | "won" | "lost";

/**
 * Unknown fields are ignored; a field that is null or empty counts as absent, except an `amount`
 * that is null and a `customer_ref` that is empty.
 */
export interface CreatePayment {
  /**
   * Yours: unique per merchant and environment. Cycles of subscriptions have ids of the gateway's
   * own.
   */
  payment_id: string;
  /**
   * Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not `4200.0`,
   * `1e3` or `"4200"`.
   */
  amount: number;
  /** An ISO 4217 code in force; answers have it in capitals. */
  currency: string;
  /**
   * `server`, the default: charged at once. `redirect`: the customer pays on a hosted page.
   * `embedded`: that page in a frame of the shop's.
   */
  flow?: "server" | "redirect" | "embedded";
  /**
   * For the server flow: a token, never a card number. What each token does at the sandbox stands
   * under *Sandbox tokens* below.
   */
  payment_method?: string;
  /**
   * Where the customer returns to after paying: an absolute https URL (in test also http to this
   * machine). Required for `redirect` and `embedded`.
   */
  success_url?: string;
  /** Where the customer returns to otherwise. Required for `redirect` and `embedded`. */
  cancel_url?: string;
  /** Shown on hosted pages. At most 64 KiB. */
  description?: string;
  /** An e-mail address. Pre-filled on hosted pages. */
  customer_email?: string;
  /** Pre-filled on hosted pages. */
  customer_name?: string;
  /**
   * Up to 50 strings by name, at most 64 KiB in all, as bytes of JSON. Names that begin with
   * `service_` are dropped. Comes back in events.
   */
  metadata?: Record<string, string>;
  /** Pre-filled on hosted pages. */
  customer_mobile?: string;
  /**
   * `pkr_wallet` for the wallet: then `flow` is `redirect` or `embedded` and `currency` PKR.
   * Leave it out otherwise.
   */
  payment_method_type?: "pkr_wallet";
  /**
   * The platform's own name for its customer: 1 to 128 characters, none of them a control
   * character, compared byte for byte. Of platforms, in live only, together with
   * `setup_future_usage`.
   */
  customer_ref?: string;
  /**
   * Saves the method for the customer once the payment is approved, to be charged without the
   * customer (`off_session`) or while the customer is there (`on_session`); the provider learns
   * which. With `off_session` in the server flow `payment_method` may be left out: what was saved
   * last is charged. Requires `customer_ref`.
   */
  setup_future_usage?: "on_session" | "off_session";
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface PaymentResult {
  /** The id that the payment was created under. */
  payment_id: string;
  state: PaymentState;
  provider: ProviderPart;
}

export interface Timeline {
  /** The id that the payment was created under. */
  payment_id: string;
  timeline: TimelineEntry[];
}

export interface TimelineEntry {
  /**
   * `attempt`: a call to the provider, or what happened there. `event`: an event that was
   * published.
   */
  kind: "attempt" | "event";
  /** `authorize`, `capture`, `refund`, `void`, `dispute` and the like; of an event its type. */
  operation: string;
  /** Of an attempt how it went; of an event `published`. */
  status: string;
  /** UTC. */
  occurred_at: string;
  origin: Origin;
  provider?: string;
  error_code?: string;
  message?: string;
}

export interface Refunds {
  /** The id that the payment was created under. */
  payment_id: string;
  /** Oldest first. */
  refunds: Refund[];
}

export interface CapturePayment {
  /** Minor units. 0, or no amount: all that was authorized. */
  amount?: number;
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface CaptureResult {
  /** The id that the payment was created under. */
  payment_id: string;
  state: PaymentState;
  /** Minor units. */
  captured_amount: number;
  provider: ProviderPart;
}

export interface RefundPayment {
  /** Minor units. 0, or no amount: all that remains. Null is refused. */
  amount?: number;
  /** For your own records. At most 64 KiB. */
  reason?: string;
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface RefundResult {
  /** The id that the payment was created under. */
  payment_id: string;
  state: PaymentState;
  /** By this request. */
  refunded_amount: number;
  /** In all. */
  refunded_total: number;
  /** What can still be refunded. */
  remaining_amount: number;
  /** Of this refund. */
  refund_id: string;
  provider: ProviderPart;
}

export interface VoidPayment {
  /** For your own records. At most 64 KiB. */
  reason?: string;
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface CancelPayment {
  /** For your own records. At most 64 KiB. */
  reason?: string;
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface EventList {
  /** Oldest first. */
  events: LoggedEvent[];
  /** Where to go on: send it as `after`. Always there. */
  next: string;
}

/** The event as a destination receives it, byte for byte. */
export interface LoggedEvent {
  id: string;
  type: string;
  created: string;
  merchant: LoggedEventMerchant;
  /** As the webhook of that type has it. */
  data: Record<string, unknown>;
}

export interface LoggedEventMerchant {
  id: string;
  entity_id: string;
}

export interface DisputeList {
  /** Newest first. */
  disputes: Dispute[];
  /** Where to go on: send it as `after`. Absent on the last page. */
  next?: string;
}

export interface EventTypeList {
  event_types: EventTypeListEventType[];
}

export interface EventTypeListEventType {
  /** As in the event's `type`. */
  type: string;
  /** The JSON Schema of the event's `data`; `x-version` is its version. */
  schema: Record<string, unknown>;
}

export interface ChargeSavedMethod {
  /**
   * Yours: unique per merchant and environment. Cycles of subscriptions have ids of the gateway's
   * own.
   */
  payment_id: string;
  /**
   * Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not `4200.0`,
   * `1e3` or `"4200"`.
   */
  amount: number;
  /** An ISO 4217 code in force; answers have it in capitals. */
  currency: string;
  /**
   * The platform's own name for its customer: 1 to 128 characters, none of them a control
   * character, compared byte for byte.
   */
  customer_ref: string;
  /** The saved method, as the event of the payment that saved it gave it. */
  payment_method_id: string;
  /**
   * Whether the customer is away. It changes nothing here: a provider that wants to see the
   * customer says so.
   */
  off_session?: boolean;
  /** `false`: authorize only. */
  auto_capture?: boolean;
  /** Shown on hosted pages. At most 64 KiB. */
  description?: string;
  /** An e-mail address. Pre-filled on hosted pages. */
  customer_email?: string;
  /** Pre-filled on hosted pages. */
  customer_name?: string;
  /**
   * Up to 50 strings by name, at most 64 KiB in all, as bytes of JSON. Names that begin with
   * `service_` are dropped. Comes back in events.
   */
  metadata?: Record<string, string>;
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface ChargeResult {
  /** The id that the payment was created under. */
  payment_id: string;
  status: "succeeded" | "failed" | "requires_action";
  state: PaymentState;
  provider: string;
  provider_ref?: string;
  /** For the provider's SDK in the customer's program. */
  next_action?: ChargeResultNextAction;
  error?: ProviderError;
}

/** For the provider's SDK in the customer's program. */
export interface ChargeResultNextAction {
  type: "use_provider_sdk";
  client_secret: string;
  connected_account_id: string;
  publishable_key: string;
}

export interface CustomerList {
  /** Newest first. */
  customers: ListedCustomer[];
  /** Where to go on: send it as `after`. Absent on the last page. */
  next?: string;
}

export interface ListedCustomer {
  customer_ref: string;
  provider_customer_id: string;
  merchant_id: string;
  /**
   * The one saved last first. `saved_at` is absent of methods that were last saved before 28
   * November 2026.
   */
  methods: SavedMethod[];
}

export interface SavedMethod {
  /** What charges of the method name. */
  payment_method_id: string;
  /** UTC. */
  saved_at?: string;
}

export interface Customer {
  customer_ref: string;
  provider_customer_id: string;
  merchant_id: string;
}

export interface CreateSubscriptionCheckout {
  /** Yours: once per merchant. */
  subscription_id: string;
  /**
   * The platform's own name for its customer: 1 to 128 characters, none of them a control
   * character, compared byte for byte.
   */
  customer_ref: string;
  /**
   * Whole minor units: 4200 HKD is 42.00 Hong Kong dollars. Written as an integer: not `4200.0`,
   * `1e3` or `"4200"`.
   */
  amount: number;
  /** An ISO 4217 code in force; answers have it in capitals. */
  currency: string;
  /** How long a cycle is. */
  interval: "day" | "week" | "month" | "year";
  /** Where the customer returns to after subscribing: an absolute https URL. */
  success_url: string;
  /** Where the customer returns to otherwise. */
  cancel_url: string;
  /** So many intervals are a cycle. 0 means 1. */
  interval_count?: number;
  /** Free days before the first cycle. */
  trial_period_days?: number;
  /** Shown on the hosted page. */
  description?: string;
  /**
   * Up to 50 strings by name, at most 64 KiB in all, as bytes of JSON. Names that begin with
   * `service_` are dropped. Comes back in events.
   */
  metadata?: Record<string, string>;
  /**
   * The merchant whom the request is for. Leave it out, or name the one whose key signed (or whom
   * `Service-Merchant` names): any other is 400 `merchant_id_mismatch`.
   */
  merchant_id?: string;
}

export interface SubscriptionCheckout {
  subscription_id: string;
  status: SubscriptionStatus;
  /** Send the customer's browser here. */
  hosted_url: string;
  checkout_session_id: string;
}

/**
 * `pending`: the checkout has not been paid yet. `failed`: the checkout could not be opened. All
 * others are the provider's; `canceled` and `incomplete_expired` are final.
 */
export type SubscriptionStatus =
  | "pending"
  | "failed"
  | "incomplete"
  | "trialing"
  | "active"
  | "past_due"
  | "unpaid"
  | "paused"
  | "incomplete_expired"
  | "canceled";

export interface SubscriptionList {
  /** Newest first. */
  subscriptions: Subscription[];
  /** Where to go on: send it as `after`. Absent on the last page. */
  next?: string;
}

export interface Subscription {
  /** Your own id. */
  subscription_id: string;
  status: SubscriptionStatus;
  subscription_status: SubscriptionStatus;
  /** Minor units, each cycle. */
  amount: number;
  currency: string;
  interval: "day" | "week" | "month" | "year";
  interval_count: number;
  provider_subscription_id?: string;
  provider_customer_id?: string;
  customer_ref?: string;
  /** UTC. */
  period_start?: string;
  /** UTC. */
  period_end?: string;
  /** UTC. */
  cancel_at?: string;
  /** UTC. */
  canceled_at?: string;
  /** The provider's event that stated this. */
  source_event_id?: string;
  /**
   * While a cycle needs its customer, as by 3-D Secure: the page where the customer approves the
   * payment.
   */
  hosted_url?: string;
  subscription_metadata?: Record<string, string>;
}

export interface SubscriptionCancel {
  subscription_id: string;
  status: SubscriptionStatus;
  /** UTC. */
  canceled_at?: string;
}

export interface ExchangeConnectToken {
  grant_type: "authorization_code";
  /** The `code` that the browser came back with. */
  code: string;
  /**
   * The address that the browser came back to, byte for byte as it was sent to the consent
   * screen.
   */
  redirect_uri: string;
}

export interface GrantedAccess {
  /** Send it as `Service-Merchant`. */
  merchant_id: string;
  entity_id: string;
  grant_id: string;
  granted_scopes: Scope[];
  /** UTC. */
  granted_at: string;
  platform_id: string;
  token_type: "merchant_id";
}

export type Scope =
  | "payments:write"
  | "payments:read"
  | "customers:read"
  | "refunds:write"
  | "payouts:read"
  | "customers:write"
  | "mcp:read"
  | "webhooks:configure"
  | "*";

export interface RevokeGrant {
  /** Shown to the merchant. Without one: `integrator_requested`. */
  reason?: string;
}

export interface DisputeClosedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "dispute.closed";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /** A dispute was won or lost. It changes no more. Sent only to endpoints that list it. */
  data: DisputeClosedData;
}

/** Whose event it is. */
export interface EventMerchant {
  id: string;
  entity_id: string;
}

/** A dispute was won or lost. It changes no more. Sent only to endpoints that list it. */
export interface DisputeClosedData {
  /** The gateway's id, `dp_…`. */
  dispute_id: string;
  /** The id that the payment was created under. */
  payment_id: string;
  /** What is disputed, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /**
   * `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken
   * back, and evidence can be sent until `evidence_due_by`. `under_review`: the bank decides.
   * `won`: the amount was given back, or the inquiry ended. `lost`: the amount stays with the
   * cardholder. The last two are final.
   */
  status: "warning" | "needs_response" | "under_review" | "won" | "lost";
  /** When it was opened. */
  opened_at: string;
  /** The provider's word for it. */
  reason?: string;
  /** Until when evidence can be sent to the provider. */
  evidence_due_by?: string;
  /** When it was won or lost. */
  closed_at?: string;
}

export interface DisputeOpenedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "dispute.opened";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A cardholder disputed a payment. The payment's state stays. Sent only to endpoints that list
   * it.
   */
  data: DisputeOpenedData;
}

/**
 * A cardholder disputed a payment. The payment's state stays. Sent only to endpoints that list
 * it.
 */
export interface DisputeOpenedData {
  /** The gateway's id, `dp_…`. */
  dispute_id: string;
  /** The id that the payment was created under. */
  payment_id: string;
  /** What is disputed, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /**
   * `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken
   * back, and evidence can be sent until `evidence_due_by`. `under_review`: the bank decides.
   * `won`: the amount was given back, or the inquiry ended. `lost`: the amount stays with the
   * cardholder. The last two are final.
   */
  status: "warning" | "needs_response" | "under_review" | "won" | "lost";
  /** When it was opened. */
  opened_at: string;
  /** The provider's word for it. */
  reason?: string;
  /** Until when evidence can be sent to the provider. */
  evidence_due_by?: string;
  /** When it was won or lost. */
  closed_at?: string;
}

export interface DisputeUpdatedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "dispute.updated";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A dispute changed, and is still open. Its status, its amount or its date. Sent only to
   * endpoints that list it.
   */
  data: DisputeUpdatedData;
}

/**
 * A dispute changed, and is still open. Its status, its amount or its date. Sent only to
 * endpoints that list it.
 */
export interface DisputeUpdatedData {
  /** The gateway's id, `dp_…`. */
  dispute_id: string;
  /** The id that the payment was created under. */
  payment_id: string;
  /** What is disputed, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /**
   * `warning`: the bank inquires; no money has moved. `needs_response`: the amount was taken
   * back, and evidence can be sent until `evidence_due_by`. `under_review`: the bank decides.
   * `won`: the amount was given back, or the inquiry ended. `lost`: the amount stays with the
   * cardholder. The last two are final.
   */
  status: "warning" | "needs_response" | "under_review" | "won" | "lost";
  /** When it was opened. */
  opened_at: string;
  /** The provider's word for it. */
  reason?: string;
  /** Until when evidence can be sent to the provider. */
  evidence_due_by?: string;
  /** When it was won or lost. */
  closed_at?: string;
}

export interface PaymentCapturedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.captured";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * Money of a payment was taken. All of what was authorized, or a part of it. Merchants'
   * endpoints receive this type; platforms' endpoints receive the same event as
   * `payment.succeeded`.
   */
  data: PaymentCapturedData;
}

/**
 * Money of a payment was taken. All of what was authorized, or a part of it. Merchants' endpoints
 * receive this type; platforms' endpoints receive the same event as `payment.succeeded`.
 */
export interface PaymentCapturedData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The payment's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** What was captured in all, in minor units. Below `amount` if only a part was captured. */
  captured_amount: number;
  /** Present, and true, if the payment had failed before, and was paid after all. */
  late?: boolean;
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * The payment method that was saved. Sent only to the merchant and to the platform that made
   * the payment.
   */
  payment_method_id?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface PaymentFailedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.failed";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A payment failed. No money was taken. Also sent for each failed attempt at a subscription's
   * cycle, beside `subscription.invoice_failed`.
   */
  data: PaymentFailedData;
}

/**
 * A payment failed. No money was taken. Also sent for each failed attempt at a subscription's
 * cycle, beside `subscription.invoice_failed`.
 */
export interface PaymentFailedData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The payment's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /**
   * Why it failed: `card_declined`, `insufficient_funds`, `account_invalid`, `checkout_expired`
   * and others, also the provider's own.
   */
  failure_code: string;
  /** The kind of reason. */
  failure_category: "auth" | "validation" | "provider" | "timeout" | "risk" | "internal";
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface PaymentPartiallyRefundedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.partially_refunded";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A part of a payment was refunded. One event for each refund that leaves some of the captured
   * amount.
   */
  data: PaymentPartiallyRefundedData;
}

/**
 * A part of a payment was refunded. One event for each refund that leaves some of the captured
 * amount.
 */
export interface PaymentPartiallyRefundedData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The payment's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** What has been refunded in all so far, in minor units; not this refund alone. */
  refunded_amount: number;
  /** What was captured in all, in minor units; present if anything was. */
  captured_amount?: number;
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface PaymentRefundFailedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.refund_failed";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A refund failed after it had been accepted. Its money stays with the merchant. Sent only to
   * endpoints that list it.
   */
  data: PaymentRefundFailedData;
}

/**
 * A refund failed after it had been accepted. Its money stays with the merchant. Sent only to
 * endpoints that list it.
 */
export interface PaymentRefundFailedData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The refund that failed. */
  refund_id: string;
  /** The refund's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** What is refunded in all, in minor units, now without this refund. */
  refunded_amount: number;
  /** Why it failed; may be empty. */
  failure_code: string;
  /** What was captured in all, in minor units; present if anything was. */
  captured_amount?: number;
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface PaymentRefundedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.refunded";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * All of a payment was refunded. The event of the refund that leaves nothing of the captured
   * amount.
   */
  data: PaymentRefundedData;
}

/**
 * All of a payment was refunded. The event of the refund that leaves nothing of the captured
 * amount.
 */
export interface PaymentRefundedData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The payment's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** What has been refunded in all so far, in minor units; not this refund alone. */
  refunded_amount: number;
  /** What was captured in all, in minor units; present if anything was. */
  captured_amount?: number;
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface PaymentSucceededEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.succeeded";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * Money of a payment was taken, as platforms receive it. Platforms' endpoints receive this
   * type; merchants' endpoints receive the same event as `payment.captured`.
   */
  data: PaymentSucceededData;
}

/**
 * Money of a payment was taken, as platforms receive it. Platforms' endpoints receive this type;
 * merchants' endpoints receive the same event as `payment.captured`.
 */
export interface PaymentSucceededData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The payment's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** What was captured in all, in minor units. Below `amount` if only a part was captured. */
  captured_amount: number;
  /** Present, and true, if the payment had failed before, and was paid after all. */
  late?: boolean;
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * The payment method that was saved. Sent only to the merchant and to the platform that made
   * the payment.
   */
  payment_method_id?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface PaymentVoidedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "payment.voided";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /** An authorization was released. No money was taken. Sent only to endpoints that list it. */
  data: PaymentVoidedData;
}

/** An authorization was released. No money was taken. Sent only to endpoints that list it. */
export interface PaymentVoidedData {
  /**
   * The id that the payment was created under. A subscription's cycle has an id of the gateway's
   * own.
   */
  payment_id: string;
  /** The payment's state at the time of the event. */
  state:
    | "created"
    | "processing"
    | "authorized"
    | "captured"
    | "partially_refunded"
    | "refunded"
    | "failed"
    | "voided";
  /** The payment's amount, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /**
   * `requested`: by the API, the portal or an operator. `authorization_expired`: its time was
   * over. `cancelled_at_provider`: it was cancelled there.
   */
  void_reason: "requested" | "authorization_expired" | "cancelled_at_provider";
  /** What was captured in all, in minor units; present if anything was. */
  captured_amount?: number;
  /**
   * The customer, where the payment has one. Sent only to the merchant and to the platform that
   * made the payment.
   */
  customer_ref?: string;
  /**
   * As given when the payment was created. Sent only to the merchant and to the platform that
   * made the payment.
   */
  metadata?: Record<string, string>;
}

export interface SubscriptionActivatedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "subscription.activated";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A subscription began. The provider created it after its checkout; once for each subscription.
   * Sent to the merchant and to the platform that opened the subscription. Sent only to endpoints
   * that list it.
   */
  data: SubscriptionActivatedData;
}

/**
 * A subscription began. The provider created it after its checkout; once for each subscription.
 * Sent to the merchant and to the platform that opened the subscription. Sent only to endpoints
 * that list it.
 */
export interface SubscriptionActivatedData {
  /** `sub_<merchant>_<the provider's id>`. */
  subscription_id: string;
  /** The provider's id. */
  provider_subscription_id: string;
  /**
   * The provider's status at the time of the event; `canceled` and `incomplete_expired` are
   * final.
   */
  subscription_status:
    | "pending"
    | "failed"
    | "incomplete"
    | "trialing"
    | "active"
    | "past_due"
    | "unpaid"
    | "paused"
    | "incomplete_expired"
    | "canceled";
  /** The price of a cycle, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** The unit of a cycle. */
  interval: "day" | "week" | "month" | "year";
  /** The number of units in a cycle. */
  interval_count: number;
  /** The provider's event that caused this one. */
  source_event_id: string;
  /** The provider's id of the customer. */
  provider_customer_id?: string;
  /** The platform's reference of the customer. */
  customer_ref?: string;
  /** When the present cycle begins. */
  period_start?: string;
  /** When the present cycle ends. */
  period_end?: string;
  /** When it will end, if that is planned. */
  cancel_at?: string;
  /** When it was canceled. */
  canceled_at?: string;
  /** The subscription's own metadata, unchanged. */
  subscription_metadata?: Record<string, string>;
}

export interface SubscriptionCanceledEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "subscription.canceled";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A subscription ended. It was canceled, or its first invoice was never paid; once for each
   * subscription. Sent to the merchant and to the platform that opened the subscription. Sent
   * only to endpoints that list it.
   */
  data: SubscriptionCanceledData;
}

/**
 * A subscription ended. It was canceled, or its first invoice was never paid; once for each
 * subscription. Sent to the merchant and to the platform that opened the subscription. Sent only
 * to endpoints that list it.
 */
export interface SubscriptionCanceledData {
  /** `sub_<merchant>_<the provider's id>`. */
  subscription_id: string;
  /** The provider's id. */
  provider_subscription_id: string;
  /**
   * The provider's status at the time of the event; `canceled` and `incomplete_expired` are
   * final.
   */
  subscription_status:
    | "pending"
    | "failed"
    | "incomplete"
    | "trialing"
    | "active"
    | "past_due"
    | "unpaid"
    | "paused"
    | "incomplete_expired"
    | "canceled";
  /** The price of a cycle, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** The unit of a cycle. */
  interval: "day" | "week" | "month" | "year";
  /** The number of units in a cycle. */
  interval_count: number;
  /** The provider's event that caused this one. */
  source_event_id: string;
  /** The provider's id of the customer. */
  provider_customer_id?: string;
  /** The platform's reference of the customer. */
  customer_ref?: string;
  /** When the present cycle begins. */
  period_start?: string;
  /** When the present cycle ends. */
  period_end?: string;
  /** When it will end, if that is planned. */
  cancel_at?: string;
  /** When it was canceled. */
  canceled_at?: string;
  /** The subscription's own metadata, unchanged. */
  subscription_metadata?: Record<string, string>;
}

export interface SubscriptionInvoiceFailedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "subscription.invoice_failed";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * An attempt to collect a cycle of a subscription failed. Amount and period are the invoice's.
   * Sent for each attempt, and once more when the provider gives up; `payment.failed` is sent
   * beside it. Sent to the merchant and to the platform that opened the subscription. Sent only
   * to endpoints that list it.
   */
  data: SubscriptionInvoiceFailedData;
}

/**
 * An attempt to collect a cycle of a subscription failed. Amount and period are the invoice's.
 * Sent for each attempt, and once more when the provider gives up; `payment.failed` is sent
 * beside it. Sent to the merchant and to the platform that opened the subscription. Sent only to
 * endpoints that list it.
 */
export interface SubscriptionInvoiceFailedData {
  /** `sub_<merchant>_<the provider's id>`. */
  subscription_id: string;
  /** The provider's id. */
  provider_subscription_id: string;
  /**
   * The provider's status at the time of the event; `canceled` and `incomplete_expired` are
   * final.
   */
  subscription_status:
    | "pending"
    | "failed"
    | "incomplete"
    | "trialing"
    | "active"
    | "past_due"
    | "unpaid"
    | "paused"
    | "incomplete_expired"
    | "canceled";
  /** The invoice's amount, in minor units, which may differ from the price. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** The unit of a cycle. */
  interval: "day" | "week" | "month" | "year";
  /** The number of units in a cycle. */
  interval_count: number;
  /** The provider's event that caused this one. */
  source_event_id: string;
  /** The provider's id of the customer. */
  provider_customer_id?: string;
  /** The platform's reference of the customer. */
  customer_ref?: string;
  /** When the invoice's period begins. */
  period_start?: string;
  /** When the invoice's period ends. */
  period_end?: string;
  /** When it will end, if that is planned. */
  cancel_at?: string;
  /** When it was canceled. */
  canceled_at?: string;
  /** Present where the customer must approve the payment: the page for it. */
  hosted_url?: string;
  /** The subscription's own metadata, unchanged. */
  subscription_metadata?: Record<string, string>;
}

export interface SubscriptionInvoicePaidEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "subscription.invoice_paid";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A cycle of a subscription was paid. Amount and period are the invoice's. `payment.captured`
   * (for platforms `payment.succeeded`) is sent beside it, unless the amount is 0. Sent to the
   * merchant and to the platform that opened the subscription. Sent only to endpoints that list
   * it.
   */
  data: SubscriptionInvoicePaidData;
}

/**
 * A cycle of a subscription was paid. Amount and period are the invoice's. `payment.captured`
 * (for platforms `payment.succeeded`) is sent beside it, unless the amount is 0. Sent to the
 * merchant and to the platform that opened the subscription. Sent only to endpoints that list it.
 */
export interface SubscriptionInvoicePaidData {
  /** `sub_<merchant>_<the provider's id>`. */
  subscription_id: string;
  /** The provider's id. */
  provider_subscription_id: string;
  /**
   * The provider's status at the time of the event; `canceled` and `incomplete_expired` are
   * final.
   */
  subscription_status:
    | "pending"
    | "failed"
    | "incomplete"
    | "trialing"
    | "active"
    | "past_due"
    | "unpaid"
    | "paused"
    | "incomplete_expired"
    | "canceled";
  /** The invoice's amount, in minor units, which may differ from the price. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** The unit of a cycle. */
  interval: "day" | "week" | "month" | "year";
  /** The number of units in a cycle. */
  interval_count: number;
  /** The provider's event that caused this one. */
  source_event_id: string;
  /** The provider's id of the customer. */
  provider_customer_id?: string;
  /** The platform's reference of the customer. */
  customer_ref?: string;
  /** When the invoice's period begins. */
  period_start?: string;
  /** When the invoice's period ends. */
  period_end?: string;
  /** When it will end, if that is planned. */
  cancel_at?: string;
  /** When it was canceled. */
  canceled_at?: string;
  /** The subscription's own metadata, unchanged. */
  subscription_metadata?: Record<string, string>;
}

export interface SubscriptionUpdatedEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "subscription.updated";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A subscription changed at the provider, and goes on. Its status, price, period or planned
   * end. Sent to the merchant and to the platform that opened the subscription. Sent only to
   * endpoints that list it.
   */
  data: SubscriptionUpdatedData;
}

/**
 * A subscription changed at the provider, and goes on. Its status, price, period or planned end.
 * Sent to the merchant and to the platform that opened the subscription. Sent only to endpoints
 * that list it.
 */
export interface SubscriptionUpdatedData {
  /** `sub_<merchant>_<the provider's id>`. */
  subscription_id: string;
  /** The provider's id. */
  provider_subscription_id: string;
  /**
   * The provider's status at the time of the event; `canceled` and `incomplete_expired` are
   * final.
   */
  subscription_status:
    | "pending"
    | "failed"
    | "incomplete"
    | "trialing"
    | "active"
    | "past_due"
    | "unpaid"
    | "paused"
    | "incomplete_expired"
    | "canceled";
  /** The price of a cycle, in minor units. */
  amount: number;
  /** The ISO 4217 code. */
  currency: string;
  /** The unit of a cycle. */
  interval: "day" | "week" | "month" | "year";
  /** The number of units in a cycle. */
  interval_count: number;
  /** The provider's event that caused this one. */
  source_event_id: string;
  /** The provider's id of the customer. */
  provider_customer_id?: string;
  /** The platform's reference of the customer. */
  customer_ref?: string;
  /** When the present cycle begins. */
  period_start?: string;
  /** When the present cycle ends. */
  period_end?: string;
  /** When it will end, if that is planned. */
  cancel_at?: string;
  /** When it was canceled. */
  canceled_at?: string;
  /** The subscription's own metadata, unchanged. */
  subscription_metadata?: Record<string, string>;
}

export interface WebhookTestEvent {
  /** The same for all of your endpoints and in every attempt. */
  id: string;
  type: "webhook.test";
  /** UTC. */
  created: string;
  /** Whose event it is. */
  merchant: EventMerchant;
  /**
   * A test of the endpoint was asked for in the portal. It belongs to no payment, is sent to that
   * endpoint alone, and cannot be listed.
   */
  data: WebhookTestData;
}

/**
 * A test of the endpoint was asked for in the portal. It belongs to no payment, is sent to that
 * endpoint alone, and cannot be listed.
 */
export interface WebhookTestData {
  /** The endpoint's id in the portal. */
  destination_id: string;
  /** For people. */
  message: string;
}

/** An event, as a webhook carries it and as the list of events has it. */
export type Event =
  | DisputeClosedEvent
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
  | WebhookTestEvent;

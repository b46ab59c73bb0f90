/** Every error of this package. */
export class GatewayError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** A webhook that is not genuine. The text gives the reason. */
export class WebhookError extends GatewayError {}

/**
 * No usable answer, after all attempts. A write may have been carried out.
 *
 * Call again with `idempotencyKey` and the same arguments to learn what happened: it is carried out
 * once.
 */
export class NoAnswerError extends GatewayError {
  constructor(
    message: string,
    readonly idempotencyKey: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What an answer says besides its status and body. */
export interface AnswerDetails {
  requestId?: string;
  idempotencyKey?: string;
  /** Seconds. */
  retryAfter?: number;
  /** Whether it is the stored answer to an earlier attempt. */
  replayed?: boolean;
}

export interface FieldFault {
  name: string;
  message: string;
}

/**
 * The gateway refused, or failed.
 *
 * Decide by the class, or by `status` and `code`. The reason is for people and changes. The body can
 * contain a link that must not be logged, so it is not part of the text.
 */
export class ApiError extends GatewayError {
  readonly code: string;
  readonly docsUrl: string | undefined;
  /** Each fault of the body's fields. */
  readonly fields: FieldFault[];
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly retryAfter: number | undefined;
  readonly replayed: boolean;
  readonly #body: unknown;

  constructor(
    readonly status: number,
    body: unknown,
    details: AnswerDetails = {},
  ) {
    const whole = asObject(body);
    const detail = typeof whole.error === "object" ? asObject(whole.error) : whole;
    const code = errorCode(body);
    const reason = textOf(detail.message) || textOf(detail.error_description);
    super(`${status} ${code || "without a code"}${reason ? `: ${reason}` : ""}`);
    this.code = code;
    this.docsUrl = textOf(detail.docs_url) || undefined;
    this.fields = Array.isArray(whole.fields) ? (whole.fields as FieldFault[]) : [];
    this.requestId = details.requestId;
    this.idempotencyKey = details.idempotencyKey;
    this.retryAfter = details.retryAfter;
    this.replayed = details.replayed ?? false;
    this.#body = body;
  }

  /** The JSON of the answer; undefined if it was none. */
  get body(): unknown {
    return this.#body;
  }
}

/** 400, 405, 413, 415, 431: the request is wrong. */
export class InvalidRequestError extends ApiError {}
/** 401: the key, the signature or the clock. */
export class AuthenticationError extends ApiError {}
/** 403: the scope or the grant. */
export class ForbiddenError extends ApiError {}
/** 404: there is none, or this key may not see it. */
export class NotFoundError extends ApiError {}
/** 409: the state does not allow it. */
export class ConflictError extends ApiError {}
/** 409 `IDEMPOTENCY_KEY_REUSED`: the key was used for another request. */
export class IdempotencyKeyReusedError extends ConflictError {}
/** 409 `request already processing`, also after the last attempt. Call again with the same key. */
export class StillProcessingError extends ConflictError {}
/** 410 `cursor_expired`: the events after the cursor are no longer kept. */
export class CursorExpiredError extends ApiError {}
/** 422: a rule of the business. */
export class BusinessError extends ApiError {}
/** 429, also after the last attempt. */
export class RateLimitedError extends ApiError {}
/** 5xx, also after the last attempt. A write may have been carried out: call again with its key. */
export class ServerError extends ApiError {}

/**
 * 502 `provider outcome unknown`: the provider did not answer. The gateway asks it until it knows.
 *
 * Read the payment until its state is final (`waitForPayment`). Make no second payment before that.
 */
export class OutcomeUnknownError extends ServerError {}

/** 422 `merchant_not_charge_capable`: the merchant has not finished its set-up at a provider. */
export class NotChargeCapableError extends BusinessError {
  /** For the merchant's owner; works once. Do not log, cache or forward it. */
  get setupUrl(): string {
    return textOf(this.#detail.setup_url);
  }

  get setupUrlExpiresAt(): string {
    return textOf(this.#detail.setup_url_expires_at);
  }

  get providers(): { id: string; display_name: string; status: string; source: string }[] {
    return (this.#detail.providers ?? []) as ReturnType<() => NotChargeCapableError["providers"]>;
  }

  get #detail(): Record<string, unknown> {
    return asObject(asObject(this.body).error);
  }
}

const byStatus = new Map<number, typeof ApiError>([
  [400, InvalidRequestError],
  [401, AuthenticationError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [405, InvalidRequestError],
  [409, ConflictError],
  [413, InvalidRequestError],
  [415, InvalidRequestError],
  [422, BusinessError],
  [429, RateLimitedError],
  [431, InvalidRequestError],
]);

const byCode = new Map<string, typeof ApiError>([
  ["409 IDEMPOTENCY_KEY_REUSED", IdempotencyKeyReusedError],
  ["409 request already processing", StillProcessingError],
  ["410 cursor_expired", CursorExpiredError],
  ["422 merchant_not_charge_capable", NotChargeCapableError],
  ["502 provider outcome unknown", OutcomeUnknownError],
]);

/** The error of an answer, in its most specific class. */
export function apiError(status: number, body: unknown, details: AnswerDetails = {}): ApiError {
  const general = status >= 500 ? ServerError : (byStatus.get(status) ?? ApiError);
  const Kind = byCode.get(`${status} ${errorCode(body)}`) ?? general;
  return new Kind(status, body, details);
}

/** The code of an error's body, in any of its shapes; empty without one. */
function errorCode(body: unknown): string {
  const { error } = asObject(body);
  return typeof error === "object" ? textOf(asObject(error).code) : textOf(error);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

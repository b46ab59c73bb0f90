import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { ApiError, NoAnswerError, apiError } from "./errors.js";
import { Listing } from "./listing.js";
import type * as m from "./models.js";
import { requestSignature } from "./signing.js";
import { type Answer, BrokenExchange, Transport } from "./transport.js";

const firstPause = 200;
const longestPause = 5_000;
const longestRetryAfter = 60_000;

export interface ClientOptions {
  /** The gateway's address, such as `https://gateway.example`. */
  url: string;
  keyId: string;
  secret: string;
  /** A PEM file of authorities that are trusted besides Node's own. */
  caFile?: string | undefined;
  /** For a platform's key: the merchant for whom it acts. */
  merchant?: string;
  /** For a platform's key: the environment in which it acts. */
  environment?: "test" | "live";
  /** Milliseconds for one attempt; 40,000 by default, because the gateway answers within 35 s. */
  timeout?: number;
  /** How often a request is sent at most; 8 by default. */
  attempts?: number;
}

export interface WriteOptions {
  /** A UUID that names the intention. Give the same one to repeat; a new one is made without it. */
  idempotencyKey?: string;
}

/** A time: RFC 3339, or a Date. */
export type Moment = string | Date;

export interface PageOptions {
  /** The size of a page; 100 by default. */
  limit?: number;
  /** The `next` of an earlier page. */
  after?: string;
}

export interface PaymentFilter extends PageOptions {
  state?: m.PaymentState | m.PaymentState[];
  currency?: string;
  /** Included. */
  created_from?: Moment;
  /** Not included. */
  created_to?: Moment;
  customer_ref?: string;
  provider_ref?: string;
}

export interface EventFilter extends PageOptions {
  from?: Moment;
  types?: string | string[];
}

export interface FollowOptions extends EventFilter {
  /** Seconds that the gateway waits for an event; 0 to 30, which is the default. */
  wait?: number;
  /** Ends the reading. */
  signal?: AbortSignal;
}

/** Events, oldest first, and where to go on. */
export interface EventPage {
  events: m.Event[];
  next: string;
}

export interface EventType {
  type: string;
  /** A JSON Schema of the event's data. */
  schema: Record<string, unknown>;
}

interface Request {
  method: string;
  target: string;
  body?: unknown;
  key?: string | undefined;
  /** The payment to which the answer must belong. */
  about?: string | undefined;
  /** For requests that name no merchant. */
  alone?: boolean;
}

interface Attempt extends Omit<Request, "body"> {
  sent: Buffer;
  timeout: number;
  signal?: AbortSignal | undefined;
}

/** Calls a gateway with a key: one method for each operation. */
export class Client {
  readonly #options: ClientOptions;
  readonly #transport: Transport;

  constructor(options: ClientOptions, transport?: Transport) {
    if (!options.keyId || !options.secret) throw new TypeError("the key's id or secret is empty");
    this.#options = options;
    this.#transport = transport ?? new Transport(options.url, options.caFile);
  }

  /** A client from GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET and GATEWAY_CA_FILE. */
  static fromEnvironment(more: Partial<ClientOptions> = {}): Client {
    const read = (name: string): string => {
      const value = process.env[name];
      if (!value) throw new TypeError(`missing in the environment: ${name}`);
      return value;
    };
    return new Client({
      url: read("GATEWAY_URL"),
      keyId: read("GATEWAY_KEY_ID"),
      secret: read("GATEWAY_SECRET"),
      caFile: process.env.GATEWAY_CA_FILE || undefined,
      ...more,
    });
  }

  /** A client of the same platform's key for a merchant. It shares the connections. */
  onBehalfOf(merchant: string, environment?: "test" | "live"): Client {
    const other = { ...this.#options, merchant };
    return new Client(environment ? { ...other, environment } : other, this.#transport);
  }

  close(): void {
    this.#transport.close();
  }

  // Payments

  /** Creates a payment, and usually charges it. A declined payment is a result: it is `failed`. */
  createPayment(payment: m.CreatePayment, options?: WriteOptions): Promise<m.PaymentResult> {
    return this.#write("POST", "/v1/payment_intents", payment, options, payment.payment_id);
  }

  getPayment(paymentId: string): Promise<m.Payment> {
    return this.#read(payments(paymentId), paymentId);
  }

  /** Newest first. */
  listPayments(filter: PaymentFilter = {}): Listing<m.Payment, m.PaymentList> {
    const { state, created_from, created_to, ...others } = filter;
    const filters = {
      ...others,
      state: joined(state),
      created_from: moment(created_from),
      created_to: moment(created_to),
    };
    return this.#list("/v1/payment_intents", filters, (page) => page.payments);
  }

  getPaymentTimeline(paymentId: string): Promise<m.Timeline> {
    return this.#read(payments(paymentId, "/timeline"), paymentId);
  }

  listRefunds(paymentId: string): Promise<m.Refunds> {
    return this.#read(payments(paymentId, "/refunds"));
  }

  /** Takes the authorized money, or `amount` of it. */
  capturePayment(
    paymentId: string,
    capture: m.CapturePayment = {},
    options?: WriteOptions,
  ): Promise<m.CaptureResult> {
    return this.#write("POST", payments(paymentId, "/capture"), capture, options, paymentId);
  }

  /** Refunds `amount`, or what remains. Each intended refund has a key of its own. */
  refundPayment(
    paymentId: string,
    refund: m.RefundPayment = {},
    options?: WriteOptions,
  ): Promise<m.RefundResult> {
    return this.#write("POST", payments(paymentId, "/refund"), refund, options, paymentId);
  }

  /** Releases the authorized money. */
  voidPayment(
    paymentId: string,
    release: m.VoidPayment = {},
    options?: WriteOptions,
  ): Promise<m.PaymentResult> {
    return this.#write("POST", payments(paymentId, "/void"), release, options, paymentId);
  }

  /** Ends a payment that the customer has not paid yet. */
  cancelPayment(
    paymentId: string,
    cancel: m.CancelPayment = {},
    options?: WriteOptions,
  ): Promise<m.PaymentResult> {
    return this.#write("POST", payments(paymentId, "/cancel"), cancel, options, paymentId);
  }

  /**
   * Reads a payment until it is no longer `created` or `processing`, for `timeout` milliseconds at
   * most (five minutes by default). For payments whose outcome is unknown (OutcomeUnknownError).
   * Returns the payment as it was read last.
   */
  async waitForPayment(paymentId: string, timeout = 300_000): Promise<m.Payment> {
    const until = performance.now() + timeout;
    for (let tries = 0; ; ++tries) {
      const payment = await this.getPayment(paymentId);
      const pause = pauseAfter(tries);
      const open = payment.state === "created" || payment.state === "processing";
      if (!open || performance.now() + pause > until) return payment;
      await delay(pause);
    }
  }

  // Disputes

  getDispute(disputeId: string): Promise<m.Dispute> {
    return this.#read(`/v1/disputes/${escaped(disputeId)}`);
  }

  listDisputes(
    filter: { status?: m.DisputeStatus; payment_id?: string } & PageOptions = {},
  ): Listing<m.Dispute, m.DisputeList> {
    return this.#list("/v1/disputes", filter, (page) => page.disputes);
  }

  // Customers and subscriptions: for platforms' keys

  /** Charges a saved payment method. A declined charge is a result: its status is `failed`. */
  chargeSavedMethod(charge: m.ChargeSavedMethod, options?: WriteOptions): Promise<m.ChargeResult> {
    return this.#write("POST", "/v1/charges/saved", charge, options, charge.payment_id);
  }

  getCustomerByRef(customerRef: string): Promise<m.Customer> {
    return this.#read(withQuery("/v1/customers/by_ref", { ref: customerRef }));
  }

  listCustomers(
    filter: { customer_ref?: string } & PageOptions = {},
  ): Listing<m.ListedCustomer, m.CustomerList> {
    return this.#list("/v1/customers", filter, (page) => page.customers);
  }

  /** Opens a hosted page on which the customer subscribes. */
  createSubscriptionCheckout(
    checkout: m.CreateSubscriptionCheckout,
    options?: WriteOptions,
  ): Promise<m.SubscriptionCheckout> {
    return this.#write("POST", "/v1/subscription_checkouts", checkout, options);
  }

  getSubscription(subscriptionId: string): Promise<m.Subscription> {
    return this.#read(`/v1/subscriptions/${escaped(subscriptionId)}`);
  }

  listSubscriptions(
    filter: { status?: m.SubscriptionStatus; customer_ref?: string } & PageOptions = {},
  ): Listing<m.Subscription, m.SubscriptionList> {
    return this.#list("/v1/subscriptions", filter, (page) => page.subscriptions);
  }

  /** Ends a subscription at once. */
  cancelSubscription(
    subscriptionId: string,
    options?: WriteOptions,
  ): Promise<m.SubscriptionCancel> {
    const target = `/v1/subscriptions/${escaped(subscriptionId)}`;
    return this.#write("DELETE", target, undefined, options);
  }

  // Platforms

  /** Exchanges the code of the consent screen for the merchant's id and the grant's. */
  async exchangeConnectToken(
    token: m.ExchangeConnectToken,
    options?: WriteOptions,
  ): Promise<m.GrantedAccess> {
    return (await this.#alone("/v1/public/connect/token", token, options)) as m.GrantedAccess;
  }

  async revokeGrant(
    grantId: string,
    revoke: m.RevokeGrant = {},
    options?: WriteOptions,
  ): Promise<void> {
    await this.#alone(`/v1/grants/${escaped(grantId)}/revoke`, revoke, options);
  }

  async revokePlatformKey(keyId: string, options?: WriteOptions): Promise<void> {
    await this.#alone(`/v1/platform_keys/${escaped(keyId)}/revoke`, undefined, options);
  }

  // Events

  getEvent(eventId: string): Promise<m.Event> {
    return this.#read(`/v1/events/${escaped(eventId)}`);
  }

  /** The types of events, each with the JSON Schema of its data. */
  async listEventTypes(): Promise<EventType[]> {
    return (await this.#read<{ event_types: EventType[] }>("/v1/event_types")).event_types;
  }

  /** The events that there are, oldest first: from the oldest kept, after a cursor, or from a time. */
  listEvents(filter: EventFilter = {}): Listing<m.Event, EventPage> {
    const { from, types, ...others } = filter;
    const filters = { ...others, from: moment(from), types: joined(types) };
    return this.#list("/v1/events", filters, (page) => page.events);
  }

  /**
   * Pages of events, without an end, also while the gateway restarts. Each committed event is in
   * one page.
   *
   * Store `page.next` together with the results of the page's events, and begin there, as
   * `after`, the next time. Without `after` and `from` it begins at the oldest event that is kept;
   * `after: "end"` begins now. A page is empty when no event came for `wait` seconds. Throws
   * CursorExpiredError if the events at that point are no longer kept.
   */
  async *followEventPages(options: FollowOptions = {}): AsyncGenerator<EventPage, void, undefined> {
    const { after, from, signal, wait = 30 } = options;
    const filters = { types: joined(options.types), limit: options.limit ?? 100 };
    // The first page is asked for without a wait: its `next` fixes the place of `end` before an
    // event can be missed.
    const begin = { after, from: moment(from), ...filters };
    let page = await this.#read<EventPage>(withQuery("/v1/events", begin));
    yield page;
    while (!isAborted(signal)) {
      const asked = performance.now();
      const target = withQuery("/v1/events", { after: page.next, wait, ...filters });
      const next = await this.#eventPage(target, wait, signal);
      if (next === undefined) return;
      page = next;
      yield page;
      if (page.events.length === 0 && performance.now() - asked < 1_000) await sleep(1_000, signal);
    }
  }

  /** The events of followEventPages. To go on after a restart, follow the pages and store `next`. */
  async *followEvents(options: FollowOptions = {}): AsyncGenerator<m.Event, void, undefined> {
    for await (const page of this.followEventPages(options)) yield* page.events;
  }

  // Any request

  /** Any other request: the JSON of its answer. Signs and repeats it as all others. */
  async call(
    method: string,
    target: string,
    body?: unknown,
    options?: WriteOptions,
  ): Promise<unknown> {
    return await this.#repeat({ method, target, body, key: options?.idempotencyKey });
  }

  // How a request is sent

  async #read<T>(target: string, about?: string): Promise<T> {
    return (await this.#repeat({ method: "GET", target, about })) as T;
  }

  async #write<T>(
    method: string,
    target: string,
    body: object | undefined,
    options: WriteOptions | undefined,
    about?: string,
  ): Promise<T> {
    return (await this.#repeat({
      method,
      target,
      body: withoutEmpty(body),
      key: options?.idempotencyKey,
      about,
    })) as T;
  }

  #alone(target: string, body: object | undefined, options?: WriteOptions): Promise<unknown> {
    const key = options?.idempotencyKey;
    return this.#repeat({ method: "POST", target, body: withoutEmpty(body), key, alone: true });
  }

  #list<Item, Page extends { next?: string }>(
    path: string,
    { limit = 100, after, ...filters }: PageOptions,
    itemsOf: (page: Page) => Item[],
  ): Listing<Item, Page> {
    const read = (cursor: string | undefined): Promise<Page> => {
      // A cursor includes the position: `from` is for the first page.
      const kept = cursor === undefined ? filters : { ...filters, from: undefined };
      return this.#read(withQuery(path, { ...kept, limit, after: cursor }));
    };
    return new Listing(read, itemsOf, after);
  }

  /** Repeats for as long as it takes. Only the gateway's own refusal ends it, or the signal. */
  async #eventPage(
    target: string,
    wait: number,
    signal: AbortSignal | undefined,
  ): Promise<EventPage | undefined> {
    const attempt = { method: "GET", target, sent: Buffer.alloc(0), signal };
    for (let tries = 0; ; ++tries) {
      let asked = 0;
      try {
        const timeout = (wait + 15) * 1_000;
        return (await this.#attempt({ ...attempt, timeout })) as EventPage;
      } catch (fault) {
        if (isAborted(signal)) return undefined;
        if (fault instanceof BrokenExchange) {
          if (fault.final) throw new NoAnswerError(fault.message, undefined, { cause: fault });
        } else if (fault instanceof ApiError) {
          const passes = fault.status >= 500 || fault.status === 408 || fault.status === 429;
          if (!passes) throw fault;
          asked = Math.min((fault.retryAfter ?? 0) * 1_000, longestRetryAfter);
        } else {
          throw fault;
        }
      }
      await sleep(Math.max(pauseAfter(tries), asked), signal);
    }
  }

  /** Repeats with the same key and body until there is an answer that says what happened. */
  async #repeat(request: Request): Promise<unknown> {
    const { body, ...others } = request;
    const { attempts = 8, timeout = 40_000 } = this.#options;
    const sent = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const key = request.method === "GET" ? undefined : (request.key ?? randomUUID());
    for (let tries = 0; ; ++tries) {
      let asked = 0;
      let failed: Error;
      let final = false;
      try {
        return await this.#attempt({ ...others, sent, key, timeout });
      } catch (fault) {
        if (fault instanceof BrokenExchange) {
          const path = request.target.split("?", 1)[0] ?? "";
          const message = `${request.method} ${path}: ${fault.message}`;
          failed = new NoAnswerError(message, key, { cause: fault });
          final = fault.final;
        } else if (fault instanceof ApiError && mayPass(fault)) {
          failed = fault;
          asked = (fault.retryAfter ?? 0) * 1_000;
        } else {
          throw fault;
        }
      }
      if (final || tries + 1 >= attempts || asked > longestRetryAfter) throw failed;
      await delay(Math.max(pauseAfter(tries), asked));
    }
  }

  /** One signed request. Throws ApiError for a refusal, BrokenExchange without a usable answer. */
  async #attempt(attempt: Attempt): Promise<unknown> {
    const { method, sent, key, about, alone, timeout, signal } = attempt;
    const { keyId, secret, merchant, environment } = this.#options;
    const target = alone ? attempt.target : withQuery(attempt.target, { environment });
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const headers: Record<string, string> = {
      "X-Service-Key-Id": keyId,
      "X-Service-Timestamp": at,
      "X-Service-Signature": requestSignature(secret, method, target, at, sent),
      "User-Agent": "gateway-client-typescript/1.0.0",
      Accept: "application/json",
    };
    if (!alone && merchant) headers["Service-Merchant"] = merchant;
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (sent.length > 0) headers["Content-Type"] = "application/json";
    const exchange = { method, target, headers, body: sent, timeout, signal };
    const answer = await this.#transport.exchange(exchange);
    const body = parsed(answer.body);
    if (answer.status < 200 || answer.status >= 300) throw refusal(answer, body, key);
    if (answer.status === 204) return undefined;
    if (body === undefined) throw new BrokenExchange("the answer is not JSON");
    const named = paymentIn(body);
    if (about !== undefined && named !== undefined && named !== about) {
      throw new BrokenExchange("the answer belongs to another payment");
    }
    return body;
  }
}

function refusal(answer: Answer, body: unknown, key: string | undefined): ApiError {
  const requestId = answer.headers["request-id"];
  return apiError(answer.status, body, {
    requestId: typeof requestId === "string" ? requestId : undefined,
    idempotencyKey: key,
    retryAfter: secondsOf(answer.headers["retry-after"]),
    replayed: answer.headers["idempotent-replayed"] !== undefined,
  });
}

/** Whether the request may get another answer later. A replayed answer is the stored one. */
function mayPass(refused: ApiError): boolean {
  if (refused.status >= 500) return !refused.replayed;
  if (refused.status === 409) return refused.code === "request already processing";
  return refused.status === 408 || refused.status === 429;
}

/** Milliseconds: growing, and random so that many clients do not return at one moment. */
function pauseAfter(tries: number): number {
  return Math.min(firstPause * 2 ** Math.min(tries, 16), longestPause) * (0.5 + Math.random() / 2);
}

/** Of Retry-After: a number, or the seconds until a date. */
function secondsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1_000);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function paymentIn(body: unknown): unknown {
  return typeof body === "object" && body && "payment_id" in body ? body.payment_id : undefined;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

/** Ends early with the signal. */
async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}

function escaped(part: string): string {
  if (!part) throw new TypeError("an id is empty");
  return encodeURIComponent(part);
}

function payments(paymentId: string, operation = ""): string {
  return `/v1/payment_intents/${escaped(paymentId)}${operation}`;
}

function withQuery(target: string, query: object): string {
  const parts = Object.entries(query as Record<string, string | number | undefined>).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]),
  );
  if (parts.length === 0) return target;
  return `${target}${target.includes("?") ? "&" : "?"}${parts.join("&")}`;
}

function withoutEmpty(body: object | undefined): object | undefined {
  return body && Object.keys(body).length > 0 ? body : undefined;
}

function joined(values: string | string[] | undefined): string | undefined {
  return Array.isArray(values) ? values.join(",") : values;
}

function moment(time: Moment | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}

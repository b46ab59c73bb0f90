import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from "@medusajs/framework/types";
import { AbstractPaymentProvider, MedusaError, PaymentActions } from "@medusajs/framework/utils";
import {
  ApiError,
  Client,
  ConflictError,
  type CreatePayment,
  type Event,
  NoAnswerError,
  NotFoundError,
  OutcomeUnknownError,
  type Payment,
  type PaymentResult,
  ServerError,
  StillProcessingError,
  WebhookError,
  verifyWebhook,
} from "gateway-client";

import { fromMinorUnits, toMinorUnits } from "./amounts.js";
import { asMedusaError } from "./errors.js";
import { MedusaRecords, type ModuleContainer } from "./medusa_records.js";
import { type GatewayOptions, checkOptions, returnUrl } from "./options.js";
import { lostRefund, refundOf, reasonOf } from "./refunds.js";
import {
  type SessionData,
  attemptOf,
  idempotencyKey,
  isUnknown,
  paymentIdOf,
  sessionData,
  sessionIdOf,
  statusOf,
  withAnswer,
} from "./session.js";
import { settled } from "./settled.js";

/**
 * Takes Medusa's payments through the payments gateway.
 *
 * A session is a payment at the gateway, under an id that is made of the session's: however often
 * Medusa repeats a step, there is one payment. A session without a token opens a hosted page at
 * once. A session whose data has a `payment_method` is charged when the cart is completed.
 */
export class GatewayPaymentProvider extends AbstractPaymentProvider<GatewayOptions> {
  static override identifier = "gateway";

  readonly #client: Client;
  readonly #options: GatewayOptions;
  readonly #records: MedusaRecords;
  readonly #logger: Logger;

  static override validateOptions(options: Record<string, unknown>): void {
    checkOptions(options);
  }

  constructor(container: ModuleContainer, options: GatewayOptions) {
    super(container, options);
    const { url, keyId, secret, caFile } = options;
    this.#client = new Client({ url, keyId, secret, caFile });
    this.#options = options;
    this.#records = new MedusaRecords(container);
    this.#logger = container.logger;
  }

  async initiatePayment(input: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const sessionId = input.data?.session_id;
    if (typeof sessionId !== "string") {
      throw new MedusaError(MedusaError.Types.INVALID_DATA, "the payment session has no id");
    }
    return this.#begin(sessionId, 1, input);
  }

  /** The gateway's payments have a fixed amount: for another one, the payment is ended and a new one begun. */
  async updatePayment(input: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const data = sessionData(input.data);
    const currency = input.currency_code.toUpperCase();
    if (data.amount === toMinorUnits(input.amount, currency) && data.currency === currency) {
      return { data };
    }
    await this.#end(data.payment_id);
    return this.#begin(data.session_id, attemptOf(data.payment_id) + 1, input);
  }

  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    // Medusa deletes a session, too, whose payment was never begun.
    if (typeof data?.payment_id === "string") await this.#end(data.payment_id);
    return { data };
  }

  async authorizePayment(input: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    const data = sessionData(input.data);
    if (data.state !== "new") return this.#read(data);
    const { payment_id, amount, currency, payment_method, success_url, cancel_url } = data;
    try {
      return this.#answer(
        data,
        await this.#create({
          payment_id,
          amount,
          currency,
          payment_method,
          success_url,
          cancel_url,
          ...this.#labels(data.session_id),
        }),
      );
    } catch (fault) {
      if (fault instanceof OutcomeUnknownError) {
        return this.#answer(data, await this.#settled(data.payment_id));
      }
      // The session stays: the next attempt to complete the cart repeats the request with its key.
      if (isOpen(fault)) return { status: "pending", data };
      // Another attempt with other options has made the payment.
      if (fault instanceof ConflictError) return this.#read(data);
      if (fault instanceof ApiError && [400, 422].includes(fault.status)) {
        const error = { code: fault.code, message: fault.message, retryable: false };
        return { status: "error", data: { ...data, error } };
      }
      throw asMedusaError(fault);
    }
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    const stored = sessionData(data);
    return stored.state === "new" ? { status: "pending", data: stored } : this.#read(stored);
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    const stored = sessionData(data);
    return { data: withAnswer(stored, await this.#get(stored.payment_id)) };
  }

  async capturePayment({ data, context }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const stored = sessionData(data);
    const { payment_id, currency } = stored;
    if (stored.state !== "authorized") {
      throw new MedusaError(
        MedusaError.Types.NOT_ALLOWED,
        `${payment_id} is ${stored.state}: the gateway captures once, all of a payment or a part of it`,
      );
    }
    const part = await this.#records.captureAmount(context?.idempotency_key);
    const wanted = part === undefined ? stored.amount : toMinorUnits(part, currency);
    // Each attempt has a new key: a capture of a captured payment changes nothing, and the answer to
    // a key that was refused is stored.
    const fault = await openFault(this.#client.capturePayment(payment_id, { amount: wanted }));
    const payment = await this.#settled(payment_id);
    if (payment.captured_amount !== wanted) throw notDone("capture", payment, fault);
    return { data: withAnswer(stored, payment) };
  }

  async refundPayment(input: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const data = sessionData(input.data);
    const { payment_id } = data;
    const amount = toMinorUnits(input.amount, data.currency);
    const medusaId = input.context?.idempotency_key;
    if (!medusaId) throw new MedusaError(MedusaError.Types.INVALID_DATA, "the refund has no id");
    const before = await this.#get(payment_id);
    let refund = await lostRefund(before, data, amount, medusaId, this.#records);
    let after = before;
    let fault: unknown;
    if (!refund) {
      const body = { amount, reason: reasonOf(medusaId) };
      const key = idempotencyKey("refund", medusaId);
      const sent = this.#client.refundPayment(payment_id, body, { idempotencyKey: key });
      fault = await openFault(sent);
      after = await this.#settled(payment_id);
      refund = refundOf(after, medusaId);
    }
    if (!refund || refund.status === "failed") throw notDone("refund", after, fault);
    const refunds = { ...data.refunds, [medusaId]: refund.refund_id };
    return { data: { ...withAnswer(data, after), refunds } };
  }

  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    const stored = sessionData(data);
    const ended = await this.#end(stored.payment_id);
    return { data: ended ? withAnswer(stored, ended) : stored };
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- Medusa's interface is asynchronous
  async getWebhookActionAndData({
    rawData,
    headers,
  }: ProviderWebhookPayload["payload"]): Promise<WebhookActionResult> {
    const header = headers["x-service-signature"];
    let event: Event;
    try {
      const signature = typeof header === "string" ? header : undefined;
      event = verifyWebhook(signature, rawData, this.#options.webhookSecret);
    } catch (fault) {
      if (!(fault instanceof WebhookError)) throw fault;
      // Not thrown: Medusa would process a forged webhook three times.
      this.#logger.warn(`payments gateway: a webhook is not genuine: ${fault.message}`);
      return { action: PaymentActions.NOT_SUPPORTED };
    }
    return actionOf(event);
  }

  async #begin(
    sessionId: string,
    attempt: number,
    input: InitiatePaymentInput,
  ): Promise<InitiatePaymentOutput> {
    const currency = input.currency_code.toUpperCase();
    const { payment_method, success_url, cancel_url } = input.data ?? {};
    const data: SessionData = {
      session_id: sessionId,
      payment_id: paymentIdOf(sessionId, attempt),
      amount: toMinorUnits(input.amount, currency),
      currency,
      state: "new",
      success_url: returnUrl(this.#options.successUrl, success_url, sessionId),
      cancel_url: returnUrl(this.#options.cancelUrl, cancel_url, sessionId),
    };
    const id = data.payment_id;
    if (typeof payment_method === "string") {
      return { id, status: "pending", data: { ...data, payment_method } };
    }
    const customer = input.context?.customer;
    const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(" ");
    const { payment_id, amount } = data;
    let payment: PaymentResult | undefined;
    try {
      payment = await this.#create({
        payment_id,
        amount,
        currency,
        flow: "redirect",
        success_url: data.success_url,
        cancel_url: data.cancel_url,
        ...(customer?.email && { customer_email: customer.email }),
        ...(name && { customer_name: name }),
        ...this.#labels(sessionId),
      });
    } catch (fault) {
      if (!(fault instanceof OutcomeUnknownError)) throw asMedusaError(fault);
      // The page may be open, but no customer has its address: it is read when it is known.
      payment = await this.#settled(payment_id);
    }
    // Storefronts look for the session that is pending.
    return { id, status: "pending", data: withAnswer(data, payment) };
  }

  /** The same payment gets the same key, so that a repeat of Medusa's is not a second charge. */
  #create(payment: CreatePayment): Promise<PaymentResult> {
    const key = idempotencyKey("create", payment.payment_id);
    return this.#client.createPayment(payment, { idempotencyKey: key });
  }

  #labels(sessionId: string): Pick<CreatePayment, "description" | "metadata"> {
    const { description } = this.#options;
    return { metadata: { medusa_session_id: sessionId }, ...(description && { description }) };
  }

  async #get(paymentId: string): Promise<Payment> {
    try {
      return await this.#client.getPayment(paymentId);
    } catch (fault) {
      throw asMedusaError(fault);
    }
  }

  async #read(data: SessionData): Promise<AuthorizePaymentOutput> {
    return this.#answer(data, await this.#get(data.payment_id));
  }

  #answer(data: SessionData, answer: Payment | PaymentResult): AuthorizePaymentOutput {
    return { status: statusOf(answer), data: withAnswer(data, answer) };
  }

  async #settled(paymentId: string): Promise<Payment> {
    return settled(() => this.#get(paymentId), this.#options.outcomeTimeout);
  }

  /**
   * Ends a payment so that it takes no money: releases what is authorized, closes the page that the
   * customer has not paid on. Throws if the money is taken, or if that is not known.
   */
  async #end(paymentId: string): Promise<Payment | undefined> {
    let payment: Payment;
    try {
      payment = await this.#client.getPayment(paymentId);
    } catch (fault) {
      // A token that was never charged.
      if (fault instanceof NotFoundError) return undefined;
      throw asMedusaError(fault);
    }
    if (isEnded(payment)) return payment;
    if (isTaken(payment)) throw notDone("cancellation", payment);
    const fault = await openFault(
      payment.state === "authorized"
        ? this.#client.voidPayment(paymentId)
        : this.#client.cancelPayment(paymentId),
    );
    payment = await this.#settled(paymentId);
    if (!isEnded(payment)) throw notDone("cancellation", payment, fault);
    return payment;
  }
}

/** Waits for a request. Returns the fault after which the payment's own state says what happened. */
async function openFault(sent: Promise<unknown>): Promise<unknown> {
  try {
    await sent;
    return undefined;
  } catch (fault) {
    // A conflict: the customer can have paid first, or another request has done it.
    if (isOpen(fault) || fault instanceof ConflictError) return fault;
    throw asMedusaError(fault);
  }
}

/** Whether the request may have been carried out: it has no answer, or one that does not say so. */
function isOpen(fault: unknown): boolean {
  return (
    fault instanceof NoAnswerError ||
    fault instanceof ServerError ||
    fault instanceof StillProcessingError
  );
}

function isEnded(payment: Payment): boolean {
  return ["failed", "voided", "refunded"].includes(payment.state);
}

function isTaken(payment: Payment): boolean {
  return ["captured", "partially_refunded"].includes(payment.state);
}

function notDone(operation: string, payment: Payment, fault?: unknown): unknown {
  const { payment_id, state, provider } = payment;
  if (isUnknown(payment)) {
    return new MedusaError(
      MedusaError.Types.CONFLICT,
      `the provider has not answered the ${operation} of ${payment_id} yet: repeat it later, it happens once`,
    );
  }
  if (fault instanceof ApiError) return asMedusaError(fault);
  const why = provider.error ? `: ${provider.error.code}: ${provider.error.message}` : "";
  return new MedusaError(
    MedusaError.Types.NOT_ALLOWED,
    `no ${operation} of ${payment_id}, which is ${state}${why}`,
  );
}

function actionOf(event: Event): WebhookActionResult {
  switch (event.type) {
    case "payment.captured":
    case "payment.succeeded":
      return action(PaymentActions.SUCCESSFUL, event.data, event.data.captured_amount);
    case "payment.failed":
      return action(PaymentActions.FAILED, event.data, event.data.amount);
    case "payment.voided":
      return action(PaymentActions.CANCELED, event.data, event.data.amount);
    default:
      return { action: PaymentActions.NOT_SUPPORTED };
  }
}

function action(
  what: PaymentActions,
  { payment_id, currency }: { payment_id: string; currency: string },
  minor: number,
): WebhookActionResult {
  const session_id = sessionIdOf(payment_id);
  // The merchant takes payments elsewhere, too.
  if (session_id === undefined) return { action: PaymentActions.NOT_SUPPORTED };
  return { action: what, data: { session_id, amount: fromMinorUnits(minor, currency) } };
}

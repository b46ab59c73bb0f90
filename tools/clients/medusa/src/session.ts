import { createHash } from "node:crypto";

import type { PaymentSessionStatus } from "@medusajs/framework/types";
import { MedusaError } from "@medusajs/framework/utils";
import type { Payment, PaymentResult } from "gateway-client";

/**
 * What Medusa stores of a payment in the `data` of its session and payment. The storefront can read
 * it.
 */
export interface SessionData extends Record<string, unknown> {
  session_id: string;
  payment_id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** The gateway's state; `new` while nothing was asked of the gateway. */
  state: string;
  success_url: string;
  cancel_url: string;
  /** A token that the storefront gave: charged when the cart is completed. */
  payment_method?: string;
  /** Send the customer's browser here. */
  hosted_url?: string;
  error?: { code: string; message: string; retryable: boolean };
  refunded_total?: number;
  /** The gateway's refund for each of Medusa's. */
  refunds?: Record<string, string>;
}

/** The gateway's id of a session's payment. Another amount is another payment: the `attempt` tells them apart. */
export function paymentIdOf(sessionId: string, attempt: number): string {
  return `pay_${sessionId}${attempt > 1 ? `-${attempt}` : ""}`;
}

export function attemptOf(paymentId: string): number {
  return Number(/-(\d+)$/.exec(paymentId)?.[1] ?? 1);
}

/** The session of a payment; undefined for a payment that no Medusa shop has made. */
export function sessionIdOf(paymentId: string): string | undefined {
  return /^pay_(payses_[A-Za-z0-9]+)(?:-\d+)?$/.exec(paymentId)?.[1];
}

/** A UUID made from Medusa's idempotency key, which is not a UUID itself. */
export function idempotencyKey(operation: string, of: string): string {
  const bytes = createHash("sha256").update(`medusa ${operation} ${of}`).digest().subarray(0, 16);
  // Version 8 and the variant of RFC 9562: a UUID of our own making.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [0, 8, 12, 16, 20].map((at, i, all) => hex.slice(at, all[i + 1] ?? 32)).join("-");
}

export function sessionData(data: Record<string, unknown> | undefined): SessionData {
  if (typeof data?.payment_id === "string") return data as SessionData;
  throw new MedusaError(
    MedusaError.Types.INVALID_DATA,
    "this is no payment of the payments gateway: its data has no payment_id",
  );
}

/** The stored data with what the gateway answered last. */
export function withAnswer(data: SessionData, answer: Payment | PaymentResult): SessionData {
  const { state, provider } = answer;
  const { hosted_url, error } = provider;
  return {
    ...data,
    state,
    hosted_url,
    error: error && { code: error.code, message: error.message, retryable: error.retryable },
    ...("refunded_total" in answer && { refunded_total: answer.refunded_total }),
  };
}

/** Whether the provider has not said how the last operation ended. */
export function isUnknown({ provider }: PaymentResult): boolean {
  return provider.error?.outcome === "unknown";
}

/**
 * The session's status for a payment. An open outcome is `pending`: Medusa keeps the session, makes
 * no order, and asks again.
 */
export function statusOf(payment: Payment | PaymentResult): PaymentSessionStatus {
  switch (payment.state) {
    case "authorized":
      return "authorized";
    case "captured":
    case "partially_refunded":
      return "captured";
    case "failed":
      return "error";
    case "voided":
    case "refunded":
      return "canceled";
    case "processing":
      return payment.provider.hosted_url && !isUnknown(payment) ? "requires_more" : "pending";
    default:
      return "pending";
  }
}

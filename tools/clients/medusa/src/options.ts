import { MedusaError } from "@medusajs/framework/utils";
import type { ClientOptions } from "gateway-client";

/** The provider's `options` in medusa-config. */
export interface GatewayOptions extends Pick<ClientOptions, "url" | "keyId" | "secret" | "caFile"> {
  /** The signing secret of the webhook endpoint, `whsec_…`. */
  webhookSecret: string;
  /**
   * Where the customer returns to after paying, and otherwise. `{session_id}` becomes the payment
   * session's id. The storefront may name other pages of the same origin for a session.
   */
  successUrl: string;
  cancelUrl: string;
  /** Shown on the hosted page and on statements. */
  description?: string;
  /** How many milliseconds a request of Medusa waits for an outcome that is unknown; 20,000 by default. */
  outcomeTimeout?: number;
}

export function checkOptions(options: Record<string, unknown>): void {
  for (const name of ["url", "keyId", "secret", "webhookSecret", "successUrl", "cancelUrl"]) {
    const value = options[name];
    if (typeof value === "string" && value !== "") continue;
    throw new MedusaError(
      MedusaError.Types.INVALID_ARGUMENT,
      `the payments gateway's option ${name} is missing`,
    );
  }
}

/** Where the customer of a session returns to: the storefront's page, if it is of the shop's origin. */
export function returnUrl(configured: string, wanted: unknown, sessionId: string): string {
  const fixed = configured.replaceAll("{session_id}", sessionId);
  if (typeof wanted !== "string") return fixed;
  // Anyone can call the store's API: with another origin the hosted page could lead anywhere.
  if (URL.canParse(wanted) && new URL(wanted).origin === new URL(fixed).origin) return wanted;
  throw new MedusaError(
    MedusaError.Types.INVALID_DATA,
    "the page to return to is not of the shop's origin",
  );
}

import { createHmac, timingSafeEqual } from "node:crypto";

import { WebhookError } from "./errors.js";
import type { Event } from "./models.js";

export interface VerifyOptions {
  /** How many seconds the signature's time may be from now; 300 by default. */
  tolerance?: number;
  /** Seconds since 1970; the clock's by default. */
  now?: number;
}

/**
 * The event of a genuine webhook; throws WebhookError otherwise.
 *
 * `header` is X-Service-Signature. `body` is what was posted, byte for byte, before anything parses
 * it. `secret` is the destination's, with its `whsec_`.
 */
export function verifyWebhook(
  header: string | undefined,
  body: Uint8Array | string,
  secret: string,
  { tolerance = 300, now = Date.now() / 1000 }: VerifyOptions = {},
): Event {
  if (!secret) throw new TypeError("the signing secret is empty");
  const times: string[] = [];
  const given: Buffer[] = [];
  for (const part of (header ?? "").split(",")) {
    const at = part.indexOf("=");
    const [name, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    if (name === "t") times.push(value);
    if (name === "v1" && /^[0-9a-f]{64}$/.test(value)) given.push(Buffer.from(value, "hex"));
  }
  const time = times[0];
  if (times.length !== 1 || time === undefined || !/^[0-9]{1,12}$/.test(time)) {
    throw new WebhookError("the signature has no time");
  }
  if (given.length === 0) throw new WebhookError("the header has no v1 signature");
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  // While a secret is being changed there are two signatures: one match is enough.
  if (!given.some((each) => timingSafeEqual(each, expected))) {
    throw new WebhookError("no signature fits the body and the secret");
  }
  if (Math.abs(now - Number(time)) > tolerance) {
    throw new WebhookError("the signature's time is too far from now");
  }
  try {
    return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString()) as Event;
  } catch (fault) {
    throw new WebhookError("the body is not JSON", { cause: fault });
  }
}

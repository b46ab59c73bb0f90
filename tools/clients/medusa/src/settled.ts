import { setTimeout as delay } from "node:timers/promises";

import type { Payment } from "gateway-client";

import { isUnknown } from "./session.js";

const firstPause = 250;
const longestPause = 5_000;

/** Reads a payment until the outcome of its last operation is known, or `timeout` milliseconds have passed. */
export async function settled(read: () => Promise<Payment>, timeout = 20_000): Promise<Payment> {
  const until = performance.now() + timeout;
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const payment = await read();
    if (!isUnknown(payment) || performance.now() + pause > until) return payment;
    await delay(pause);
  }
}

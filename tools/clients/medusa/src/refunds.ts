import type { Payment, Refund } from "gateway-client";

import type { MedusaRecords } from "./medusa_records.js";
import type { SessionData } from "./session.js";

const prefix = "Medusa refund ";

/** The reason under which the gateway stores a refund of Medusa's: it names it. */
export function reasonOf(medusaId: string): string {
  return prefix + medusaId;
}

export function refundOf(payment: Payment, medusaId: string): Refund | undefined {
  return payment.refunds.find((each) => each.reason === reasonOf(medusaId));
}

/**
 * A refund of this amount that was carried out although Medusa got no answer.
 *
 * Medusa has deleted its own row then, and the shop asks for the refund again, which has another id.
 * The money went back already, so the new refund is the old one.
 */
export async function lostRefund(
  payment: Payment,
  data: SessionData,
  amount: number,
  medusaId: string,
  records: MedusaRecords,
): Promise<Refund | undefined> {
  const taken = new Set(Object.values(data.refunds ?? {}));
  const candidates = new Map<string, Refund>();
  for (const each of payment.refunds) {
    if (each.amount !== amount || each.status === "failed" || taken.has(each.refund_id)) continue;
    if (each.reason?.startsWith(prefix)) candidates.set(each.reason.slice(prefix.length), each);
  }
  // A repeat with the same id is the same request, which the gateway recognises.
  candidates.delete(medusaId);
  if (candidates.size === 0) return undefined;
  // A refund that Medusa has is under way in another request.
  const known = await records.knownRefunds([...candidates.keys()]);
  return [...candidates].find(([id]) => !known.has(id))?.[1];
}

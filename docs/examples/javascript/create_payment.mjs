// Signs one create and sends it. Needs Node.js 18 and nothing else.
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET   where the gateway is, and a key of the test environment
// GATEWAY_CA_FILE                               optional: whose certificates are trusted, for a gateway of your own
// PAYMENT_ID                                    optional: your id of the payment
import { createHash, createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";

const { GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE, PAYMENT_ID } = process.env;

// Four lines are signed: the method, the path without a query, the time, and the hash of the body as it is sent.
function signedHeaders(method, path, body) {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const lines = [method, path, at, createHash("sha256").update(body).digest("hex")].join("\n");
  return {
    "X-Service-Key-Id": GATEWAY_KEY_ID,
    "X-Service-Timestamp": at,
    "X-Service-Signature": createHmac("sha256", GATEWAY_SECRET).update(lines).digest("hex"),
  };
}

const path = "/v1/payment_intents";
const body = JSON.stringify({
  payment_id: PAYMENT_ID ?? `pay_${Math.floor(Date.now() / 1000)}`,
  amount: 4200,
  currency: "HKD",
  payment_method: "pm_card_visa",
});
const headers = {
  ...signedHeaders("POST", path, body),
  "Idempotency-Key": randomUUID(),
  "Content-Type": "application/json",
  "Content-Length": Buffer.byteLength(body),
};
const ca = GATEWAY_CA_FILE && readFileSync(GATEWAY_CA_FILE);

const sent = request(GATEWAY_URL + path, { method: "POST", headers, ca, timeout: 40_000 }, async (answer) => {
  const parts = [];
  for await (const part of answer) parts.push(part);
  console.log(Buffer.concat(parts).toString());
  process.exitCode = answer.statusCode === 200 ? 0 : 1;
});
sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
sent.end(body);

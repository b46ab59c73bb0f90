// Creates a payment however often the network, the gateway or the provider fails. Needs Node.js 18 and nothing else.
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE   as in create_payment.mjs
// PAYMENT_ID, IDEMPOTENCY_KEY   store both with the order before the first attempt: after a restart, the program
//                               continues with the same two
// PAYMENT_METHOD                optional: a sandbox token
// GATEWAY_TIMEOUT               optional: seconds for one attempt; the gateway answers within 35
import { createHash, createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

const { GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE, PAYMENT_ID, PAYMENT_METHOD } = process.env;
const payments = "/v1/payment_intents";
const key = process.env.IDEMPOTENCY_KEY ?? randomUUID();
const timeout = 1000 * Number(process.env.GATEWAY_TIMEOUT ?? 40);
const ca = GATEWAY_CA_FILE && readFileSync(GATEWAY_CA_FILE);

// Status, headers and JSON of one attempt; empty where there was no answer. Each is signed anew, with its own time.
async function call(method, path, body = "") {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const lines = [method, path, at, createHash("sha256").update(body).digest("hex")].join("\n");
  const headers = {
    "X-Service-Key-Id": GATEWAY_KEY_ID,
    "X-Service-Timestamp": at,
    "X-Service-Signature": createHmac("sha256", GATEWAY_SECRET).update(lines).digest("hex"),
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  };
  if (method === "POST") headers["Idempotency-Key"] = key;
  try {
    const answer = await new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeout);
      const sent = request(GATEWAY_URL + path, { method, headers, ca, signal }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
    const parts = [];
    for await (const part of answer) parts.push(part);
    return { status: answer.statusCode, headers: answer.headers, json: parsed(Buffer.concat(parts)) };
  } catch {
    return {};
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Whether the same request, with the same key and body, is to be sent again.
function mustRepeat({ status, json }) {
  if (status === 409) return json?.error === "request already processing"; // the first attempt is still under way
  // A proxy's, unless it is the gateway's about an unknown outcome.
  if (status === 502) return json?.error !== "provider outcome unknown";
  return [undefined, 408, 429, 500, 503, 504].includes(status); // no answer, or not now
}

// The pause grows with each attempt and has a random part; the gateway's Retry-After takes precedence.
function pause(attempt, headers) {
  const asked = /^\d+$/.exec(headers?.["retry-after"] ?? "");
  return sleep(1000 * ((asked ? Number(asked[0]) : Math.min(2 ** attempt, 32)) + Math.random()));
}

async function create(payment) {
  const body = JSON.stringify(payment);
  let answer;
  for (let attempt = 0; attempt < 10; ++attempt) {
    answer = await call("POST", payments, body);
    if (!mustRepeat(answer)) break;
    await pause(attempt, answer.headers);
  }
  if (answer.status !== 502) return answer;
  // The provider did not report the outcome, and this stays the answer to this key. The payment shows how it ended.
  // Never start a second payment for the order before the outcome is known.
  for (let attempt = 0; attempt < 10; ++attempt) {
    await pause(attempt);
    answer = await call("GET", `${payments}/${payment.payment_id}`);
    if (answer.status === 200 && answer.json?.state !== "processing") break;
  }
  return answer;
}

const { status, json } = await create({
  payment_id: PAYMENT_ID ?? `pay_${Math.floor(Date.now() / 1000)}`,
  amount: 4200,
  currency: "HKD",
  payment_method: PAYMENT_METHOD ?? "pm_card_visa",
});
console.log(status, JSON.stringify(json));
process.exitCode = status === 200 && json?.state === "authorized" ? 0 : 1;

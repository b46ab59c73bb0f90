// A create and a capture through openapi-fetch with the types that openapi-typescript makes.
import { createHash, createHmac, randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { paths } from "./gateway.js";

const { GATEWAY_URL = "", GATEWAY_KEY_ID = "", GATEWAY_SECRET = "", PAYMENT_ID = "" } = process.env;

const client = createClient<paths>({ baseUrl: GATEWAY_URL });
client.use({
  async onRequest({ request }) {
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const body = new Uint8Array(await request.clone().arrayBuffer());
    const hash = createHash("sha256").update(body).digest("hex");
    const lines = [request.method, new URL(request.url).pathname, at, hash].join("\n");
    request.headers.set("X-Service-Key-Id", GATEWAY_KEY_ID);
    request.headers.set("X-Service-Timestamp", at);
    request.headers.set("X-Service-Signature", createHmac("sha256", GATEWAY_SECRET).update(lines).digest("hex"));
  },
});

const created = await client.POST("/v1/payment_intents", {
  params: { header: { "Idempotency-Key": randomUUID() } },
  body: { payment_id: PAYMENT_ID, amount: 4200, currency: "HKD", payment_method: "pm_card_visa" },
});
if (created.data?.state !== "authorized") throw new Error(JSON.stringify(created));
const captured = await client.POST("/v1/payment_intents/{payment_id}/capture", {
  params: { path: { payment_id: PAYMENT_ID }, header: { "Idempotency-Key": randomUUID() } },
});
if (!captured.data) throw new Error(JSON.stringify(captured));
console.log(captured.data.state, captured.data.captured_amount);

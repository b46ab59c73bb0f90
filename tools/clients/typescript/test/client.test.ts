// Signatures, webhooks, errors and addresses. The scenarios in tests/clients/ test how requests are
// repeated.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";

import * as gateway from "../src/index.js";
import { apiError } from "../src/errors.js";

interface Vectors {
  secret: string;
  requests: Signed[];
  rejected: Signed[];
  webhooks: Webhook[];
}

interface Signed {
  name: string;
  method: string;
  target: string;
  timestamp: string;
  body: string;
  signature: string;
}

interface Webhook {
  name: string;
  header: string;
  body: string;
  secret: string;
  now: number;
  tolerance: number;
  valid: boolean;
}

// tests/data/signing.json of the repository, which tests/clients/ names.
const file = process.env.GATEWAY_VECTORS ?? "../../../tests/data/signing.json";
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;

function signatureOf({ method, target, timestamp, body }: Signed): string {
  return gateway.requestSignature(vectors.secret, method, target, timestamp, body);
}

test("requests are signed as the vectors", () => {
  for (const vector of vectors.requests)
    assert.equal(signatureOf(vector), vector.signature, vector.name);
});

test("a changed request has another signature", () => {
  for (const vector of vectors.rejected)
    assert.notEqual(signatureOf(vector), vector.signature, vector.name);
});

test("webhooks are verified as the vectors", () => {
  for (const { name, header, body, secret, now, tolerance, valid } of vectors.webhooks) {
    const verify = (): unknown =>
      gateway.verifyWebhook(header, Buffer.from(body), secret, { now, tolerance });
    if (valid) assert.deepEqual(verify(), JSON.parse(body), name);
    else assert.throws(verify, gateway.WebhookError, name);
  }
});

const fresh = vectors.webhooks[0];
assert(fresh);
const [time = "", signature = ""] = fresh.header.split(",");

function verifyFresh(header: string | undefined, secret = fresh?.secret ?? ""): unknown {
  return gateway.verifyWebhook(header, fresh?.body ?? "", secret, { now: fresh?.now ?? 0 });
}

test("one of several signatures is enough", () => {
  verifyFresh(`${time},v1=${"0".repeat(64)},${signature},v2=other`);
});

test("malformed headers are refused", () => {
  const upper = signature.replace("v1=", "").toUpperCase();
  for (const header of [
    ...[undefined, "", time, signature, `${time},${time},${signature}`, `t=,${signature}`],
    ...[`${time},v1=${upper}`, `t=-1,${signature}`, `${time}.0,${signature}`, `${time},v1=é`],
    `${time},${signature.slice(0, -1)}`,
  ])
    assert.throws(() => verifyFresh(header), gateway.WebhookError, header);
});

test("another secret is refused, and an empty one is a mistake", () => {
  assert.throws(() => verifyFresh(fresh.header, "whsec_other"), gateway.WebhookError);
  assert.throws(() => verifyFresh(fresh.header, ""), TypeError);
});

test("each answer has the most specific type", () => {
  for (const [status, code, kind] of [
    [400, "invalid_request", gateway.InvalidRequestError],
    [401, "PLATFORM_KEY_INVALID", gateway.AuthenticationError],
    [403, "SCOPE_DENIED", gateway.ForbiddenError],
    [404, "payment_not_found", gateway.NotFoundError],
    [409, "payment disputed", gateway.ConflictError],
    [409, "IDEMPOTENCY_KEY_REUSED", gateway.IdempotencyKeyReusedError],
    [409, "request already processing", gateway.StillProcessingError],
    [410, "cursor_expired", gateway.CursorExpiredError],
    [410, "token_unusable", gateway.ApiError],
    [422, "platform_key_required", gateway.BusinessError],
    [422, "merchant_not_charge_capable", gateway.NotChargeCapableError],
    [429, "rate_limited", gateway.RateLimitedError],
    [502, "refund rejected by provider", gateway.ServerError],
    [502, "provider outcome unknown", gateway.OutcomeUnknownError],
  ] as const) {
    for (const body of [{ error: code }, { error: { code, setup_url: "https://x.example" } }]) {
      const made = apiError(status, body);
      assert.equal(made.constructor, kind, code);
      assert.equal(made.code, code);
      // A link that works once does not get into a log.
      assert.doesNotMatch(inspect(made) + String(made.stack), /x\.example/);
    }
  }
});

test("a body that is no error is survived", () => {
  for (const body of [undefined, null, [], "text", {}, { error: 7 }, { error: null }])
    assert.equal(apiError(500, body).code, "");
});

test("secrets stay out of clear http and of the representation", () => {
  const key = { keyId: "mk_test_1", secret: "a secret" };
  for (const url of [
    ...["http://gateway.example", "ftp://localhost", "gateway.example"],
    "https://gateway.example/v1",
  ])
    assert.throws(() => new gateway.Client({ url, ...key }), TypeError, url);
  const url = "https://gateway.example";
  assert.doesNotMatch(inspect(new gateway.Client({ url, ...key }), { depth: 9 }), /a secret/);
  assert.throws(() => new gateway.Client({ url, keyId: "mk_test_1", secret: "" }), TypeError);
});

test("a platform's key sends the merchant and the environment", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url, request.headers["service-merchant"]?.toString());
    response.end('{"payments":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const platform = new gateway.Client({
    url: `http://127.0.0.1:${port}`,
    keyId: "mk_platform_1",
    secret: "secret",
  });
  const noon = new Date("2026-11-20T12:00:00Z");
  const merchant = platform.onBehalfOf("merch_1", "test");
  const filter = { state: ["captured" as const, "failed" as const], created_from: noon };
  for await (const each of merchant.listPayments(filter)) assert.fail(each.payment_id);
  for await (const each of platform.listPayments({ limit: 7 })) assert.fail(each.payment_id);
  platform.close();
  server.close();
  const query =
    "state=captured%2Cfailed&created_from=2026-11-20T12%3A00%3A00.000Z&limit=100&environment=test";
  assert.deepEqual(seen, [
    `/v1/payment_intents?${query}`,
    "merch_1",
    "/v1/payment_intents?limit=7",
    undefined,
  ]);
  assert.throws(() => merchant.getPayment(""), TypeError);
});

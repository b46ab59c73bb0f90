// Amounts, states, ids and webhooks. tests/clients/medusa.py tests the rest, in a real Medusa server.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import type { Logger } from "@medusajs/framework/types";
import { BigNumber } from "@medusajs/framework/utils";
import type { Payment, Refund } from "gateway-client";

import { decimalsOf, fromMinorUnits, toMinorUnits } from "../src/amounts.js";
import { MedusaRecords, type ModuleContainer } from "../src/medusa_records.js";
import { checkOptions, returnUrl } from "../src/options.js";
import { GatewayPaymentProvider } from "../src/provider.js";
import { lostRefund, reasonOf } from "../src/refunds.js";
import * as session from "../src/session.js";
import { settled } from "../src/settled.js";

const secret = "whsec_of_the_test";
const options = {
  url: "https://gateway.example",
  keyId: "mk_test_1",
  secret: "s",
  webhookSecret: secret,
  successUrl: "https://shop.example/paid?session={session_id}",
  cancelUrl: "https://shop.example/checkout",
};

const warnings: string[] = [];

function container(refunds: string[] = [], captures: object[] = []): ModuleContainer {
  const logger = { warn: (text: string) => warnings.push(text) } as unknown as Logger;
  return {
    logger,
    captureService: { list: () => Promise.resolve(captures) },
    refundService: { list: () => Promise.resolve(refunds.map((id) => ({ id }))) },
  } as unknown as ModuleContainer;
}

function payment(state: string, provider: object = {}, refunds: Partial<Refund>[] = []): Payment {
  return { state, provider: { status: "pending", ...provider }, refunds } as unknown as Payment;
}

test("each currency has the digits that the gateway gives it", () => {
  const known = JSON.parse(process.env.GATEWAY_CURRENCIES ?? '{"JPY":0,"HKD":2,"KWD":3}') as object;
  for (const [code, digits] of Object.entries(known)) assert.equal(decimalsOf(code), digits, code);
});

test("amounts are converted exactly, and back", () => {
  for (const [amount, currency, minor] of [
    [42.5, "hkd", 4250],
    [0.29, "usd", 29],
    [1.005, "kwd", 1005],
    ["4.205", "KWD", 4205],
    [4200, "jpy", 4200],
    [{ value: "9999999999.99" }, "pkr", 999999999999],
  ] as const) {
    assert.equal(toMinorUnits(amount, currency), minor);
    const back = fromMinorUnits(minor, currency);
    assert.equal(toMinorUnits(back, currency), minor);
    assert.equal(back.numeric, new BigNumber(amount).numeric);
  }
});

test("more digits than the currency has are rounded to the nearest minor unit, halves upwards", () => {
  assert.equal(toMinorUnits(10.004, "usd"), 1000);
  assert.equal(toMinorUnits("1.005", "usd"), 101);
  assert.equal(toMinorUnits(99.5, "jpy"), 100);
});

test("an amount of nothing, or beyond the gateway's limit, is refused", () => {
  for (const amount of [0, -1, 0.001, "10000000000"])
    assert.throws(() => toMinorUnits(amount, "usd"), /cannot be taken/);
});

test("a payment's id has its session's, and each attempt is another payment", () => {
  assert.equal(session.paymentIdOf("payses_01AB", 1), "pay_payses_01AB");
  assert.equal(session.paymentIdOf("payses_01AB", 2), "pay_payses_01AB-2");
  assert.equal(session.attemptOf("pay_payses_01AB"), 1);
  assert.equal(session.attemptOf("pay_payses_01AB-12"), 12);
  assert.equal(session.sessionIdOf("pay_payses_01AB-12"), "payses_01AB");
  assert.equal(session.sessionIdOf("pay_1001"), undefined);
});

test("idempotency keys are UUIDs, the same for the same request only", () => {
  const key = session.idempotencyKey("create", "pay_1");
  assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(session.idempotencyKey("create", "pay_1"), key);
  assert.notEqual(session.idempotencyKey("create", "pay_2"), key);
  assert.notEqual(session.idempotencyKey("refund", "pay_1"), key);
});

test("each state has its status, and an open outcome is pending", () => {
  for (const [state, status] of [
    ["created", "pending"],
    ["processing", "pending"],
    ["authorized", "authorized"],
    ["captured", "captured"],
    ["partially_refunded", "captured"],
    ["refunded", "canceled"],
    ["failed", "error"],
    ["voided", "canceled"],
    ["a state of the future", "pending"],
  ] as const)
    assert.equal(session.statusOf(payment(state)), status, state);
  const hosted_url = "https://gateway.example/pay";
  assert.equal(session.statusOf(payment("processing", { hosted_url })), "requires_more");
  const open = { hosted_url, error: { outcome: "unknown" } };
  assert.equal(session.statusOf(payment("processing", open)), "pending");
});

test("the customer returns to pages of the shop's origin only", () => {
  assert.equal(
    returnUrl(options.successUrl, undefined, "payses_1"),
    "https://shop.example/paid?session=payses_1",
  );
  const page = "https://shop.example/hk/paid";
  assert.equal(returnUrl(options.successUrl, page, "payses_1"), page);
  for (const other of ["https://evil.example/", "https://shop.example.evil/", "/paid", ""])
    assert.throws(() => returnUrl(options.successUrl, other, "payses_1"), /origin/);
});

test("a missing option is named", () => {
  checkOptions(options);
  assert.throws(() => {
    checkOptions({ ...options, webhookSecret: undefined });
  }, /webhookSecret/);
});

function webhook(type: string, data: object, key = secret): ReturnType<typeof post> {
  const rawData = Buffer.from(JSON.stringify({ id: "evt_1", type, data }));
  return post(rawData, key);
}

async function post(rawData: Buffer, key: string): Promise<{ action: string; data?: object }> {
  const at = String(Math.floor(Date.now() / 1000));
  const hex = createHmac("sha256", key).update(`${at}.`).update(rawData).digest("hex");
  const headers = { "x-service-signature": `t=${at},v1=${hex}` };
  const provider = new GatewayPaymentProvider(container(), options);
  return provider.getWebhookActionAndData({ data: {}, rawData, headers });
}

test("a webhook names the session, and the amount in Medusa's units", async () => {
  const data = { payment_id: "pay_payses_1", amount: 4205, currency: "KWD", captured_amount: 1205 };
  const captured = { session_id: "payses_1", amount: new BigNumber(1.205) };
  const known = await webhook("payment.captured", data);
  assert.deepEqual(JSON.parse(JSON.stringify(known)), {
    action: "captured",
    data: JSON.parse(JSON.stringify(captured)) as object,
  });
  assert.equal((await webhook("payment.succeeded", data)).action, "captured");
  assert.equal((await webhook("payment.failed", data)).action, "failed");
  assert.equal((await webhook("payment.voided", data)).action, "canceled");
});

test("other events, other payments and forged webhooks do nothing", async () => {
  const data = { payment_id: "pay_payses_1", amount: 4205, currency: "KWD", captured_amount: 4205 };
  const nothing = { action: "not_supported" };
  assert.deepEqual(await webhook("payment.refunded", data), nothing);
  assert.deepEqual(await webhook("payment.captured", { ...data, payment_id: "pay_1001" }), nothing);
  assert.deepEqual(warnings, []);
  assert.deepEqual(await webhook("payment.captured", data, "whsec_another"), nothing);
  assert.equal(warnings.length, 1);
});

test("a refund that Medusa has lost is found again, once, and no other is taken for it", async () => {
  const data = { refunds: {} } as session.SessionData;
  const one = { refund_id: "re_1", amount: 1000, status: "succeeded", reason: reasonOf("ref_1") };
  const find = (
    refund: object,
    known: string[] = [],
    stored = data,
  ): Promise<Refund | undefined> => {
    const records = new MedusaRecords(container(known));
    return lostRefund(payment("captured", {}, [refund]), stored, 1000, "ref_2", records);
  };
  assert.equal((await find(one))?.refund_id, "re_1");
  assert.equal(await find(one, ["ref_1"]), undefined, "it is under way in another request");
  assert.equal(await find(one, [], { ...data, refunds: { ref_9: "re_1" } }), undefined);
  assert.equal(await find({ ...one, amount: 999 }), undefined);
  assert.equal(await find({ ...one, status: "failed" }), undefined);
  assert.equal(await find({ ...one, reason: "one of three returned" }), undefined);
  assert.equal(await find({ ...one, reason: reasonOf("ref_2") }), undefined);
});

test("a payment is read until its outcome is known, or the time is over", async () => {
  const open = payment("processing", { error: { outcome: "unknown" } });
  const answers = [open, open, payment("authorized")];
  const read = (): Promise<Payment> => Promise.resolve(answers.shift() ?? open);
  assert.equal((await settled(read)).state, "authorized");
  assert.equal((await settled(read, 0)).state, "processing");
});

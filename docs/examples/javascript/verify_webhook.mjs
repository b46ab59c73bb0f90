// Checks whether a webhook is genuine: ends with 0 if it is, with 1 if not. Needs Node.js 18 and nothing else.
//
// WEBHOOK_SECRET=whsec_… node verify_webhook.mjs "$X_SERVICE_SIGNATURE" <BODY
//
// BODY is what was posted, to the byte, before anything parses it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

// `header` is X-Service-Signature, `body` a Buffer, `tolerance` seconds.
function genuine(header, body, secret, tolerance = 300) {
  const parts = header.split(",").map((part) => part.split("=", 2));
  const times = parts.filter(([name]) => name === "t").map(([, value]) => value);
  if (times.length !== 1 || !/^\d{1,12}$/.test(times[0])) return false;
  if (Math.abs(Date.now() / 1000 - Number(times[0])) > tolerance) return false;
  const expected = createHmac("sha256", secret).update(`${times[0]}.`).update(body).digest();
  // While the secret is being changed there are two signatures; one match is enough.
  const given = parts.filter(([name, value]) => name === "v1" && /^[0-9a-f]{64}$/.test(value));
  return given.some(([, value]) => timingSafeEqual(Buffer.from(value, "hex"), expected));
}

if (genuine(process.argv[2], readFileSync(0), process.env.WEBHOOK_SECRET)) {
  console.log("genuine");
} else {
  console.error("refused");
  process.exitCode = 1;
}

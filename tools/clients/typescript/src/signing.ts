import { createHash, createHmac } from "node:crypto";

/** The value of X-Service-Signature. The query of `target` is not signed; the body counts as it is sent. */
export function requestSignature(
  secret: string,
  method: string,
  target: string,
  timestamp: string,
  body: Uint8Array | string,
): string {
  const path = target.split("?", 1)[0] ?? "";
  const hash = createHash("sha256").update(body).digest("hex");
  const lines = [method, path, timestamp, hash].join("\n");
  return createHmac("sha256", secret).update(lines).digest("hex");
}

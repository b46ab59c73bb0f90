export * from "./client.js";
export * from "./errors.js";
export { Listing } from "./listing.js";
export * from "./models.js";
export { requestSignature } from "./signing.js";
export { verifyWebhook, type VerifyOptions } from "./webhooks.js";

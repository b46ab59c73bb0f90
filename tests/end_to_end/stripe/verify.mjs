// Reads recorded posts as JSON lines, {"body": "<base64>", "header": "…", "secret": "…"}, and prints for each the result of
// Stripe's own library: {"event": "evt_…", "type": "…"} or {"refused": "…"}.
import { createInterface } from 'node:readline';
import Stripe from 'stripe';

// The library requires a key; no calls are made to Stripe.
const stripe = new Stripe('sk_test_none');

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') continue;
  const post = JSON.parse(line);
  try {
    const event = stripe.webhooks.constructEvent(Buffer.from(post.body, 'base64'), post.header, post.secret);
    console.log(JSON.stringify({ event: event.id, type: event.type }));
  } catch (refusal) {
    if (!(refusal instanceof Stripe.errors.StripeSignatureVerificationError)) throw refusal;
    console.log(JSON.stringify({ refused: refusal.message.split('\n')[0] }));
  }
}

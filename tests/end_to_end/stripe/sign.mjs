// Reads events as JSON lines, {"body": "…", "secret": "…", "ago": seconds}, and prints for each the header Stripe-Signature that
// Stripe's own library makes.
import { createInterface } from 'node:readline';
import Stripe from 'stripe';

// The library requires a key; no calls are made to Stripe.
const stripe = new Stripe('sk_test_none');

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') continue;
  const { body, secret, ago } = JSON.parse(line);
  const timestamp = Math.floor(Date.now() / 1000) - ago;
  console.log(stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp }));
}

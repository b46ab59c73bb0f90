// Reads recorded posts as JSON lines, {"body": "…", "headers": {…}, "secret": "whsec_…"}, and prints for each the id of its event, or
// `refused`, as the Standard Webhooks project's library for JavaScript decides.
import { createInterface } from 'node:readline';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') continue;
  const { body, headers, secret } = JSON.parse(line);
  try {
    console.log(new Webhook(secret).verify(body, headers).id);
  } catch (refusal) {
    if (!(refusal instanceof WebhookVerificationError)) throw refusal;
    console.log('refused');
  }
}

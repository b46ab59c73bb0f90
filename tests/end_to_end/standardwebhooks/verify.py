"""Does what verify.mjs does, with the Standard Webhooks project's library for Python."""
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    post = json.loads(line)
    try:
        print(Webhook(post["secret"]).verify(post["body"], post["headers"])["id"])
    except WebhookVerificationError:
        print("refused")

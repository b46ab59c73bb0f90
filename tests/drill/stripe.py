"""The stand-in for Stripe (tests/stand_ins/stripe) in a process of its own: it outlives the gateway, and keeps a ledger."""
import collections
import json
import subprocess
import urllib.request

from stores import run

SECRET = "0123456789abcdefghijklmn"
WEBHOOK_SECRET = "whsec_0123456789abcdefghijklmnopqrstuv"


class Stripe:
    def __init__(self, programs, work):
        self.certificate, self.ledger = work / "stripe.pem", work / "stripe.jsonl"
        key = work / "stripe.key"
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out",
            self.certificate)
        # Its state must survive a kill of the gateway but no power cut, so it does not wait for the disk.
        command = [programs / "stripe-stand-in", "--listen=127.0.0.1:0", "--control-listen=127.0.0.1:0", "--no-sync",
                   f"--certificate={self.certificate}", f"--key={key}", f"--ledger={self.ledger}", "--accounts=acct_drill",
                   f"--webhook-secret={WEBHOOK_SECRET}"]
        with open(work / "stripe.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        words = self.process.stdout.readline().split()
        if len(words) != 6:
            raise SystemExit(f"stripe-stand-in does not listen: {(work / 'stripe.log').read_text()}")
        self.url, self.control = f"https://localhost:{words[2]}", f"http://127.0.0.1:{words[5]}/control"

    def set(self, **settings):
        request = urllib.request.Request(self.control, json.dumps(settings).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request).close()

    def configure(self, gateway, merchant):
        """Notifies the gateway, and takes the merchant's card payments."""
        settings = {"secret_key": f"sk_test_{SECRET}", "publishable_key": f"pk_test_{SECRET}",
                    "webhook_secret": WEBHOOK_SECRET, "api_base": self.url}
        gateway.ctl("provider", "set", "--provider", "stripe", "--mode", "test", "--settings-stdin", given=json.dumps(settings))
        of_merchant = ["--merchant", merchant, "--mode", "test", "--provider"]
        gateway.ctl("connection", "set", *of_merchant, "sandbox", "--status", "not_connected")
        gateway.ctl("connection", "set", *of_merchant, "stripe", "--status", "connected", "--account", "acct_drill")
        gateway.ctl("route", "set", *of_merchant, "stripe", "--currencies", "HKD", "--methods", "card")
        self.set(notifications={"url": f"{gateway.url}/v1/public/providers/stripe/{{mode}}/notifications"})

    def effects(self):
        """What the ledger has of each payment: amounts by kind, in order."""
        payments = collections.defaultdict(lambda: collections.defaultdict(list))
        with open(self.ledger, encoding="utf-8") as lines:
            for line in lines:
                of = json.loads(line)
                if of["kind"] in ("authorize", "capture", "refund", "cancel"):
                    payments[of["metadata"]["gateway_payment"]][of["kind"]].append(of["amount"])
        return payments

    def stop(self):
        self.process.terminate()
        self.process.wait()

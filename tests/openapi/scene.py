"""A gateway with a merchant, a platform and a grant between them, for Schemathesis to call."""
import html
import json
import pathlib
import re
import secrets
import subprocess
import time
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import requests

PASSWORD = "a password of an owner"
SCOPES = "payments:write payments:read customers:read customers:write"


class Gateway:
    """gatewayd with a data folder of its own, on a free port. Ends with its `with` block."""

    def __init__(self, programs, folder):
        self.programs, self.folder = pathlib.Path(programs), pathlib.Path(folder)
        self.log = open(self.folder / "log.jsonl", "w")
        self.process = subprocess.Popen(
            [self.programs / "gatewayd", "--dev", f"--data-dir={self.folder}/data", "--listen=127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.url = line.split()[-1]
                break
        else:
            raise SystemExit("gatewayd did not start: " + (self.folder / "log.jsonl").read_text())
        self.certificate = self.folder / "data" / "dev-certificate.pem"

    def __enter__(self):
        deadline = time.monotonic() + 60
        while requests.get(self.url + "/readyz", verify=self.certificate, timeout=10).status_code != 200:
            if time.monotonic() > deadline:
                raise SystemExit("the gateway is not ready after 60 s")
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def ctl(self, *words, given=""):
        told = subprocess.run([self.programs / "gatewayctl", f"--data-dir={self.folder}/data", "--json", *words],
                              input=given, capture_output=True, text=True, check=False)
        if told.returncode:
            raise SystemExit(f"gatewayctl {' '.join(words)}: {told.stderr or told.stdout}")
        return json.loads(told.stdout)


class Browser:
    """Follows redirects within the gateway, and submits its forms."""

    def __init__(self, gateway):
        self.base, self.session, self.left_for = gateway.url, requests.Session(), ""
        self.session.verify = str(gateway.certificate)

    def go(self, method, url, form=None):
        while True:
            answer = self.session.request(method, url, data=form, allow_redirects=False, timeout=30)
            if answer.status_code != 303:
                self.at, self.page = url, answer.text
                return
            url, method, form = urljoin(url, answer.headers["Location"]), "GET", None
            if not url.startswith(self.base):
                self.left_for = url
                return

    def press(self, action, **fields):
        form = next(each for each in re.findall(r"<form\b.*?</form>", self.page, re.S)
                    if re.search(rf'name="action" value="{action}"', each))
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
        target = re.match(r'<form[^>]* action="([^"]+)"', form)
        url = urljoin(self.at, html.unescape(target.group(1))) if target else self.at
        self.go("POST", url, {**dict(hidden), **fields, "action": action})


def grant(gateway, merchant, email, platform, address):
    """The owner consents on the consent screen. Returns the code that the platform gets."""
    owner = Browser(gateway)
    owner.go("GET", gateway.url + "/connect/authorize?" + urlencode(
        {"client_id": platform, "redirect_uri": address, "scope": SCOPES, "mode": "live", "state": "s"}))
    owner.press("sign-in", email=email, password=PASSWORD)
    owner.press("connect", merchant_id=merchant)
    return parse_qs(urlsplit(owner.left_for).query)["code"][0]


def prepare(gateway, signer):
    """`signer(key)` signs a request of `requests`. Returns the scene that signing_hook.py reads."""
    email, address = "owner@lantern.example", "https://acme.example/callback"
    merchant = gateway.ctl("merchant", "create", "--name", "Lantern Books")["merchant_id"]
    gateway.ctl("connection", "set", "--merchant", merchant, "--mode", "live", "--provider", "sandbox", "--status", "connected")
    gateway.ctl("route", "set", "--merchant", merchant, "--mode", "live", "--provider", "sandbox",
                "--currencies", "HKD,EUR,USD", "--methods", "card,recurring_card")
    gateway.ctl("merchant", "user", "add", "--merchant", merchant, "--email", email, "--role", "owner", "--password-stdin",
                given=PASSWORD)
    key = gateway.ctl("merchant", "key", "mint", "--merchant", merchant, "--mode", "test")
    platform = gateway.ctl("platform", "create", "--name", "Acme", "--slug", "acme", "--contact", "security@acme.example",
                           "--redirect-uri", address)["platform_id"]
    platform_key = gateway.ctl("platform", "key", "mint", "--platform", platform, "--scopes", SCOPES)
    code = grant(gateway, merchant, email, "acme", address)
    granted = requests.post(gateway.url + "/v1/public/connect/token", verify=gateway.certificate, auth=signer(platform_key),
                            headers={"Idempotency-Key": f"{secrets.token_hex(4)}-0000-4000-8000-{secrets.token_hex(6)}"},
                            json={"grant_type": "authorization_code", "code": code, "redirect_uri": address}, timeout=30)
    granted.raise_for_status()
    return {"merchant": merchant, "merchant_key": key, "platform_key": platform_key}

"""A browser, driven by chromedriver. Needs the standard library only."""
import base64
import json
import shutil
import subprocess
import tempfile
import urllib.request

from gateway import HANG_SECONDS
from languages import NotRun


class Browser:
    """Headless Chromium. It accepts the certificate that a gateway for development makes for itself."""

    def __init__(self):
        if not (shutil.which("chromedriver") and shutil.which("chromium")):
            raise NotRun("the client libraries need chromium and chromedriver")
        self.profile = tempfile.mkdtemp(prefix="shop-chromium-")
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.address = f"http://127.0.0.1:{line.rstrip().rstrip('.').split()[-1]}"
                break
        else:
            raise SystemExit("chromedriver does not start")
        # No sandbox, because tests also run as root.
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                 "--window-size=900,900", f"--user-data-dir={self.profile}"]
        wanted = {"browserName": "chrome", "acceptInsecureCerts": True, "timeouts": {"implicit": 60_000},
                  "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": flags}}
        self.path = ""
        self.path = "/session/" + self.command("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.command("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, method, path, body=None):
        sent = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + self.path + path, data=sent, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self.command("POST", "/url", {"url": url})

    def click(self, selector):
        found = self.command("POST", "/element", {"using": "css selector", "value": selector})
        self.command("POST", f"/element/{next(iter(found.values()))}/click")

    def has_no(self, selector):
        return not self.command("POST", "/execute/sync", {"script": "return document.querySelector(arguments[0])", "args": [selector]})

    def url(self):
        return self.command("GET", "/url")

    def text(self):
        found = self.command("POST", "/element", {"using": "css selector", "value": "body"})
        return self.command("GET", f"/element/{next(iter(found.values()))}/text")

    def screenshot(self, file):
        file.write_bytes(base64.b64decode(self.command("GET", "/screenshot")))

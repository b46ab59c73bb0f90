"""A shop: a Medusa server with the payment module of tools/clients/medusa, on a private PostgreSQL. Needs the standard library only."""
import contextlib
import glob
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

from gateway import HANG_SECONDS
from languages import NotRun, TypeScript, copy_npm_sources, needs, output_of

PROVIDER = "pp_gateway_hosted"
HOOK = "/hooks/payment/gateway_hosted"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(what, within=HANG_SECONDS):
    """Calls `what` until it returns a true value. Returns that value."""
    until = time.monotonic() + within
    while not (found := what()):
        if time.monotonic() > until:
            raise AssertionError("it did not happen in time")
        time.sleep(0.2)
    return found


def terminate(process, by=signal.SIGTERM):
    process.send_signal(by)
    try:
        process.wait(HANG_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def gateways_currencies():
    """Each currency that the gateway takes, with the digits of its minor unit."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "include/gateway/domain/money.hpp").read_text()
    known = re.findall('"([A-Z]{3})"', text.split("iso_4217", 1)[1].split("});", 1)[0])
    digits = text.split("::minor_digits() const noexcept {", 1)[1]
    none, three = (re.findall('"([A-Z]{3})"', digits.split(name, 1)[1].split("return", 1)[0]) for name in (" none :", " three :"))
    return {code: 0 if code in none else 3 if code in three else 2 for code in known}


class Module(TypeScript):
    """The payment module, beside the client library that it needs. Medusa is installed among its tools, once."""

    name = "medusa"

    def build(self):
        needs("node", "npm")
        self.copy, client = self.work / "package", self.work / "typescript"
        done = self.copy / "node_modules/installed"
        wanted = (self.folder / "package.json").read_text() + (self.folder / ".npmrc").read_text()
        copy_npm_sources(self.folder, self.copy)
        copy_npm_sources(self.folder.parent / "typescript", client)
        if not done.exists() or done.read_text() != wanted:
            ended = output_of(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], cwd=self.copy)
            if ended.returncode:
                print(ended.stderr[-2000:])
                raise NotRun("the npm package medusa cannot be installed")
            done.write_text(wanted)
        types = self.copy / "node_modules/@types"
        if not (self.run("node_modules/.bin/tsc", "-p", client, "--typeRoots", types, cwd=self.copy)
                and self.run("node_modules/.bin/tsc", "-p", "tsconfig.json", cwd=self.copy)):
            raise SystemExit(1)

    def check(self):
        self.build()
        bin_dir = self.copy / "node_modules/.bin"
        if not self.run(bin_dir / "tsc", "-p", "tsconfig.test.json", cwd=self.copy):
            return False
        tests = sorted(str(each) for each in (self.copy / "build/test").glob("*.test.js"))
        return all([
            self.run(bin_dir / "prettier", "--check", ".", cwd=self.copy),
            self.run(bin_dir / "eslint", "--max-warnings", "0", "src", "test", cwd=self.copy),
            self.run("node", "--test", *tests, cwd=self.copy, env={**os.environ, "GATEWAY_CURRENCIES": json.dumps(gateways_currencies())}),
        ])

    def new_shop(self, packages=True):
        """A folder of a shop that has installed both packages as the README says, and has its part of medusa-config. Without `packages`, a
        shop with Medusa's own modules only."""
        shop = self.copy / "shop"
        shutil.rmtree(shop, ignore_errors=True)
        shop.mkdir()
        (shop / "package.json").write_text('{"name":"shop","private":true}')
        for package in (self.work / "typescript", self.copy) if packages else ():
            if not self.run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", shop, cwd=package):
                raise SystemExit(1)
        # Medusa itself is in node_modules of the folder above.
        if packages and not self.run("npm", "install", "--silent", "--offline", "--no-audit", "--legacy-peer-deps", *shop.glob("*.tgz"), cwd=shop):
            raise SystemExit(1)
        # Medusa's program recognises a shop by this dependency; its version is that of the module's own tools.
        project = json.loads((shop / "package.json").read_text())
        tools = json.loads((self.folder / "package.json").read_text())["devDependencies"]
        project.setdefault("dependencies", {})["@medusajs/medusa"] = tools["@medusajs/medusa"]
        (shop / "package.json").write_text(json.dumps(project))
        entry = (self.folder / "README.md").read_text().split("```js\n", 1)[1].split("```", 1)[0]
        (shop / "medusa-config.js").write_text(CONFIGURATION.replace("MODULES", entry if packages else ""))
        return shop


CONFIGURATION = """const { defineConfig } = require("@medusajs/framework/utils");
const cors = process.env.SHOP_URL;
module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { storeCors: cors, adminCors: cors, authCors: cors, jwtSecret: "a secret of the test", cookieSecret: "another one" },
  },
  admin: { disable: true },
  modules: [
MODULES  ],
});
"""


class Postgres:
    """PostgreSQL in a folder of its own under /tmp, where its user may read, on a free port."""

    def __init__(self, durable=False):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
        if not found:
            raise NotRun("the client libraries need postgresql")
        programs = pathlib.Path(found[-1]).parent
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shop-postgres-"))
        # It refuses to run as root.
        self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder / "data"
        ended = output_of([*self.as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "shop", "--no-sync"], cwd=self.folder)
        if ended.returncode:
            raise SystemExit(ended.stderr)
        self.port = free_port()
        self.log = open(self.folder / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen([*map(str, [*self.as_user, programs / "postgres", "-D", data, "-p", self.port, "-k", self.folder]),
                                         "-c", "listen_addresses=127.0.0.1", "-c", f"fsync={'on' if durable else 'off'}"],
                                        stderr=self.log, cwd=self.folder)
        eventually(lambda: output_of([programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port]).returncode == 0)
        self.url = f"postgres://shop@127.0.0.1:{self.port}/postgres"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        terminate(self.process, signal.SIGINT)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class ApiError(AssertionError):
    def __init__(self, status, body):
        super().__init__(f"{status} {json.dumps(body)[:600]}")
        self.status, self.body = status, body


class Medusa:
    """The server, with a product of three prices and an admin, and its two APIs."""

    def __init__(self, shop, port, environment):
        self.folder, self.port = shop, port
        self.environment = {**os.environ, **environment, "NODE_ENV": "production", "MEDUSA_DISABLE_TELEMETRY": "true"}
        self.medusa = shop.parent / "node_modules/.bin/medusa"
        self.command("db:migrate")
        self.command("user", "--email", "admin@shop.example", "--password", "a password of the test")
        self.log_file = shop / "log"
        self.log = open(self.log_file, "w", encoding="utf-8")
        self.process = subprocess.Popen([self.medusa, "start", "--port", str(port), "--host", "127.0.0.1"], cwd=shop, env=self.environment,
                                        stdout=self.log, stderr=subprocess.STDOUT)
        self.token = self.key = None

    def command(self, *words):
        ended = output_of([self.medusa, *words], cwd=self.folder, env=self.environment)
        if ended.returncode:
            raise SystemExit(f"medusa {words[0]}: {ended.stdout[-3000:]}{ended.stderr[-3000:]}")

    def __enter__(self):
        with contextlib.ExitStack() as started:
            started.callback(self.__exit__)
            eventually(self.is_up)
            self.stock()
            started.pop_all()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            terminate(self.process)
        self.log.close()

    def is_up(self):
        if self.process.poll() is not None:
            raise SystemExit(f"Medusa ended: {self.log_file.read_text()[-3000:]}")
        with contextlib.suppress(OSError):
            return self.send("GET", "/health", None, {})[0] == 200
        return False

    def send(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_SECONDS)
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, path, sent, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith("{") else text

    def call(self, method, path, body, headers):
        status, answer = self.send(method, path, body, headers)
        if status >= 300:
            raise ApiError(status, answer)
        return answer

    def admin(self, method, path, body=None):
        return self.call(method, path, body, {"Authorization": f"Bearer {self.token}"})

    def store(self, method, path, body=None):
        return self.call(method, path, body, {"x-publishable-api-key": self.key})

    def stock(self):
        signed_in = {"email": "admin@shop.example", "password": "a password of the test"}
        self.token = self.call("POST", "/auth/user/emailpass", signed_in, {})["token"]
        channel = self.admin("POST", "/admin/sales-channels", {"name": "Web"})["sales_channel"]["id"]
        made = self.admin("POST", "/admin/api-keys", {"title": "Web", "type": "publishable"})["api_key"]
        self.admin("POST", f"/admin/api-keys/{made['id']}/sales-channels", {"add": [channel]})
        self.key = made["token"]
        self.regions = {}
        for currency, country in (("hkd", "hk"), ("jpy", "jp"), ("kwd", "kw")):
            region = {"name": country, "currency_code": currency, "countries": [country], "payment_providers": [PROVIDER]}
            self.regions[currency] = self.admin("POST", "/admin/regions", region)["region"]["id"]
        prices = [{"amount": amount, "currency_code": code} for amount, code in ((42.5, "hkd"), (4200, "jpy"), (4.205, "kwd"))]
        variant = {"title": "One", "manage_inventory": False, "options": {"Size": "one"}, "prices": prices}
        product = {"title": "Lantern", "status": "published", "options": [{"title": "Size", "values": ["one"]}], "variants": [variant],
                   "sales_channels": [{"id": channel}]}
        self.variant = self.admin("POST", "/admin/products", product)["product"]["variants"][0]["id"]

    def new_cart(self, currency="hkd"):
        """A cart with one lantern: its id and the id of its payment collection."""
        wanted = {"region_id": self.regions[currency], "email": "ada@customer.example",
                  "items": [{"variant_id": self.variant, "quantity": 1}]}
        cart = self.store("POST", "/store/carts", wanted)["cart"]["id"]
        return cart, self.store("POST", "/store/payment-collections", {"cart_id": cart})["payment_collection"]["id"]

    def new_session(self, collection, **data):
        body = {"provider_id": PROVIDER, "data": data}
        made = self.store("POST", f"/store/payment-collections/{collection}/payment-sessions", body)["payment_collection"]
        return next(each for each in made["payment_sessions"] if each["status"] == "pending")

    def complete(self, cart):
        """The order; None while the cart cannot be completed."""
        try:
            answer = self.store("POST", f"/store/carts/{cart}/complete")
        except ApiError as refused:
            if refused.status == 400:
                return None
            raise
        return answer["order"] if answer["type"] == "order" else None

    def order(self, order):
        fields = "id,display_id,status,payment_status,total,currency_code,*payment_collections.payments," \
                 "*payment_collections.payments.refunds,*payment_collections.payments.captures"
        return self.admin("GET", f"/admin/orders/{order}?fields={urllib.parse.quote(fields)}")["order"]

    def payment_of(self, order):
        return self.order(order)["payment_collections"][0]["payments"][0]

    def session(self, cart):
        """The cart's payment sessions as the storefront reads them."""
        fields = urllib.parse.quote("*payment_collection.payment_sessions")
        return self.store("GET", f"/store/carts/{cart}?fields={fields}")["cart"]["payment_collection"]["payment_sessions"]

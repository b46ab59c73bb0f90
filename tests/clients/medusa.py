#!/usr/bin/env python3
"""Tests the payment module of tools/clients/medusa.

    medusa.py checks   its formatter, linter and unit tests
    medusa.py shop     a real Medusa server with it: customers pay in a browser, and the admin API captures, refunds and cancels

GATEWAY_BIN_DIR is the folder of gatewayd and gatewayctl; default: build/. What is made is put under GATEWAY_WORK_DIR; default:
build/clients/, screenshots too. --only TEXT: only scenarios whose name has this text. Without Node.js, Medusa, PostgreSQL or a browser
it prints NOT RUN and ends with 77.
"""
import argparse
import contextlib
import hashlib
import hmac
import html
import json
import os
import pathlib
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browser import Browser
from faulty_proxy import Proxy
from gateway import Gateway
from languages import NotRun, needs
from shop import HOOK, ApiError, Medusa, Module, Postgres, eventually, free_port

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CREATE = "POST /v1/payment_intents"
# More than the client's 8 attempts, because one on a kept connection that was closed is not counted.
ALL = 20


def check(met, *words):
    if not met:
        raise AssertionError(" ".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in words))


class Storefront:
    """The shop's pages: the one after paying completes the cart and shows the order."""

    def __init__(self):
        owner = self
        self.medusa = None

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                target = urllib.parse.urlsplit(self.path)
                cart = dict(urllib.parse.parse_qsl(target.query)).get("cart")
                page = owner.order_page(cart) if target.path == "/paid" and cart else "<h1>The shop</h1>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(f"<!DOCTYPE html><title>The shop</title><body>{page}</body>".encode())

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def order_page(self, cart):
        made = self.medusa.complete(cart)
        if not made:
            return "<h1>Not paid yet</h1>"
        order = self.medusa.order(made["id"])
        shown = {name: order[name] for name in ("id", "status", "payment_status", "total", "currency_code")}
        return f"<h1>Order {order['display_id']}</h1><pre>{html.escape(json.dumps(shown, indent=2))}</pre>"


class Scenes:
    """The scenarios: each method whose name begins with `scene_`, in the order of the file. Its first line is its name."""

    def __init__(self, gateway, proxy, medusa, storefront, browser, merchant, secret, pictures):
        self.gateway, self.proxy, self.medusa, self.storefront, self.browser = gateway, proxy, medusa, storefront, browser
        self.merchant, self.secret, self.pictures = merchant, secret, pictures

    def payment(self, payment):
        """The payment as the operator sees it."""
        return self.gateway.ctl("payment", "show", payment, "--merchant", self.merchant, "--mode", "test")

    def provider_did(self, payment, **expected):
        found = self.gateway.provider_calls(self.merchant, payment)
        check(found == expected, "the provider carried out", found, "of", payment, "instead of", expected)

    def paid_once(self, payment, minor, **later):
        """The customer paid it on the hosted page, where the provider's ledger has no charge, and nothing else was asked of the provider."""
        found = self.payment(payment)
        check(found["captured_amount"] == minor, "at the gateway", found)
        self.provider_did(payment, **later)

    def state_is(self, payment, state):
        found = self.payment(payment)["state"]
        check(found == state, payment, "is", found, "instead of", state)

    def hosted(self, currency="hkd", returns=True):
        """A cart, and the data of its payment session for the hosted page."""
        cart, collection = self.medusa.new_cart(currency)
        page = f"{self.storefront.url}/paid" + (f"?cart={cart}" if returns else "")
        return cart, collection, self.medusa.new_session(collection, success_url=page)["data"]

    def pay(self, data):
        self.browser.open(data["hosted_url"])
        self.browser.click("button[name=action][value=pay]")
        eventually(lambda: self.browser.url().startswith(self.storefront.url))

    def ordered(self, cart):
        """The one order of a cart, read as its admin reads it."""
        made = self.medusa.complete(cart)
        check(made, "the cart cannot be completed:", self.medusa.session(cart))
        return self.medusa.order(made["id"])

    def token_order(self, token="pm_card_visa"):
        """An order paid by a token: the order, and the gateway's id of its payment."""
        cart, collection = self.medusa.new_cart()
        data = self.medusa.new_session(collection, payment_method=token)["data"]
        return self.ordered(cart), data["payment_id"]

    def scene_hosted_checkout(self):
        """a customer pays on the hosted page and returns: the order is paid; the admin refunds a part, then the rest"""
        cart, _, data = self.hosted()
        check(data["amount"] == 4250 and data["currency"] == "HKD", "the session's data", data)
        self.browser.open(data["hosted_url"])
        check("42.50" in self.browser.text(), "the hosted page shows", self.browser.text())
        self.browser.screenshot(self.pictures / "hosted_page.png")
        self.pay(data)
        check('"payment_status": "captured"' in self.browser.text(), "the shop's page shows", self.browser.text())
        self.browser.screenshot(self.pictures / "paid_order.png")
        order = self.ordered(cart)
        payment = order["payment_collections"][0]["payments"][0]
        check(order["payment_status"] == "captured" and order["total"] == 42.5 and len(payment["captures"]) == 1, "the order is", order)
        self.paid_once(data["payment_id"], 4250)

        self.medusa.admin("POST", f"/admin/payments/{payment['id']}/refund", {"amount": 10.25})
        check(self.payment(data["payment_id"])["refunded_total"] == 1025, "at the gateway", self.payment(data["payment_id"]))
        check(self.medusa.order(order["id"])["payment_status"] == "partially_refunded", "the order is", self.medusa.order(order["id"]))
        with contextlib.suppress(ApiError):
            self.medusa.admin("POST", f"/admin/payments/{payment['id']}/refund", {"amount": 40})
            raise AssertionError("more was refunded than was paid")
        self.medusa.admin("POST", f"/admin/payments/{payment['id']}/refund", {"amount": 32.25})
        self.state_is(data["payment_id"], "refunded")
        self.paid_once(data["payment_id"], 4250, refund=2)

    def scene_webhook(self):
        """a customer pays and never returns: the webhook makes the order, a forged webhook makes none, and it is charged once"""
        cart, _, data = self.hosted(returns=False)
        other_cart, _, other = self.hosted(returns=False)
        forged = {"id": "evt_1", "type": "payment.captured", "created": "2026-11-28T00:00:00.000Z", "merchant": {"id": "m", "entity_id": "e"},
                  "data": {"payment_id": other["payment_id"], "state": "captured", "amount": 4250, "currency": "HKD", "captured_amount": 4250}}
        self.post_webhook(forged, "whsec_" + "0" * 64)
        self.pay(data)
        order = eventually(lambda: self.order_of(data))
        check(order["payment_status"] == "captured", "the order is", order)
        check(self.ordered(cart)["id"] == order["id"], "completing the cart made another order")
        # Even a genuine one of a payment that is not paid makes no order: the payment is read.
        self.post_webhook(forged, self.secret)
        eventually(lambda: "is not genuine" in self.medusa.log_file.read_text())
        eventually(lambda: f"{other['session_id']} was not authorized" in self.medusa.log_file.read_text())
        check(self.order_of(other) is None, "a forged webhook made an order of", other_cart)
        self.paid_once(data["payment_id"], 4250)

    def post_webhook(self, event, secret):
        body, at = json.dumps(event).encode(), str(int(time.time()))
        signature = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
        status, _ = self.medusa.send("POST", HOOK, body, {"X-Service-Signature": f"t={at},v1={signature}"})
        check(status == 200, "Medusa answered the webhook with", status)

    def order_of(self, data):
        """The order that was paid by this session; None without one."""
        fields = urllib.parse.quote("id,payment_status,*payment_collections.payments")
        for order in self.medusa.admin("GET", f"/admin/orders?limit=1000&fields={fields}")["orders"]:
            for payment in order["payment_collections"][0]["payments"]:
                if payment["data"]["payment_id"] == data["payment_id"]:
                    return order
        return None

    def scene_digits(self):
        """amounts have the digits of their currency, at the gateway and back: JPY none, KWD three"""
        for currency, minor, shown in (("jpy", 4200, "4,200"), ("kwd", 4205, "4.205")):
            cart, _, data = self.hosted(currency)
            check(data["amount"] == minor, currency, "became", data)
            self.browser.open(data["hosted_url"])
            check(shown in self.browser.text(), "the hosted page shows", self.browser.text())
            self.pay(data)
            order = self.ordered(cart)
            check(order["payment_status"] == "captured", "the order is", order)
            payment = order["payment_collections"][0]["payments"][0]["id"]
            part = {"jpy": 1200, "kwd": 1.205}[currency]
            self.medusa.admin("POST", f"/admin/payments/{payment}/refund", {"amount": part})
            check(self.payment(data["payment_id"])["refunded_total"] == minor - 3000, "at the gateway", self.payment(data["payment_id"]))

    def scene_capture(self):
        """an order paid by a token is authorized; the admin captures it, all of it or a part"""
        order, payment = self.token_order()
        check(order["payment_status"] == "authorized", "the order is", order)
        self.state_is(payment, "authorized")
        self.medusa.admin("POST", f"/admin/payments/{self.medusa.payment_of(order['id'])['id']}/capture", {})
        self.state_is(payment, "captured")
        check(self.medusa.order(order["id"])["payment_status"] == "captured", "the order is", self.medusa.order(order["id"]))
        self.provider_did(payment, create=1, capture=1)

        order, payment = self.token_order()
        medusas = self.medusa.payment_of(order["id"])["id"]
        self.medusa.admin("POST", f"/admin/payments/{medusas}/capture", {"amount": 12.5})
        check(self.payment(payment)["captured_amount"] == 1250, "at the gateway", self.payment(payment))
        with contextlib.suppress(ApiError):
            self.medusa.admin("POST", f"/admin/payments/{medusas}/capture", {"amount": 12.5})
            raise AssertionError("Medusa recorded a second capture, which the gateway does not make")
        self.provider_did(payment, create=1, capture=1)

        order, payment = self.token_order("pm_card_captureDeclined")
        with contextlib.suppress(ApiError):
            self.medusa.admin("POST", f"/admin/payments/{self.medusa.payment_of(order['id'])['id']}/capture", {})
            raise AssertionError("a refused capture was recorded")
        check(self.medusa.order(order["id"])["payment_status"] == "authorized", "the order is", self.medusa.order(order["id"]))

    def scene_cancel(self):
        """cancelling an order releases an authorized payment, and refunds a captured one"""
        order, payment = self.token_order()
        self.medusa.admin("POST", f"/admin/orders/{order['id']}/cancel")
        self.state_is(payment, "voided")
        check(self.medusa.order(order["id"])["status"] == "canceled", "the order is", self.medusa.order(order["id"]))

        cart, _, data = self.hosted()
        self.pay(data)
        self.medusa.admin("POST", f"/admin/orders/{self.ordered(cart)['id']}/cancel")
        self.state_is(data["payment_id"], "refunded")
        self.paid_once(data["payment_id"], 4250, refund=1)

    def scene_another_session(self):
        """another payment session closes the page of the one before; once that is paid, there is no other"""
        cart, collection, first = self.hosted(returns=False)
        second = self.medusa.new_session(collection)["data"]
        self.state_is(first["payment_id"], "failed")
        self.browser.open(first["hosted_url"])
        check("42.50" in self.browser.text() and self.browser.has_no("button[value=pay]"), "the first page shows", self.browser.text())
        check(second["payment_id"] != first["payment_id"], "the second session has the first one's payment")
        self.pay(second)
        with contextlib.suppress(ApiError):
            self.medusa.new_session(collection)
            raise AssertionError("a paid cart got another payment session")
        check(self.ordered(cart)["payment_status"] == "captured", "the order is not paid")
        self.paid_once(second["payment_id"], 4250)

    def scene_declined(self):
        """a declined token makes no order; the customer pays with another one"""
        cart, collection = self.medusa.new_cart()
        data = self.medusa.new_session(collection, payment_method="pm_card_chargeDeclined")["data"]
        check(self.medusa.complete(cart) is None, "a declined payment made an order")
        self.state_is(data["payment_id"], "failed")
        self.medusa.new_session(collection, payment_method="pm_card_visa")
        check(self.ordered(cart)["payment_status"] == "authorized", "the order is not authorized")

    def scene_challenge(self):
        """a token that needs the customer makes no order until the customer has approved"""
        cart, collection = self.medusa.new_cart()
        data = self.medusa.new_session(collection, payment_method="pm_card_authenticationRequired")["data"]
        check(self.medusa.complete(cart) is None, "an order was made before the customer approved")
        session = self.medusa.session(cart)[0]
        check(session["status"] == "requires_more", "the session is", session)
        self.pay(session["data"])
        check(self.ordered(cart)["payment_status"] == "authorized", "the order is not authorized")
        self.state_is(data["payment_id"], "authorized")

    def scene_unknown(self):
        """a provider that does not answer makes no failed order and no second charge: the cart is completed later"""
        cart, collection = self.medusa.new_cart()
        data = self.medusa.new_session(collection, payment_method="pm_card_timeout")["data"]
        check(self.medusa.complete(cart) is None, "an order was made although the outcome was not known")
        check(self.medusa.session(cart)[0]["status"] == "pending", "the session is", self.medusa.session(cart))
        with contextlib.suppress(ApiError):
            self.medusa.new_session(collection, payment_method="pm_card_visa")
            raise AssertionError("there could be a second charge while the first one's outcome is open")
        order = eventually(lambda: self.medusa.complete(cart))
        check(self.medusa.order(order["id"])["payment_status"] == "authorized", "the order is", order)
        self.provider_did(data["payment_id"], create=1)

    def scene_lost_answers(self):
        """lost answers: a step is repeated, and there is one charge and one refund"""
        cart, collection = self.medusa.new_cart()
        data = self.medusa.new_session(collection, payment_method="pm_card_visa")["data"]
        self.proxy.begin([{"on": CREATE, "do": "cut"}] * ALL)
        check(self.medusa.complete(cart) is None, "an order was made without an answer")
        self.proxy.begin([])
        order = self.ordered(cart)
        medusas = self.medusa.payment_of(order["id"])["id"]
        self.medusa.admin("POST", f"/admin/payments/{medusas}/capture", {})

        # All of the refund's answers are lost, and then those of the question what became of it.
        one = f"/v1/payment_intents/{data['payment_id']}"
        self.proxy.begin([{"on": f"GET {one}", "do": "pass"}] + [{"on": f"POST {one}/refund", "do": "cut"}] * ALL
                         + [{"on": f"GET {one}", "do": "drop"}] * ALL)
        with contextlib.suppress(ApiError):
            self.medusa.admin("POST", f"/admin/payments/{medusas}/refund", {"amount": 10})
            raise AssertionError("a refund without an answer was recorded")
        self.proxy.begin([])
        check(not self.medusa.payment_of(order["id"])["refunds"], "Medusa has recorded a refund")
        self.medusa.admin("POST", f"/admin/payments/{medusas}/refund", {"amount": 10})
        check(self.payment(data["payment_id"])["refunded_total"] == 1000, "it was refunded twice:", self.payment(data["payment_id"]))
        # The next one of the same amount is another refund.
        self.medusa.admin("POST", f"/admin/payments/{medusas}/refund", {"amount": 10})
        check(self.payment(data["payment_id"])["refunded_total"] == 2000, "at the gateway", self.payment(data["payment_id"]))
        self.provider_did(data["payment_id"], create=1, capture=1, refund=2)


def run_scenes(scenes, only):
    passed = failed = 0
    for name in [each for each in vars(Scenes) if each.startswith("scene_")]:
        scene = getattr(scenes, name)
        title = scene.__doc__.splitlines()[0]
        if only not in title:
            continue
        scenes.proxy.begin([])
        try:
            scene()
            passed += 1
            print(f"passed: {title}", flush=True)
        except AssertionError as why:
            failed += 1
            print(f"FAILED: {title}: {why}", flush=True)
    print(f"medusa: {passed} passed, {failed} failed")
    return failed == 0 and passed > 0


def run_shop(module, programs, only):
    needs("node", "npm")
    with contextlib.ExitStack() as started:
        browser = started.enter_context(Browser())
        postgres = started.enter_context(Postgres())
        module.build()
        shop = module.new_shop()
        gateway = started.enter_context(Gateway(programs, "--provider-timeout=1s", "--reconcile-first=25s", "--reconcile-interval=100ms"))
        proxy = Proxy(gateway.url, gateway.certificate, gateway.server_pair)
        started.callback(proxy.close)
        storefront = started.enter_context(Storefront())
        who, port = gateway.new_merchant(), free_port()
        secret = gateway.ctl("destination", "set", "--merchant", who["merchant"], "--mode", "test",
                             "--url", f"http://127.0.0.1:{port}{HOOK}")["secret"]
        environment = {"GATEWAY_URL": proxy.url, "GATEWAY_KEY_ID": who["key_id"], "GATEWAY_SECRET": who["secret"],
                       "GATEWAY_CA_FILE": str(gateway.certificate), "GATEWAY_WEBHOOK_SECRET": secret, "SHOP_URL": storefront.url,
                       "DATABASE_URL": postgres.url}
        medusa = started.enter_context(Medusa(shop, port, environment))
        storefront.medusa = medusa
        done = run_scenes(Scenes(gateway, proxy, medusa, storefront, browser, who["merchant"], secret, module.work), only)
        if not done:
            print(f"Medusa's log: {medusa.log_file}")
        return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["checks", "shop"])
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    work = pathlib.Path(os.environ.get("GATEWAY_WORK_DIR", ROOT / "build/clients"))
    module = Module(ROOT / "tools/clients/medusa", work / "medusa")
    try:
        if chosen.what == "checks":
            done = module.check()
        else:
            done = run_shop(module, pathlib.Path(os.environ.get("GATEWAY_BIN_DIR", ROOT / "build")), chosen.only)
    except NotRun as why:
        print(f"tests/clients: NOT RUN: {why}")
        return 77
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())

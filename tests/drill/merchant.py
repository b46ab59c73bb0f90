"""A merchant's program: it keeps each request with its Idempotency-Key, so that it can repeat it."""
import collections
import datetime
import hashlib
import hmac
import http.client
import json
import queue
import ssl
import threading
import time
import urllib.parse
import uuid

ANSWER_SECONDS = 60
# Statuses after which the same request is repeated.
REPEATED = {408, 429, 500, 503}


class Caller:
    """One kept-alive connection, and the key that signs on it."""

    def __init__(self, gateway, account):
        self.host = urllib.parse.urlsplit(gateway.url)
        self.account = account
        self.trust = ssl.create_default_context(cafile=str(gateway.certificate))
        self.connection = None

    def signed(self, method, path, body):
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = "\n".join([method, path, at, hashlib.sha256(body).hexdigest()])
        signature = hmac.new(self.account["secret"].encode(), text.encode(), hashlib.sha256).hexdigest()
        return {"X-Service-Key-Id": self.account["key_id"], "X-Service-Timestamp": at, "X-Service-Signature": signature}

    def request(self, method, path, body=None, key=None):
        """Status and answer. Raises OSError or HTTPException if the connection breaks."""
        sent = json.dumps(body).encode() if body is not None else b""
        headers = self.signed(method, path, sent)
        if key:
            headers |= {"Idempotency-Key": key, "Content-Type": "application/json"}
        if not self.connection:
            self.connection = http.client.HTTPSConnection(self.host.hostname, self.host.port, context=self.trust,
                                                          timeout=ANSWER_SECONDS)
        try:
            self.connection.request(method, path, body=sent or None, headers=headers)
            answer = self.connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise


class Step:
    """One write. `status` is None until it is answered for good."""

    def __init__(self, operation, path, body=None):
        self.operation, self.path, self.body = operation, path, body
        self.key = str(uuid.uuid4())
        self.status = self.answer = None


class Payment:
    """Every tenth stays authorized, two of ten are voided; of the captured ones three are refunded in part and one in whole."""

    def __init__(self, number):
        self.id = f"pay_{uuid.uuid4().hex}"
        self.amount = 1_000 + number % 9_000
        path = f"/v1/payment_intents/{self.id}"
        self.steps = [Step("create", "/v1/payment_intents", {"payment_id": self.id, "amount": self.amount, "currency": "HKD",
                                                            "payment_method": "pm_card_visa"})]
        self.captured = self.refunded = 0
        self.voided = number % 10 in (7, 8)
        if self.voided:
            self.steps.append(Step("void", path + "/void"))
        elif number % 10 != 9:
            self.captured = self.amount
            self.steps.append(Step("capture", path + "/capture"))
        if number % 10 < 4:
            self.refunded = self.amount if number % 10 == 3 else 500
            self.steps.append(Step("refund", path + "/refund", {"amount": self.refunded, "reason": "drill"}))

    def state(self):
        if self.voided:
            return "voided"
        if not self.captured:
            return "authorized"
        return {0: "captured", self.captured: "refunded"}.get(self.refunded, "partially_refunded")


class Crowd:
    """Threads that make the steps of payments, each payment's in order."""

    def __init__(self, gateway, account, clients):
        self.gateway, self.account = gateway, account
        self.waiting = queue.SimpleQueue()
        self.done = 0
        self.over = threading.Event()
        self.guard = threading.Lock()
        self.statuses = collections.Counter()
        self.faults = []
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(clients)]

    def begin(self, payments, how):
        """`how` is called with a caller and a payment, and returns False if the gateway has gone."""
        self.how = how
        for each in payments:
            self.waiting.put(each)
        for each in self.threads:
            each.start()

    def work(self):
        caller = Caller(self.gateway, self.account)
        while not self.over.is_set():
            try:
                payment = self.waiting.get_nowait()
            except queue.Empty:
                return
            try:
                gone = not self.how(self, caller, payment)
            except (OSError, http.client.HTTPException):
                gone = True
            if gone:
                return
            with self.guard:
                self.done += 1

    def await_done(self, count):
        while self.done < count and any(each.is_alive() for each in self.threads):
            time.sleep(0.01)
        return self.done >= count

    def finish(self):
        for each in self.threads:
            each.join()

    def fault(self, *words):
        with self.guard:
            self.faults.append(" ".join(str(word) for word in words))


def send(crowd, caller, step):
    """Sends the step until its answer is final."""
    while True:
        status, answer = caller.request("POST", step.path, step.body, step.key)
        with crowd.guard:
            crowd.statuses[status] += 1
        running = status == 409 and answer.get("error") == "request already processing"
        if status not in REPEATED and not running:
            return status, answer
        if crowd.over.is_set():
            return None, None
        time.sleep(0.1)


def begin_only(crowd, caller, payment):
    return make(crowd, caller, payment, payment.steps[:1])


def make_all(crowd, caller, payment):
    return make(crowd, caller, payment, payment.steps)


def make(crowd, caller, payment, steps):
    """Makes the steps that have no answer yet."""
    for step in steps:
        if step.status is not None:
            continue
        status, answer = send(crowd, caller, step)
        if status is None:
            return False
        step.status, step.answer = status, answer
        if status != 200:
            crowd.fault(payment.id, step.operation, "is answered with", status, answer)
    return True


def repeat_all(crowd, caller, payment):
    """Repeats every step with its first key. 409: the recovery has found it done already, or it cannot be done."""
    for step in payment.steps:
        status, answer = send(crowd, caller, step)
        if status is None:
            return False
        if status not in (200, 409):
            crowd.fault(payment.id, step.operation, "is repeated, and answered with", status, answer)
    return True

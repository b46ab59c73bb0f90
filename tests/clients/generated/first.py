"""A create and a capture through the client that openapi-python-client makes."""
import datetime
import hashlib
import hmac
import os
import ssl
import uuid

import httpx
from payments_gateway_client import Client
from payments_gateway_client.api.payments import capture_payment, create_payment
from payments_gateway_client.models import CaptureResult, CreatePayment, PaymentResult


class Signed(httpx.Auth):
    requires_request_body = True

    def auth_flow(self, request):
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        path = request.url.raw_path.split(b"?")[0].decode()
        lines = "\n".join([request.method, path, at, hashlib.sha256(request.content).hexdigest()])
        request.headers["X-Service-Key-Id"] = os.environ["GATEWAY_KEY_ID"]
        request.headers["X-Service-Timestamp"] = at
        request.headers["X-Service-Signature"] = hmac.new(os.environ["GATEWAY_SECRET"].encode(), lines.encode(), hashlib.sha256).hexdigest()
        yield request


client = Client(base_url=os.environ["GATEWAY_URL"], verify_ssl=ssl.create_default_context(cafile=os.environ["GATEWAY_CA_FILE"]),
                httpx_args={"auth": Signed()})
payment = os.environ["PAYMENT_ID"]
body = CreatePayment(payment_id=payment, amount=4200, currency="HKD", payment_method="pm_card_visa")
created = create_payment.sync(client=client, idempotency_key=str(uuid.uuid4()), body=body)
assert isinstance(created, PaymentResult) and created.state == "authorized", created
captured = capture_payment.sync(payment, client=client, idempotency_key=str(uuid.uuid4()))
assert isinstance(captured, CaptureResult), captured
print(captured.state.value, captured.captured_amount)

#!/usr/bin/env python3
"""The other sides of tools/bench fairness: the receiver of webhooks, and clients that misbehave.

fairness.py receive DIR     answers posts to /quiet at once and writes to DIR/quiet.log how many milliseconds after its event's
                            `created` each came; answers posts to /slow/… after 9.9 s. Over TLS, too, with the
                            certificate and key of DIR, on the port that it writes to DIR/tls-port
fairness.py swallow ADDR    a name server that answers nothing
fairness.py KIND URL [N]    misbehaves until it is ended, and says `misbehaves` once it does. The environment has KEY_ID and SECRET
                            of a merchant's key, or COOKIE of a person who is signed in, or PAGE, the address of a list.
  metadata   100 payments with as much metadata as is taken      idle      N connections that ask nothing
  payments   50 payments a second                                unknown   500 requests a second by keys that do not exist
  csv        50 downloads of a list that are read slowly         sign-ins  50 sign-ins a second, from as many addresses
  backlog    one command, ENABLE of the environment
"""
import asyncio, datetime, hashlib, hmac, json, os, re, shlex, socket, ssl, sys, time, urllib.parse, uuid

tls = ssl.create_default_context()
tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE


async def message(reader):
    """First line, headers and body of a request or answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return head[0], headers, await reader.readexactly(int(headers.get("content-length", 0)))


# ---- webhooks -----------------------------------------------------------------------------------

async def receive(folder):
    log = open(os.path.join(folder, "quiet.log"), "w", buffering=1)

    async def serve(reader, writer):
        try:
            while True:
                first, _, body = await message(reader)
                if " /quiet " in first:
                    created = datetime.datetime.fromisoformat(json.loads(body)["created"])
                    log.write("%.0f\n" % (time.time() * 1000 - created.timestamp() * 1000))
                else:
                    await asyncio.sleep(9.9)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem"))
    options = {"limit": 4 << 20, "backlog": 1024}
    servers = [await asyncio.start_server(serve, "127.0.0.1", 0, ssl=each, **options) for each in (None, own)]
    plain, secure = (each.sockets[0].getsockname()[1] for each in servers)
    with open(os.path.join(folder, "tls-port"), "w") as file:
        file.write(str(secure))
    print("listening on http://localhost:%d" % plain, flush=True)
    await servers[0].serve_forever()


async def swallow(address):
    sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.bind((address, 53))
    print("listening on", address, flush=True)
    while True:
        await asyncio.sleep(3600)


# ---- clients ------------------------------------------------------------------------------------

class client:
    """One kept-alive connection, opened when it is needed."""

    def __init__(self, url, local=None):
        at = urllib.parse.urlsplit(url)
        self.host, self.port, self.local, self.streams = at.hostname, at.port, local and (local, 0), None

    async def open(self):
        self.streams = await asyncio.open_connection(self.host, self.port, ssl=tls, local_addr=self.local, limit=1 << 20)

    async def send(self, method, path, headers, body=b""):
        if not self.streams:
            await self.open()
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: %s:%d" % (self.host, self.port), "Content-Length: %d" % len(body)]
        lines += ["%s: %s" % pair for pair in headers.items()]
        self.streams[1].write("\r\n".join(lines + ["", ""]).encode() + body)
        await self.streams[1].drain()

    async def ask(self, *request):
        try:
            await self.send(*request)
            first, headers, body = await message(self.streams[0])
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            return 0, {}, b""
        if headers.get("connection") == "close":
            self.close()
        return int(first.split()[1]), headers, body

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None

    async def signed(self, method, path, body=b"", key=None, secret=None):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        text = "\n".join([method, path.partition("?")[0], at, hashlib.sha256(body).hexdigest()])
        sign = hmac.new((secret or os.environ["SECRET"]).encode(), text.encode(), hashlib.sha256).hexdigest()
        headers = {"X-Service-Key-Id": key or os.environ["KEY_ID"], "X-Service-Timestamp": at, "X-Service-Signature": sign}
        if method == "POST":
            headers.update({"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"})
        return await self.ask(method, path, headers, body)

    async def sell(self, metadata=None):
        """The status of the create. A payment that is captured has an event."""
        name = "pay_" + uuid.uuid4().hex
        wanted = {"payment_id": name, "amount": 4200, "currency": "HKD", "payment_method": "pm_card_visa", "metadata": metadata or {}}
        status, _, _ = await self.signed("POST", "/v1/payment_intents", json.dumps(wanted).encode())
        if status == 200:
            await self.signed("POST", "/v1/payment_intents/%s/capture" % name)
        return status


def misbehaves():
    print("misbehaves", flush=True)


async def paced(clients, rate, do):
    """Each client in turn, so many times a second in all. What is late is left out."""
    async def one(which, number):
        due = time.monotonic() + number / rate
        while True:
            await asyncio.sleep(max(0, due - time.monotonic()))
            await do(which)
            due = max(due + len(clients) / rate, time.monotonic())
    await asyncio.gather(*(one(which, number) for number, which in enumerate(clients)))


async def metadata(url, _):
    by, value = client(url), "x" * 18000
    full = {"k%d" % i: value for i in range(50)}
    # As much as the gateway accepts: 900 KB if only the body is limited, and less if the metadata is.
    if await by.sell(full) == 400:
        full = {"k%d" % i: value for i in range(3)}
    for _ in range(100):
        await by.sell(full)
    misbehaves()


async def payments(url, _):
    asyncio.get_running_loop().call_later(2, misbehaves)
    await paced([client(url) for _ in range(16)], 50, lambda by: by.sell())


async def csv(url, _):
    async def one():
        by = client(url)
        try:
            await by.send("GET", urllib.parse.urlsplit(os.environ["PAGE"]).path, {"Cookie": os.environ["COOKIE"]})
            while await by.streams[0].read(100):
                await asyncio.sleep(1)
        except OSError:
            pass
    asyncio.get_running_loop().call_later(2, misbehaves)
    await asyncio.gather(*(one() for _ in range(50)))


async def sign_ins(url, _):
    async def attempt(by):
        _, headers, page = await by.ask("GET", "/portal/sign-in", {})
        token = re.search(rb'name="csrf" value="([^"]*)"', page)
        form = {"csrf": token.group(1).decode() if token else "", "email": uuid.uuid4().hex + "@crowd.example",
                "password": "one of many passwords", "action": "sign-in"}
        await by.ask("POST", "/portal/sign-in", {"Content-Type": "application/x-www-form-urlencoded",
                     "Cookie": headers.get("set-cookie", "").split(";")[0]}, urllib.parse.urlencode(form).encode())
    asyncio.get_running_loop().call_later(2, misbehaves)
    await paced([client(url, "127.9.%d.%d" % (i // 250, i % 250 + 1)) for i in range(200)], 50, attempt)


async def idle(url, count):
    async def one():
        while True:
            by = client(url)
            try:
                await by.open()
                await by.streams[0].read()
            except OSError:
                pass
            by.close()
            await asyncio.sleep(1)
    asyncio.get_running_loop().call_later(3, misbehaves)
    await asyncio.gather(*(one() for _ in range(count)))


async def backlog(url, _):
    command = await asyncio.create_subprocess_exec(*shlex.split(os.environ["ENABLE"]), stdout=asyncio.subprocess.DEVNULL)
    if await command.wait() != 0:
        sys.exit("the destination was not enabled")
    misbehaves()


async def unknown(url, _):
    asyncio.get_running_loop().call_later(2, misbehaves)
    await paced([client(url) for _ in range(32)], 500,
                lambda by: by.signed("GET", "/v1/payment_intents/pay_1", b"", "mk_test_" + uuid.uuid4().hex[:16], "a secret"))


async def main(kind, where, count=0):
    kinds = {"metadata": metadata, "payments": payments, "csv": csv, "sign-ins": sign_ins, "idle": idle, "unknown": unknown,
             "backlog": backlog}
    if kind in kinds:
        await kinds[kind](where, int(count))
        await asyncio.sleep(3600)
    await {"receive": receive, "swallow": swallow}[kind](where)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:])) if len(sys.argv) > 2 else sys.exit(__doc__)

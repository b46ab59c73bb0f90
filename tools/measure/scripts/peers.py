#!/usr/bin/env python3
"""Measures the processor time that another product takes for the gateway's work. For `tools/bench peers`.

    peers.py medusa SECONDS CONNECTIONS    whole lives of payments in Medusa's payment module, on PostgreSQL
    peers.py outpost SECONDS CONNECTIONS   events published to Outpost until they are delivered, with RabbitMQ, Redis and PostgreSQL

Prints `measured COUNT SECONDS PROCESSOR_SECONDS OF_THESE_IN_STORES`. Every store writes to the disk before it answers. Without what a product
needs it prints NOT RUN with the reason and ends with 77. OUTPOST_SOURCE is a folder with Outpost's source, if its module cannot be downloaded.
"""
import contextlib
import glob
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/clients"))

from languages import NotRun, needs, output_of  # noqa: E402
from shop import Module, Postgres, eventually, free_port, terminate  # noqa: E402

WORK = ROOT / "build/bench/peers"
MEDUSA = ROOT / "build/clients"
OUTPOST = "github.com/hookdeck/outpost"
OUTPOST_VERSION = "v1.2.0"


def processor_seconds(roots):
    """The processor time of these processes, of their descendants, and of those of their children that have ended."""
    used, children = {}, {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = pathlib.Path(stat).read_text().rpartition(")")[2].split()
            process = int(stat.split("/")[2])
            children.setdefault(int(fields[1]), []).append(process)
            used[process] = sum(map(int, fields[11:15]))
    left, ticks = list(roots), 0
    while left:
        process = left.pop()
        ticks += used.get(process, 0)
        left += children.get(process, [])
    return ticks / os.sysconf("SC_CLK_TCK")


class Span:
    """What a product and its stores use from its beginning to its end."""

    def __init__(self, product, stores):
        self.product, self.stores = product, stores
        self.began, self.before = time.monotonic(), self.used()

    def used(self):
        return processor_seconds(self.product), processor_seconds(self.stores)

    def end(self, count):
        seconds = time.monotonic() - self.began
        product, stores = (after - before for after, before in zip(self.used(), self.before))
        print(f"measured {count} {seconds:.2f} {product + stores:.2f} {stores:.2f}", flush=True)


def measure_medusa(seconds, connections):
    module = Module(ROOT / "tools/clients/medusa", MEDUSA / "medusa")
    module.build()
    shop = module.new_shop(packages=False)
    shutil.copy(ROOT / "tools/measure/scripts/peers.js", shop / "peers.js")
    medusa = shop.parent / "node_modules/.bin/medusa"
    with Postgres(durable=True) as database:
        environment = {**os.environ, "DATABASE_URL": database.url, "SHOP_URL": "http://127.0.0.1", "NODE_ENV": "production",
                       "MEDUSA_DISABLE_TELEMETRY": "true"}
        migrated = output_of([medusa, "db:migrate"], cwd=shop, env=environment)
        if migrated.returncode:
            raise SystemExit(migrated.stdout[-3000:] + migrated.stderr[-3000:])
        process = subprocess.Popen([medusa, "exec", "./peers.js", str(seconds), str(connections)], cwd=shop, env=environment,
                                   stdout=subprocess.PIPE, text=True)
        span = None
        said = []
        for line in process.stdout:
            said.append(line)
            if line == "begins\n":
                span = Span([process.pid], [database.process.pid])
            elif line.startswith("ends "):
                span.end(int(line.split()[1]))
        if process.wait() or not span:
            raise SystemExit("".join(said[-30:]))


def outpost_programs():
    """The folder of its programs, built once."""
    needs("go")
    programs = WORK / f"outpost-{OUTPOST_VERSION}"
    if (programs / "outpost-server").exists():
        return programs
    source = os.environ.get("OUTPOST_SOURCE")
    if not source:
        got = output_of(["go", "mod", "download", "-json", f"{OUTPOST}@{OUTPOST_VERSION}"], cwd=WORK)
        found = json.loads(got.stdout or "{}")
        if got.returncode or "Dir" not in found:
            raise NotRun(f"Outpost's Go module cannot be downloaded: {found.get('Error', got.stderr)[:200]}")
        source = WORK / "outpost"
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(found["Dir"], source)
        output_of(["chmod", "-R", "u+w", source])
    programs.mkdir(exist_ok=True)
    built = output_of(["go", "build", "-buildvcs=false", "-tags", "nomsgpack", "-o", f"{programs}/", "./cmd/outpost", "./cmd/outpost-server"],
                      cwd=source, env={**os.environ, "CGO_ENABLED": "0"})
    if built.returncode:
        raise NotRun(f"Outpost does not build: {built.stderr[-300:]}")
    return programs


class Service:
    """A server that ends with the `with` block."""

    def __init__(self, folder, command, environment=None, stop=signal.SIGTERM):
        self.stop = stop
        self.log = open(folder / f"{pathlib.Path(command[0]).name}.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(list(map(str, command)), cwd=folder, env={**os.environ, **(environment or {})}, stdout=self.log,
                                        stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            terminate(self.process, self.stop)
        self.log.close()

    def wait(self, is_up):
        def check():
            if self.process.poll() is not None:
                raise SystemExit(f"a server ended: {pathlib.Path(self.log.name).read_text()[-2000:]}")
            return is_up()
        eventually(check)


def rabbitmq(folder):
    program = pathlib.Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
    if not program.exists():
        raise NotRun("Outpost needs rabbitmq-server")
    port, distribution, mapper = free_port(), free_port(), free_port()
    (folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{port}\nloopback_users = none\n")
    (folder / "plugins").write_text("[].\n")
    environment = {"RABBITMQ_NODENAME": "peers@localhost", "RABBITMQ_BASE": folder, "RABBITMQ_MNESIA_BASE": folder / "mnesia",
                   "RABBITMQ_LOG_BASE": folder, "RABBITMQ_CONFIG_FILE": folder / "rabbitmq", "RABBITMQ_ENABLED_PLUGINS_FILE": folder / "plugins",
                   "RABBITMQ_DIST_PORT": distribution, "ERL_EPMD_PORT": mapper, "RABBITMQ_LOGS": "-", "HOME": folder}
    started = Service(folder, [program], {name: str(value) for name, value in environment.items()})
    return started, port


def is_open(port):
    with contextlib.suppress(OSError):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.connect()
        connection.close()
        return True
    return False


def call(port, method, path, body=None, connection=None):
    asked = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    asked.request(method, path, json.dumps(body) if body is not None else None,
                  {"Authorization": "Bearer key", "Content-Type": "application/json"})
    answer = asked.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"{method} {path}: {answer.status} {text[:300]}")
    return text


def publish_for(seconds, connections, port):
    """Publishes events over so many connections. Returns how many were accepted."""
    until, counts = time.monotonic() + seconds, [0] * connections
    data = {"payment_id": "pay_outage_100000", "state": "captured", "amount": 4200, "currency": "HKD"}

    def client(number):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < until:
            call(port, "POST", "/api/v1/publish", {"tenant_id": "shop", "topic": "payment.captured", "data": data}, connection)
            counts[number] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(connections)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sum(counts)


def measure_outpost(seconds, connections):
    WORK.mkdir(parents=True, exist_ok=True)
    programs = outpost_programs()
    needs("redis-server")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-", dir=WORK))
    with contextlib.ExitStack() as started:
        started.callback(shutil.rmtree, folder, ignore_errors=True)
        database = started.enter_context(Postgres(durable=True))
        redis_port = free_port()
        redis = started.enter_context(Service(folder, ["redis-server", "--port", redis_port, "--bind", "127.0.0.1", "--dir", folder,
                                                       "--appendonly", "yes", "--appendfsync", "always", "--save", ""]))
        redis.wait(lambda: is_open(redis_port))
        queue, queue_port = rabbitmq(folder)
        started.enter_context(queue)
        queue.wait(lambda: is_open(queue_port))
        receiver = started.enter_context(Service(folder, [ROOT / "tools/nginx", "receive", folder / "nginx"]))
        receiver.wait(lambda: (folder / "nginx/pid").exists())
        address = pathlib.Path(receiver.log.name).read_text().split("listening on ")[1].split()[0]
        port = free_port()
        environment = {"PORT": port, "API_PORT": port, "API_KEY": "key", "API_JWT_SECRET": "secret",
                       "AES_ENCRYPTION_SECRET": "0123456789abcdef0123456789abcdef",
                       "TOPICS": "payment.captured", "REDIS_HOST": "127.0.0.1", "REDIS_PORT": redis_port,
                       "POSTGRES_URL": f"{database.url}?sslmode=disable",
                       "RABBITMQ_SERVER_URL": f"amqp://guest:guest@127.0.0.1:{queue_port}", "DELIVERY_MAX_CONCURRENCY": connections,
                       "PUBLISH_MAX_CONCURRENCY": connections, "LOG_MAX_CONCURRENCY": connections, "LOG_LEVEL": "error", "GIN_MODE": "release",
                       "DISABLE_TELEMETRY": "true", "SSL_CERT_FILE": folder / "nginx/certificate.pem"}
        environment = {name: str(value) for name, value in environment.items()}
        migrated = output_of([programs / "outpost", "migrate", "apply", "--yes"], cwd=folder, env={**os.environ, **environment})
        if migrated.returncode:
            raise SystemExit(migrated.stdout[-2000:] + migrated.stderr[-2000:])
        server = started.enter_context(Service(folder, [programs / "outpost-server"], environment))
        server.wait(lambda: is_open(port))
        call(port, "PUT", "/api/v1/tenants/shop")
        call(port, "POST", "/api/v1/tenants/shop/destinations", {"type": "webhook", "topics": ["*"], "config": {"url": f"{address}/hook/0"}})
        arrived = folder / "nginx/came.log"

        def deliver(lasts):
            before = sum(1 for _ in open(arrived, encoding="utf-8"))
            count = publish_for(lasts, connections, port)
            eventually(lambda: sum(1 for _ in open(arrived, encoding="utf-8")) >= before + count)
            return count

        deliver(2)
        span = Span([server.process.pid], [database.process.pid, redis.process.pid, queue.process.pid])
        span.end(deliver(seconds))


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("medusa", "outpost"):
        raise SystemExit(__doc__)
    try:
        {"medusa": measure_medusa, "outpost": measure_outpost}[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]))
    except NotRun as why:
        print(f"NOT RUN: {why}")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The drill of a rotation: three nodes of tools/cluster serve gateway-load while their master key is rotated and the old one retired. No
request may fail, and none may be answered with 503.

tools/drill runs it, and says what its options are.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from stores import ROOT, run

NODES = 3
# Only a hanging gateway-load takes so long to make its merchants.
START_SECONDS = 900
RESEAL_SECONDS = 1_800
# gateway-load serves on for this long after the old key was retired.
AFTERWARDS_SECONDS = 3


class Cluster:
    """tools/cluster, in a folder of its own."""

    def __init__(self, programs, work):
        self.programs, self.data = programs, work / "cluster"
        self.certificates = self.data / "certificates/clients-ca.pem"
        command = [ROOT / "tools/cluster", str(NODES), f"--data-dir={self.data}", "--port=0", "--no-build", "--begin-wait=30s"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.url = line.split()[-1]
                return
        raise SystemExit("tools/cluster did not start")

    def operators_url(self, node):
        """As tools/cluster chooses the ports."""
        return f"http://127.0.0.1:{int(self.url.rsplit(':', 1)[1]) + 10 * node + 1}"

    def ctl(self, node, *words):
        return json.loads(run(self.programs / "gatewayctl", f"--data-dir={self.data}/n{node}", "--json", *words))

    def answers(self, node):
        """How many requests of the API this node has answered, by status."""
        with urllib.request.urlopen(f"{self.operators_url(node)}/metrics") as answer:
            text = answer.read().decode()
        counted = collections.Counter()
        for route, status, count in re.findall(r'^gateway_http_requests_total\{route="([^"]*)",status="(\d+)"\} (\d+)', text, re.M):
            if route.startswith("/v1/"):
                counted[int(status)] += int(count)
        return counted

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def sealed_by_old_keys(keys):
    return sum(each["sealed"] for each in keys if not each["current"])


def rotate(cluster):
    """Rotates, waits until nothing is sealed under the old key, retires it. Returns lines about it."""
    before = cluster.ctl(1, "master-key", "status")["keys"]
    old = next(each["id"] for each in before if each["current"])
    texts = sum(each["sealed"] for each in before)
    at = time.monotonic()
    new = cluster.ctl(1, "master-key", "rotate")["id"]
    rotated = time.monotonic()
    while left := sealed_by_old_keys(cluster.ctl(2, "master-key", "status")["keys"]):
        if time.monotonic() - rotated > RESEAL_SECONDS:
            raise SystemExit(f"after {RESEAL_SECONDS} s {left} texts are still sealed under {old}")
        time.sleep(0.2)
    resealed = time.monotonic()
    cluster.ctl(3, "master-key", "retire", old)
    retired = time.monotonic()
    for node in range(1, NODES + 1):
        keys = cluster.ctl(node, "master-key", "status")["keys"]
        if [each["id"] for each in keys] != [new]:
            raise SystemExit(f"node n{node} has other keys than {new}: {keys}")
    return [f"{rotated - at:8.2f} s  rotate", f"{resealed - rotated:8.2f} s  until {texts} texts were sealed again",
            f"{retired - resealed:8.2f} s  retire"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--merchants", type=int, default=2_000)
    parser.add_argument("--rate", type=int, default=300)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build")
    wanted = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="gateway-drill-"))
    print(f"rotation on {NODES} nodes: {wanted.merchants} merchants' keys, gateway-load at {wanted.rate}/s on all nodes", flush=True)
    cluster = Cluster(wanted.programs, work)
    load = None
    try:
        result = work / "load.json"
        load = subprocess.Popen(
            [wanted.programs / "gateway-load", "run", "lifecycle:3", "replay", f"--data-dir={cluster.data}/n1",
             f"--target={cluster.url}", f"--ca-file={cluster.certificates}", f"--merchants={wanted.merchants}",
             f"--rate={wanted.rate}", "--duration=1h", f"--json={result}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        started = time.monotonic()
        began = [cluster.answers(node) for node in range(1, NODES + 1)]
        deadline = started + START_SECONDS
        while min(sum(cluster.answers(node).values()) for node in range(1, NODES + 1)) < 20:
            if load.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("gateway-load does not reach every node: " + (load.stdout.read() if load.poll() is not None else ""))
            time.sleep(0.2)
        print(f"{time.monotonic() - started:8.2f} s  until the merchants were made and every node served", flush=True)
        lines = rotate(cluster)
        time.sleep(AFTERWARDS_SECONDS)
        load.send_signal(signal.SIGINT)
        report = load.communicate()[0]
        ended = [cluster.answers(node) for node in range(1, NODES + 1)]
    finally:
        if load and load.poll() is None:
            load.kill()
            load.wait()
        cluster.stop()
    print("\n".join(lines))
    failed = unavailable = 0
    for node, (before, after) in enumerate(zip(began, ended), 1):
        answers = after - before
        unavailable += answers[503]
        failed += sum(count for status, count in answers.items() if status >= 400)
        print(f"{'':10}  n{node} answered {dict(sorted(answers.items()))}")
    print(f"{'':10}  {failed} requests failed, {unavailable} were answered with 503")
    if failed or load.returncode:
        print(report)
        raise SystemExit(f"requests failed, or gateway-load found a broken promise; everything is kept in {work}")
    shutil.rmtree(work, ignore_errors=True)
    print("rotation: no request failed")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The drill of a restore: a backup is made under load, payments follow, the gateway is killed, the backup is put in the place of its
database, and `gatewayctl recover` is run. Then each payment is compared with the ledger of its provider, which ran all the time.

    restore.py WAY   WAY: sqlite, mariadb-dump, mariadb-backup

tools/drill runs it, and says what its options are.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from merchant import Caller, Crowd, Payment, begin_only, make_all, repeat_all
from stores import ROOT, WAYS
from stripe import Stripe

sys.path.insert(0, str(ROOT / "tests/clients"))
from gateway import Gateway  # pylint: disable=wrong-import-position

RECOVERY_SECONDS = 3_600
SETTLE_SECONDS = 600


class Clock:
    """Prints the duration of a part."""

    def __init__(self):
        self.at = time.monotonic()

    def tell(self, *words):
        now = time.monotonic()
        print(f"{now - self.at:8.1f} s  {' '.join(str(word) for word in words)}", flush=True)
        self.at = now


class Drill:
    def __init__(self, wanted, programs, work):
        self.wanted, self.programs = wanted, programs
        self.faults = []
        self.store = WAYS[wanted.way](work)
        self.stripe = Stripe(programs, work)
        self.gateway = Gateway(programs, "--operator-listen=127.0.0.1:0", f"--provider-ca-file={self.stripe.certificate}",
                               "--begin-wait=30s", "--reconcile-first=1s", "--reconcile-longest=5s",
                               *self.store.gateway_options(), within=work)
        self.gateway.command_seconds = RECOVERY_SECONDS
        self.account = self.gateway.new_merchant()
        self.stripe.configure(self.gateway, self.account["merchant"])
        self.beside = None
        self.clock = Clock()

    def close(self):
        self.end_load()
        self.gateway.process.kill()
        self.gateway.process.wait()
        self.stripe.stop()
        self.store.stop()

    def check(self, met, *words):
        if not met:
            self.faults.append(" ".join(str(word) for word in words))

    def crowd(self):
        return Crowd(self.gateway, self.account, self.wanted.clients)

    def begin_load(self):
        """Runs gateway-load beside the merchant: complete lifecycles of payments, at the sandbox."""
        command = [self.programs / "gateway-load", "run", "lifecycle", f"--data-dir={self.gateway.data_dir}",
                   f"--rate={self.wanted.rate}", "--duration=1h", "--no-verify"]
        self.beside = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end_load(self):
        if self.beside and self.beside.poll() is None:
            self.beside.kill()
            self.beside.wait()

    def run(self):
        older = [Payment(number) for number in range(max(1, self.wanted.payments // 10))]
        # More than are asked for, so that the kill finds some half-way.
        newer = [Payment(number) for number in range(self.wanted.payments + 20 * self.wanted.clients)]
        self.before_backup(older)
        begun = self.store.back_up(self.gateway)
        self.clock.tell("backup made under load")
        made = self.until_kill(older, newer)
        self.store.restore(self.gateway)
        self.clock.tell("backup restored")
        self.gateway.start()
        self.clock.tell("gateway started")
        self.refuses_writes(older[0])
        recovered = self.gateway.ctl("recover", "--from", begun)
        self.clock.tell("recovered:", {name: len(found) if isinstance(found, list) else found for name, found in recovered.items()})
        self.after_recovery(made, recovered)
        self.clock.tell("each payment compared")
        repeats = self.crowd()
        repeats.begin(made, repeat_all)
        repeats.finish()
        self.faults += repeats.faults
        self.clock.tell("every request repeated by its merchant:", dict(repeats.statuses))
        self.at_the_end(made)
        self.clock.tell("each payment compared again")
        self.gateway.ctl("audit", "verify")

    def before_backup(self, older):
        self.begin_load()
        crowd = self.crowd()
        crowd.begin(older, begin_only)
        crowd.finish()
        self.faults += crowd.faults
        self.clock.tell(len(older), "payments begun before the backup")

    def until_kill(self, older, newer):
        """Returns the payments that were begun."""
        crowd = self.crowd()
        crowd.begin(older + newer, make_all)
        enough = len(older) + self.wanted.payments
        self.check(crowd.await_done(enough), "the clients ended before the kill")
        self.check(self.beside.poll() is None, "gateway-load ended before the kill")
        self.gateway.kill()
        crowd.over.set()
        crowd.finish()
        self.end_load()
        self.faults += crowd.faults
        effects = self.stripe.effects()
        begun = [each for each in older + newer if each.id in effects or each.steps[0].status is not None]
        steps = sum(step.status is not None for each in begun for step in each.steps)
        half_way = sum(each.steps[-1].status is None for each in begun)
        self.clock.tell(f"{crowd.done} payments, {steps} requests answered, then kill -9; {half_way} payments were half-way")
        return begun

    def refuses_writes(self, known):
        caller = Caller(self.gateway, self.account)
        self.check('"database_is_old"' in self.gateway.log_file.read_text(), "the log does not say that the database is old")
        for target in "/healthz", "/readyz", f"/v1/payment_intents/{known.id}", f"/v1/payment_intents/{known.id}/timeline":
            status, _ = caller.request("GET", target)
            self.check(status == 200, target, "is answered with", status)
        fresh = Payment(0)
        for step in (fresh.steps[0], *known.steps[1:]):
            status, answer = caller.request("POST", step.path, step.body, step.key)
            self.check((status, answer.get("error")) == (503, "recovery_required"),
                       step.operation, "before the recovery is answered with", status, answer)
        self.clock.tell("reads and health checks are answered, writes are refused")

    def payments_here(self, made):
        """Each payment as the gateway shows it; None if it is unknown."""
        found = {}

        def look(_, caller, payment):
            status, answer = caller.request("GET", f"/v1/payment_intents/{payment.id}")
            found[payment.id] = answer if status == 200 else None
            if status not in (200, 404):
                self.check(False, payment.id, "cannot be read:", status)
            return True

        crowd = self.crowd()
        crowd.begin(made, look)
        crowd.finish()
        self.check(len(found) == len(made), len(made) - len(found), "payments were not read")
        return found

    def compare(self, payment, seen, effects):
        """One payment with what its provider has done."""
        captured, refunded = sum(effects["capture"]), sum(effects["refund"])
        state = ("voided" if effects["cancel"] else "authorized" if not captured else "captured" if not refunded else
                 "refunded" if refunded == captured else "partially_refunded")
        here = seen["state"], seen["amount"], seen["captured_amount"], seen["refunded_total"]
        there = state, effects["authorize"][0], captured, refunded
        self.check(here == there, payment, "is", here, "and at its provider", there)

    def after_recovery(self, made, recovered):
        """Checks that the payments have every operation of the provider, or that it is listed as unknown here."""
        self.check(recovered["recovered"] and recovered["required"], "the recovery was not required, or not done")
        self.check(not recovered["unanswered"], "about some payments the provider did not answer:", recovered["unanswered"][:3])
        unknown = {each["about"] for each in recovered["unknown"]}
        effects, seen = self.stripe.effects(), self.payments_here(made)
        counted = collections.Counter()
        for payment in made:
            name = f"payment {self.account['merchant']}/test/{payment.id}"
            if seen[payment.id]:
                counted["here"] += 1
                self.check(name not in unknown, payment.id, "is here, and is listed as unknown")
                self.compare(payment.id, seen[payment.id], effects[payment.id])
            elif payment.id in effects:
                counted["unknown here"] += 1
                self.check(name in unknown, payment.id, "is at its provider, and neither here nor listed as unknown")
            else:
                counted["nowhere"] += 1
                self.check(payment.steps[0].status is None, payment.id, "was answered, and its provider has nothing")
        listed = {line["payment_id"] for line in self.sandbox_lines()}
        lost = {each.rsplit("/", 1)[1] for each in unknown}
        kept = self.load_here() & listed
        self.check(listed <= lost | kept, len(listed - lost - kept), "payments of gateway-load are neither here nor unknown")
        counted["gateway-load's, here"], counted["gateway-load's, unknown here"] = len(kept), len(listed & lost)
        print(f"{'':10}  {dict(counted)}")

    def sandbox_lines(self):
        return [json.loads(line) for line in self.gateway.ledger.read_text().splitlines()]

    def load_here(self):
        """The ids of gateway-load's payments that the gateway has, as its operator lists them."""
        found = set()
        for merchant in {line["merchant"] for line in self.sandbox_lines()}:
            more = []
            while more is not None:
                page = self.gateway.ctl("payment", "list", "--merchant", merchant, "--limit", "1000", *more)
                found |= {each["payment_id"] for each in page["payments"]}
                more = ["--after", page["next"]] if page.get("next") else None
        return found

    def at_the_end(self, made):
        """Checks that each payment is as its merchant planned, here and at the provider, with each operation done once."""
        seen, deadline = self.payments_here(made), time.monotonic() + SETTLE_SECONDS
        while any(each and each["state"] == "processing" for each in seen.values()) and time.monotonic() < deadline:
            time.sleep(1)
            seen = self.payments_here(made)
        effects = self.stripe.effects()
        self.check(set(effects) <= {each.id for each in made}, "the provider has payments of no merchant")
        for payment in made:
            done = effects[payment.id]
            planned = {"authorize": [payment.amount], "capture": [payment.captured] if payment.captured else [],
                       "refund": [payment.refunded] if payment.refunded else [], "cancel": [payment.amount] if payment.voided else []}
            there = {kind: done[kind] for kind in planned}
            self.check(there == planned, payment.id, "was planned as", planned, "and its provider has done", there)
            if not seen[payment.id]:
                self.check(False, payment.id, "is missing")
                continue
            self.check(seen[payment.id]["state"] == payment.state(), payment.id, "is", seen[payment.id]["state"], "and was to be",
                       payment.state())
            if done["authorize"]:
                self.compare(payment.id, seen[payment.id], done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--payments", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build")
    wanted = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="gateway-drill-"))
    print(f"{WAYS[wanted.way].name}: {wanted.payments} payments after the backup, {wanted.clients} clients,"
          f" gateway-load at {wanted.rate}/s beside them", flush=True)
    drill = Drill(wanted, wanted.programs, work)
    try:
        drill.run()
    finally:
        drill.close()
    for fault in drill.faults[:20]:
        print("FAULT:", fault)
    if drill.faults:
        raise SystemExit(f"{len(drill.faults)} faults; everything is kept in {work}")
    shutil.rmtree(work, ignore_errors=True)
    print(f"{WAYS[wanted.way].name}: nothing was charged twice, and nothing is missing")


if __name__ == "__main__":
    main()

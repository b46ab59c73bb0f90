#!/usr/bin/env python3
"""Tests a client library of tools/clients/.

    run.py scenarios LANGUAGE   runs the scenarios (scenarios.json) against a gateway behind a proxy that cuts, delays and doubles
    run.py checks LANGUAGE      the library's own formatter, linter and unit tests

LANGUAGE: python, typescript, go, php. GATEWAY_BIN_DIR is the folder of gatewayd and gatewayctl; default: build/. What is made is
put under GATEWAY_WORK_DIR; default: build/clients/. --only TEXT: only scenarios whose name has this text. Without the language's
tools it prints NOT RUN and ends with 77.
"""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import threading
import urllib.parse
import uuid

import documented
import languages
from faulty_proxy import Proxy
from gateway import HANG_SECONDS, Gateway

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Failed(AssertionError):
    """An expectation that is not met."""


def check(met, *words):
    if not met:
        raise Failed(" ".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in words))


def contains(found, expected):
    """Whether an answer has everything that is expected."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(name in found and contains(found[name], each) for name, each in expected.items())
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(contains, found, expected))
    return found == expected


def filled(value, names):
    """A copy in which each $name has its value."""
    if isinstance(value, dict):
        return {filled(key, names): filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, names) for each in value]
    if not isinstance(value, str):
        return value
    for name, given in names.items():
        if value == name:
            return given
        if isinstance(given, str):
            value = value.replace(name, given)
    return value


def new_names():
    names = {f"${name}": f"pay_{uuid.uuid4().hex}" for name in ("pay", "other")}
    names["$key"] = str(uuid.uuid4())
    event = documented.example_events()[0]
    names.update({f"$event{i}": {**copy.deepcopy(event), "id": f"evt_{i}"} for i in (1, 2, 3)})
    return names


class Suite:
    """The scenarios of one language, on one gateway and one proxy."""

    def __init__(self, language, gateway, proxy):
        self.language, self.gateway, self.proxy = language, gateway, proxy

    def environment(self, who):
        return {**os.environ, **self.language.environment, "GATEWAY_URL": self.proxy.url, "GATEWAY_KEY_ID": who["key_id"],
                "GATEWAY_SECRET": who["secret"], "GATEWAY_CA_FILE": str(self.gateway.certificate)}

    def run_readme(self):
        """The first program of the README prints what the README says."""
        self.proxy.begin([{"do": "cut"}, {"do": "pass"}, {"do": "cut_body"}])
        command = self.language.readme_command()
        ended = subprocess.run(command, capture_output=True, text=True, env=self.environment(self.gateway.new_merchant()), check=False,
                               timeout=HANG_SECONDS, cwd=pathlib.Path(command[-1]).parent)
        check(ended.stdout == "captured\n" and ended.returncode == 0, "it printed", ended.stdout, ended.stderr[-2000:])

    def run_steps(self, who, steps, options=None):
        """The lines that the language's runner prints, one for each step."""
        given = json.dumps({"steps": steps, "options": options or {}})
        ended = subprocess.run(self.language.runner, input=given, capture_output=True, text=True, env=self.environment(who), check=False,
                               timeout=HANG_SECONDS, cwd=self.language.folder)
        check(ended.returncode == 0, "the runner failed:", ended.stderr[-3000:] or ended.stdout[-3000:])
        lines = [json.loads(each) for each in ended.stdout.splitlines()]
        check(len(lines) == len(steps), "the runner ended early:", ended.stdout[-1000:], ended.stderr[-1000:])
        return lines

    def prepare(self, who, wanted):
        """Creates the payments that exist before the scenario begins: returns their ids, in the order of creation."""
        made = [f"pay_{i}_{uuid.uuid4().hex[:8]}" for i in range(wanted.get("payments", 0) or wanted.get("captured", 0))]
        steps = []
        for payment in made:
            steps.append({"do": "createPayment", "body": {"payment_id": payment, "amount": 4200, "currency": "HKD",
                                                          "payment_method": "pm_card_visa"}})
            if wanted.get("captured"):
                steps.append({"do": "capturePayment", "path": [payment]})
        for line in self.run_steps(who, steps):
            check("result" in line, "preparing failed:", line)
        return made

    def run(self, scenario):
        names = new_names()
        scenario = filled(scenario, names)
        who = self.gateway.new_merchant()
        self.proxy.begin([])
        made = self.prepare(who, scenario["prepare"]) if "prepare" in scenario else []
        self.proxy.begin(scenario.get("rules", []))
        lines = self.run_steps(who, scenario["steps"], scenario.get("options"))
        self.proxy.settle()
        for number, (step, line) in enumerate(zip(scenario["steps"], lines), 1):
            try:
                check_step(step, line, made)
            except Failed as why:
                raise Failed(f"step {number}, {step['do']}: {why}") from None
        check_requests(self.proxy.requests)
        check_attempts(scenario, self.proxy.requests)
        for payment, expected in scenario.get("provider", {}).items():
            found = self.gateway.provider_calls(who["merchant"], payment)
            check(found == expected, "the provider carried out", found, "of", payment, "instead of", expected)

    def serves(self, path):
        """Whether the gateway knows the path: signed or not, an unknown one is 404."""
        who = self.gateway.new_merchant()
        self.proxy.begin([])
        line = self.run_steps(who, [{"do": "call", "method": "GET", "target": path}])[0]
        return line.get("error", {}).get("code") != "not_found"


def check_step(step, line, made):
    if "error" in step:
        check("error" in line, "returned", line.get("result"), "instead of the error", step["error"])
        check(contains(line["error"], step["error"]), "the error", line["error"], "is not", step["error"])
        secret = step["error"].get("setup_url")
        check(not secret or secret not in line["error"]["text"], "the error's text has the link", line["error"]["text"])
        return
    if line.get("error", {}).get("kind") == step.get("may_fail", ""):
        return
    check("result" in line, "failed:", line.get("error"))
    result = line["result"]
    if "result" in step:
        check(contains(result, step["result"]), "returned", result, "instead of", step["result"])
    if "whole" in step:
        check(result == step["whole"], "returned", result, "instead of the whole of", step["whole"])
    if "count" in step:
        check(len(result) == step["count"], "returned", len(result), "entries")
    if step.get("all_prepared"):
        check([each["payment_id"] for each in result] == made[::-1], "listed", result)
    if step.get("all_captured"):
        check([each["data"]["payment_id"] for each in result] == made, "followed", result)


def check_requests(requests):
    """A write has a key, and its repeats have the same key, target and body. No signature is refused."""
    seen = {}
    for each in requests:
        check(each.status != 401 or each.rule == "answer", "the gateway refused a signature:", each.target)
        key = each.headers.get("Idempotency-Key")
        check((key is None) == (each.method == "GET"), each.method, each.target, "has the key", key)
        if key:
            uuid.UUID(key)
            seen.setdefault(key, each)


def check_attempts(scenario, requests):
    for begin, expected in scenario.get("attempts", {}).items():
        found = sum(f"{each.method} {each.target}".startswith(begin) for each in requests)
        check(found == expected, found, "requests of", begin, "came instead of", expected)
    repeats = {}
    for each in requests:
        if each.method != "GET":
            repeats.setdefault(each.headers["Idempotency-Key"], set()).add((each.method, each.target, each.body))
    explicit = [step["key"] for step in scenario["steps"] if "key" in step]
    for key, sent in repeats.items():
        check(key in explicit or len(sent) == 1, "a repeat differs from its first attempt:", [list(map(str, each)) for each in sent])
    for number, least in enumerate(scenario.get("waits", [])):
        waited = requests[number + 1].at - requests[number].at
        check(waited >= least - 0.01, "the request after number", number + 1, "came after", round(waited, 3), "s")
    if "queries" in scenario:
        found = [dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(each.target).query)) for each in requests]
        check(found == scenario["queries"], "the queries were", found)
    for number, call in enumerate(scenario.get("called", [])):
        check_call(requests[number], call)


def check_call(request, call):
    """The method, path and body of a request are those of the document's operation."""
    path = urllib.parse.urlsplit(request.target).path
    template = call["path"].split("/")
    check(request.method == call["method"] and len(template) == len(path.split("/")) and all(
        part == there or part.startswith("{") for part, there in zip(template, path.split("/"))),
        request.method, path, "was called instead of", call["method"], call["path"])
    for each in call["ids"]:
        check(urllib.parse.quote(each, safe="") in request.target, "the id", each, "is not in", request.target)
    sent = json.loads(request.body) if request.body else None
    # A body without a member may be left out.
    check((sent or None) == (call["body"] or None), "the body was", sent, "instead of", call["body"])


def run_scenarios(language, programs, only):
    readme = {"name": "the first program of the README takes a payment"}
    scenarios = [readme, *json.loads((HERE / "scenarios.json").read_text())["scenarios"], documented.scenario()]
    passed = failed = skipped = 0
    with Gateway(programs, "--provider-timeout=4s") as gateway:
        proxy = Proxy(gateway.url, gateway.certificate, gateway.server_pair)
        suite = Suite(language, gateway, proxy)
        for scenario in scenarios:
            if only not in scenario["name"]:
                continue
            if "needs" in scenario and not suite.serves(scenario["needs"]):
                print(f"skipped: {scenario['name']}: this gateway does not serve {scenario['needs']}", flush=True)
                skipped += 1
                continue
            try:
                if scenario is readme:
                    suite.run_readme()
                else:
                    suite.run(scenario)
                passed += 1
                print(f"passed: {scenario['name']}", flush=True)
            except (Failed, subprocess.TimeoutExpired) as why:
                failed += 1
                print(f"FAILED: {scenario['name']}: {why}", flush=True)
        proxy.close()
    print(f"{language.name}: {passed} passed, {failed} failed, {skipped} skipped")
    return failed == 0 and passed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["scenarios", "checks"])
    parser.add_argument("language", choices=sorted(languages.LANGUAGES))
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    work = pathlib.Path(os.environ.get("GATEWAY_WORK_DIR", ROOT / "build/clients"))
    language = languages.LANGUAGES[chosen.language](ROOT / "tools/clients" / chosen.language, work / chosen.language)
    try:
        if chosen.what == "checks":
            done = language.check()
        else:
            language.build()
            programs = pathlib.Path(os.environ.get("GATEWAY_BIN_DIR", ROOT / "build"))
            done = run_scenarios(language, programs, chosen.only)
    except languages.NotRun as why:
        print(f"tests/clients: NOT RUN: {why}")
        return 77
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes a client from docs/openapi.json with a generator of another project, builds it, and takes a payment through it.

    generated.py NAME   NAME: redocly, spectral, openapi-typescript, openapi-python-client, oapi-codegen, openapi-generator-go,
                        openapi-generator-java. The first two are linters, which must find nothing

The program that takes the payment is in generated/: it signs with a hook of its client's, creates and captures. A generator fails
if it prints an error, if its client does not compile, or if the provider did not carry out one create and one capture.
GATEWAY_BIN_DIR and GATEWAY_WORK_DIR as in run.py. Where a package cannot be had it prints NOT RUN and ends with 77.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import urllib.request
import uuid

from gateway import HANG_SECONDS, Gateway
from languages import NotRun, needs, needs_go, output_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests/clients/generated"
RULES = ROOT / "tests/openapi"
DOCUMENT = ROOT / "docs/openapi.json"

OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
OPENAPI_GENERATOR = "7.25.0"
OPENAPI_GENERATOR_URL = ("https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/"
                         f"{OPENAPI_GENERATOR}/openapi-generator-cli-{OPENAPI_GENERATOR}.jar")
OPENAPI_GENERATOR_SHA256 = "41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae"
# Writes the paths of the dependencies. The version is the one in the generated pom.xml.
CLASS_PATH = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"


def run(*command, unless=None, **how):
    """What a command prints. The test fails if the command fails or prints an error. `unless`: what it prints without network."""
    ended = output_of(command, **how)
    said = ended.stdout + ended.stderr
    if unless and ended.returncode and unless in said:
        raise NotRun(f"{pathlib.Path(command[0]).name} cannot have its packages")
    if ended.returncode or re.search(r"\bERROR\b|\bFAILED\b|^[Ee]rror:", said, re.M):
        raise SystemExit(f"FAILED with {ended.returncode}: {' '.join(map(str, command))}\n{said[-20000:]}")
    return said


def environment(**more):
    return {**os.environ, **more}


# ---- npm: the linters and openapi-typescript ------------------------------------------------------

def npm(work):
    """The folder of the programs of generated/package.json, of which package-lock.json fixes the versions."""
    needs("node", "npm")
    version = output_of(["node", "--version"]).stdout.strip().removeprefix("v")
    if tuple(map(int, version.split(".")[:2])) < (20, 19):
        raise NotRun(f"the client libraries need node 20.19, not {version}")
    if output_of(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=work).returncode:
        raise NotRun("the npm package openapi-typescript cannot be installed")
    return work / "node_modules/.bin"


def redocly(work):
    run(npm(work) / "redocly", "lint", "--format=json", f"--config={RULES}/redocly.yaml", DOCUMENT, cwd=work,
        env=environment(REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true"))


def spectral(work):
    run(npm(work) / "spectral", "lint", "--fail-severity=hint", f"--ruleset={RULES}/spectral.yaml", DOCUMENT)


def openapi_typescript(work):
    programs = npm(work)
    run(programs / "openapi-typescript", DOCUMENT, f"--output={work}/gateway.ts")
    run(programs / "tsc", "--project", work)
    return ["node", work / "first.js"]


# ---- PyPI ----------------------------------------------------------------------------------------

def openapi_python_client(work):
    if sys.version_info < (3, 11):
        raise NotRun("the client libraries need Python 3.11")
    programs = work / "venv/bin"
    if output_of([sys.executable, "-m", "venv", work / "venv"]).returncode:
        raise NotRun("PyPI cannot be had: no venv can be made, install python3-venv")
    if output_of([programs / "pip", "--quiet", "install", "--only-binary", ":all:", "-r", work / "requirements.txt"]).returncode:
        raise NotRun("PyPI cannot be had")
    # The generator formats its code with the venv's ruff.
    run(programs / "openapi-python-client", "generate", f"--path={DOCUMENT}", "--meta=none", "--fail-on-warning",
        f"--config={work}/openapi-python-client.yaml", f"--output-path={work}/payments_gateway_client",
        env=environment(PATH=f"{programs}:{os.environ['PATH']}"))
    run(programs / "python", "-m", "compileall", "-q", work / "payments_gateway_client")
    return [programs / "python", work / "first.py"]


# ---- Go ------------------------------------------------------------------------------------------

def go_program(folder, name, go):
    run("go", "build", "-o", folder / "first", f"./{name}", cwd=folder, env=go)
    return [folder / "first"]


def go_environment(work):
    """Go with the modules of generated/go/go.sum, and a folder for oapi-codegen."""
    needs_go((1, 25))
    go = environment(GOTOOLCHAIN="local", GOFLAGS="-mod=readonly", GOBIN=str(work))
    if output_of(["go", "mod", "download"], cwd=work / "go", env=go).returncode:
        raise NotRun("oapi-codegen cannot be had")
    return go


def oapi_codegen(work):
    go = go_environment(work)
    if output_of(["go", "install", OAPI_CODEGEN], env=go).returncode:
        raise NotRun("oapi-codegen cannot be had")
    (work / "go/gateway").mkdir()
    # Without skip-prune it removes the schemas that only webhooks use, and its code of the webhooks does not compile.
    run(work / "oapi-codegen", "-generate=types,client,skip-prune", "-package=gateway", f"-o={work}/go/gateway/gateway.go", DOCUMENT)
    return go_program(work / "go", "oapi_codegen", go)


# ---- openapi-generator ---------------------------------------------------------------------------

def openapi_generator(work, generator, folder, *options):
    needs("java")
    # The jar outlives the test: work is made anew by each.
    jar = work.parent / f"openapi-generator-cli-{OPENAPI_GENERATOR}.jar"
    if not jar.exists() or hashlib.sha256(jar.read_bytes()).hexdigest() != OPENAPI_GENERATOR_SHA256:
        try:
            urllib.request.urlretrieve(OPENAPI_GENERATOR_URL, jar)
        except OSError as why:
            raise NotRun(f"openapi-generator cannot be had: {why}") from None
        found = hashlib.sha256(jar.read_bytes()).hexdigest()
        if found != OPENAPI_GENERATOR_SHA256:
            raise SystemExit(f"FAILED: the SHA-256 of {OPENAPI_GENERATOR_URL} is {found}")
    run("java", "-jar", jar, "generate", f"--input-spec={DOCUMENT}", f"--generator-name={generator}", f"--output={folder}", *options)


def openapi_generator_go(work):
    go = go_environment(work)
    openapi_generator(work, "go", work / "go/gateway", "--additional-properties=packageName=gateway,withGoMod=false")
    return go_program(work / "go", "openapi_generator", go)


def openapi_generator_java(work):
    needs("javac", "mvn")
    made = work / "java"
    openapi_generator(work, "java", made)
    run("mvn", "--quiet", "--batch-mode", f"--file={made}", "compile", CLASS_PATH, f"-Dmdep.outputFile={made}/class-path",
        unless="Could not transfer artifact")
    return ["java", "-cp", f"{made}/target/classes:{(made / 'class-path').read_text()}", work / "First.java"]


GENERATORS = {each.__name__.replace("_", "-"): each for each in (
    redocly, spectral, openapi_typescript, openapi_python_client, oapi_codegen, openapi_generator_go, openapi_generator_java)}


def takes_payment(command, programs):
    with Gateway(programs) as gateway:
        who, payment = gateway.new_merchant(), f"pay_{uuid.uuid4().hex}"
        said = run(*command, timeout=HANG_SECONDS, env=environment(
            GATEWAY_URL=gateway.url, GATEWAY_KEY_ID=who["key_id"], GATEWAY_SECRET=who["secret"], PAYMENT_ID=payment,
            GATEWAY_CA_FILE=str(gateway.certificate), NODE_EXTRA_CA_CERTS=str(gateway.certificate)))
        if said != "captured 4200\n":
            raise SystemExit(f"FAILED: the client printed {said!r}")
        found = gateway.provider_calls(who["merchant"], payment)
        if found != {"create": 1, "capture": 1}:
            raise SystemExit(f"FAILED: the provider carried out {json.dumps(found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=GENERATORS)
    name = parser.parse_args().name
    work = pathlib.Path(os.environ.get("GATEWAY_WORK_DIR", ROOT / "build/clients")) / "generated" / name
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(SOURCES, work)
    try:
        command = GENERATORS[name](work)
        if command:
            takes_payment(command, os.environ.get("GATEWAY_BIN_DIR", ROOT / "build"))
    except NotRun as why:
        print(f"tests/clients: NOT RUN: {why}")
        return 77
    print(f"{name}: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

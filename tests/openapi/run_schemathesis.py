"""Starts a gateway and lets Schemathesis call it as docs/openapi.json says: tools/schemathesis runs this in its venv.

It fails on an answer that the document does not describe (its status, headers, media type or body), on a 5xx, and if the
gateway has logged a failure or has ended.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import scene

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "docs" / "openapi.json"
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
          "response_schema_conformance,allow_header_conformance,unsupported_method")


def run(arguments, folder):
    with scene.Gateway(arguments.programs, folder) as gateway:
        facts = folder / "scene.json"
        os.environ["GATEWAY_SCENE"] = str(facts)
        os.environ["GATEWAY_SCENE_SEED"] = str(arguments.seed)
        facts.write_text("{}")
        sys.path.insert(0, str(HERE))
        from signing_hook import Signer
        facts.write_text(json.dumps(scene.prepare(gateway, Signer)))
        command = [pathlib.Path(sys.executable).parent / "schemathesis", "run", DOCUMENT, f"--url={gateway.url}",
                   f"--tls-verify={gateway.certificate}", f"--checks={CHECKS}", f"--seed={arguments.seed}",
                   "--continue-on-failure", "--generation-database=none", "--request-timeout=40",
                   "--suppress-health-check=all", "--warnings=off", *arguments.more]
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "signing_hook", "PYTHONPATH": str(HERE), "NO_COLOR": "1"}
        # However slow the machine, every operation is called with the document's examples. The other calls have a time
        # limit.
        status = 0
        for part in (["--phases=examples"], ["--phases=coverage,fuzzing,stateful", f"--max-time={arguments.seconds}"]):
            status |= subprocess.run([*command, *part], env=environment, cwd=folder, check=False).returncode
        gone = gateway.process.poll()
    failures = [line for line in (folder / "log.jsonl").read_text().splitlines() if '"request_failed"' in line]
    for line in failures[:20]:
        print("the gateway has logged:", line)
    if gone is not None:
        print(f"the gateway has ended with {gone}")
    return 1 if status or failures or gone is not None else 0


def main():
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--programs", required=True, help="the folder with gatewayd and gatewayctl")
    reader.add_argument("--seconds", type=int, default=45)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("more", nargs="*", help="further options of `schemathesis run`, behind --")
    arguments = reader.parse_args()
    # The environment's proxies and certificate authorities do not apply to a gateway on this machine.
    for name in list(os.environ):
        if name.upper().endswith("_PROXY") or name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            del os.environ[name]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="schemathesis-"))
    status = run(arguments, folder)
    if status:
        print(f"what it left: {folder}")
    else:
        shutil.rmtree(folder)
    return status


sys.exit(main())

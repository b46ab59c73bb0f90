"""A gateway of this build with a merchant, for the time of a `with` block. Needs the standard library only."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import tempfile

# Only a gateway that hangs reaches it.
HANG_SECONDS = 180


class Gateway:
    """gatewayd in a folder of its own under /tmp, on a free port."""

    def __init__(self, programs, *arguments):
        self.programs = pathlib.Path(programs)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gateway-clients-"))
        self.certificate = self.folder / "data/dev-certificate.pem"
        self.server_pair = self.folder / "data/dev-server.pem", self.folder / "data/dev-key.pem"
        self.ledger = self.folder / "ledger.jsonl"
        self.log = open(self.folder / "log.jsonl", "w", encoding="utf-8")
        command = [self.programs / "gatewayd", "--dev", "--listen=127.0.0.1:0", f"--data-dir={self.folder}/data",
                   f"--sandbox-ledger={self.ledger}", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.url = line.split()[-1]
                break
        else:
            raise SystemExit("gatewayd did not start: " + (self.folder / "log.jsonl").read_text())

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if self.process.poll() is not None:
            failed = True
            print(f"the gateway ended by itself with {self.process.returncode}")
        self.process.terminate()
        try:
            self.process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        if failed:
            print(f"the gateway's log: {self.folder}/log.jsonl")
        else:
            with contextlib.suppress(OSError):
                shutil.rmtree(self.folder)

    def ctl(self, *words):
        said = subprocess.run([self.programs / "gatewayctl", f"--data-dir={self.folder}/data", "--json", *words],
                              capture_output=True, text=True, check=False, timeout=HANG_SECONDS)
        if said.returncode:
            raise SystemExit(f"gatewayctl {' '.join(words)}: {said.stderr or said.stdout}")
        return json.loads(said.stdout)

    def new_merchant(self):
        """The id and the secret of a key of a new merchant, for the test environment."""
        merchant = self.ctl("merchant", "create", "--name", "Lantern Books")["merchant_id"]
        key = self.ctl("merchant", "key", "mint", "--merchant", merchant, "--mode", "test")
        return {"merchant": merchant, "key_id": key["key_id"], "secret": key["secret"]}

    def provider_calls(self, merchant, payment):
        """How often the provider carried out each operation of a payment."""
        counted = {}
        if self.ledger.exists():
            for line in self.ledger.read_text().splitlines():
                entry = json.loads(line)
                if entry["merchant"] == merchant and entry["payment_id"] == payment:
                    counted[entry["operation"]] = counted.get(entry["operation"], 0) + 1
        return counted

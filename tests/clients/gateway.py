"""A gateway of this build with a merchant, for the time of a `with` block. Needs the standard library only."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import tempfile

# Only a gateway that hangs reaches this limit.
HANG_SECONDS = 180


class Gateway:
    """gatewayd in a folder of its own, under /tmp or `within`, on a free port, which it keeps when it is started again. It may also be killed."""
    command_seconds = HANG_SECONDS

    def __init__(self, programs, *arguments, within=None):
        self.programs = pathlib.Path(programs)
        self.arguments = arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gateway-clients-", dir=within))
        self.data_dir = self.folder / "data"
        self.certificate = self.data_dir / "dev-certificate.pem"
        self.server_pair = self.data_dir / "dev-server.pem", self.data_dir / "dev-key.pem"
        self.ledger = self.folder / "ledger.jsonl"
        self.log_file = self.folder / "log.jsonl"
        self.address = "127.0.0.1:0"
        self.start()

    def start(self):
        command = [self.programs / "gatewayd", "--dev", f"--listen={self.address}", f"--data-dir={self.data_dir}",
                   f"--sandbox-ledger={self.ledger}", *self.arguments]
        with open(self.log_file, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.url = line.split()[-1]
                self.address = self.url.removeprefix("https://")
                break
        else:
            raise SystemExit("gatewayd did not start: " + self.log_file.read_text())

    def kill(self):
        """Kills it, as a power cut of the machine would."""
        self.process.kill()
        self.process.wait()

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
            self.kill()
        if failed:
            print(f"the gateway's log: {self.log_file}")
        else:
            with contextlib.suppress(OSError):
                shutil.rmtree(self.folder)

    def ctl(self, *words, given=None):
        """The answer of a gatewayctl command. `given` is its standard input."""
        said = subprocess.run([self.programs / "gatewayctl", f"--data-dir={self.data_dir}", "--json", *words], input=given,
                              capture_output=True, text=True, check=False, timeout=self.command_seconds)
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

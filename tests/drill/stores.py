"""The databases that a drill backs up and restores, each by the tools that docs/operators.md names."""
import datetime
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **how):
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **how)
    if said.returncode:
        raise SystemExit(f"{' '.join(str(word) for word in command)}: {(said.stderr or said.stdout)[-2000:]}")
    return said.stdout


class Embedded:
    """SQLite, copied by `gatewayctl backup`."""
    name = "SQLite, gatewayctl backup"

    def __init__(self, work):
        self.backup = work / "backup"

    def gateway_options(self):
        return ["--store=sqlite"]

    def back_up(self, gateway):
        """Returns the time from which a recovery has to ask the providers."""
        made = gateway.ctl("backup", self.backup)
        verified = gateway.ctl("backup-verify", self.backup)
        if verified["manifest_sha256"] != made["manifest_sha256"]:
            raise SystemExit("backup-verify names another manifest than backup")
        return made["made_at"]

    def restore(self, gateway):
        gateway.ctl("backup-verify", self.backup)
        database = gateway.data_dir / "gateway.sqlite"
        for more in "-wal", "-shm":
            database.with_name(database.name + more).unlink(missing_ok=True)
        shutil.copyfile(self.backup / "gateway.sqlite", database)

    def stop(self):
        """The database ends with its gateway."""


class Server:
    """A MariaDB of its own, in a folder."""

    def __init__(self, work):
        self.folder, self.backup = work / "mariadb", work / "backup"
        self.url = self.tool("start").strip()
        self.login = ["--no-defaults", f"--socket={self.url.split('socket=')[1]}", "--user=root"]

    def tool(self, action):
        # What the server inherits would stay open as long as it runs.
        return run(ROOT / "tools/mariadb", action, self.folder, stdin=subprocess.DEVNULL)

    def gateway_options(self):
        return [f"--store={self.url}"]

    def stop(self):
        self.tool("stop")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Dumped(Server):
    """Restored from statements, into an empty database of the server that goes on."""
    name = "MariaDB, mariadb-dump"

    def back_up(self, _):
        begun = now()
        with open(self.backup, "wb") as to:
            subprocess.run(["mariadb-dump", *self.login, "--single-transaction", "--hex-blob", "gateway"], stdout=to, check=True)
        return begun

    def restore(self, _):
        run("mariadb", *self.login, "--execute=DROP DATABASE gateway;"
            " CREATE DATABASE gateway CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        with open(self.backup, "rb") as text:
            subprocess.run(["mariadb", *self.login, "gateway"], stdin=text, check=True)


class Copied(Server):
    """Restored from the files of mariadb-backup, by a server that was stopped."""
    name = "MariaDB, mariadb-backup"

    def back_up(self, _):
        begun = now()
        run("mariadb-backup", *self.login, "--backup", f"--target-dir={self.backup}")
        run("mariadb-backup", "--no-defaults", "--prepare", f"--target-dir={self.backup}")
        return begun

    def restore(self, _):
        self.tool("stop")
        data = self.folder / "data"
        shutil.rmtree(data)
        run("mariadb-backup", "--no-defaults", "--copy-back", f"--target-dir={self.backup}", f"--datadir={data}")
        self.tool("start")


WAYS = {"sqlite": Embedded, "mariadb-dump": Dumped, "mariadb-backup": Copied}

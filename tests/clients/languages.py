"""How the client library of each language is built, checked and run."""
import os
import pathlib
import shutil
import subprocess
import sys


VECTORS = pathlib.Path(__file__).resolve().parents[1] / "data/signing.json"


class NotRun(Exception):
    """A tool that the language needs is not there. The text is listed in tests/allowed_skips."""


def output_of(command, **how):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **how)


def needs(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise NotRun(f"the client libraries need {tool}")


def needs_go(least):
    needs("go")
    version = output_of(["go", "env", "GOVERSION"]).stdout.strip().removeprefix("go")
    if tuple(map(int, version.split(".")[:2])) < least:
        raise NotRun(f"the client libraries need go {least[0]}.{least[1]}, not {version}")


class Language:
    """`runner` is the command that runs the steps of a scenario."""

    name = ""
    environment = {}
    runner = ()

    def __init__(self, folder, work):
        self.folder, self.work = pathlib.Path(folder), pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)

    def run(self, *command, **how):
        """Whether a check is met; prints what it says otherwise."""
        ended = output_of(command, cwd=how.pop("cwd", self.folder), **how)
        if ended.returncode:
            print(f"FAILED: {' '.join(map(str, command))}\n{ended.stdout}{ended.stderr}", flush=True)
        return ended.returncode == 0

    def readme_program(self, fence, file):
        """Writes the first program of the README into `file`, a path in an empty folder."""
        program = (self.folder / "README.md").read_text().split(f"```{fence}\n", 1)[1].split("```", 1)[0]
        file = self.work / "readme" / file
        shutil.rmtree(file.parent, ignore_errors=True)
        file.parent.mkdir()
        file.write_text(program)
        return file

    def readme_command(self):
        """The command that runs the first program of the README."""
        raise NotImplementedError

    def build(self):
        raise NotImplementedError

    def check(self):
        raise NotImplementedError


class Python(Language):
    name = "python"

    def build(self):
        if sys.version_info < (3, 11):
            raise NotRun("the client libraries need Python 3.11")
        self.environment = {"PYTHONPATH": str(self.folder / "src")}
        self.runner = [sys.executable, self.folder / "tests/run_scenario.py"]

    def readme_command(self):
        return [sys.executable, self.readme_program("python", "first.py")]

    def check(self):
        self.build()
        tools = self.work / "tools"
        python = tools / "bin/python"
        wanted = self.folder / "requirements-dev.txt"
        done = tools / "ready"
        if not done.exists() or done.read_text() != wanted.read_text():
            shutil.rmtree(tools, ignore_errors=True)
            if output_of([sys.executable, "-m", "venv", tools]).returncode:
                raise NotRun("PyPI cannot be had: no venv can be made, install python3-venv")
            if output_of([python, "-m", "pip", "--quiet", "install", "--only-binary", ":all:", "-r", wanted]).returncode:
                raise NotRun("PyPI cannot be had")
            done.write_text(wanted.read_text())
        wheels = self.work / "wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        checks = [
            self.run(python, "-m", "ruff", "format", "--check", "--no-cache", "."),
            self.run(python, "-m", "ruff", "check", "--no-cache", "."),
            self.run(python, "-m", "mypy", "--cache-dir", self.work / "mypy"),
            self.run(python, "-m", "pip", "--quiet", "wheel", "--no-build-isolation", "--no-deps", "-w", wheels, "."),
        ]
        if all(checks):
            # The unit tests run with the installed wheel.
            wheel = next(wheels.glob("*.whl"))
            checks.append(self.run(python, "-m", "pip", "--quiet", "install", "--force-reinstall", "--no-deps", wheel))
            checks.append(self.run(python, "-m", "unittest", "discover", "-s", "tests", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}))
        return all(checks)


def copy_npm_sources(folder, copy):
    """Renews a copy of a package, so that no node_modules is made among the sources. What is installed in the copy stays."""
    for each in copy.iterdir() if copy.exists() else []:
        if each.name != "node_modules":
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    shutil.copytree(folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))


class TypeScript(Language):
    name = "typescript"

    def build(self):
        """In a copy, so that no node_modules is made among the sources."""
        needs("node", "npm")
        self.copy = self.work / "package"
        modules, lock = self.copy / "node_modules", self.copy / "package-lock.json"
        same = lock.exists() and lock.read_text() == (self.folder / "package-lock.json").read_text() and modules.exists()
        copy_npm_sources(self.folder, self.copy)
        if not same:
            ended = output_of(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=self.copy)
            if ended.returncode:
                raise NotRun("the npm package typescript cannot be installed")
        if not self.run("node_modules/.bin/tsc", "-p", "tsconfig.test.json", cwd=self.copy):
            raise SystemExit(1)
        self.runner = ["node", self.copy / "build/test/run_scenario.js"]

    def readme_command(self):
        if not self.packs():
            raise SystemExit(1)
        program = self.readme_program("js", "first.mjs")
        return ["node", shutil.copy(program, self.work / "user/first.mjs")]

    def check(self):
        self.build()
        bin_dir = self.copy / "node_modules/.bin"
        tests = sorted(str(each) for each in (self.copy / "build/test").glob("*.test.js"))
        return all([
            self.run(bin_dir / "prettier", "--check", ".", cwd=self.copy),
            self.run(bin_dir / "eslint", "--max-warnings", "0", "src", "test", cwd=self.copy),
            self.run("node", "--test", *tests, cwd=self.copy, env={**os.environ, "GATEWAY_VECTORS": str(VECTORS)}),
            self.packs(),
        ])

    def packs(self):
        """The package that is published is imported by its name in an empty project."""
        user = self.work / "user"
        shutil.rmtree(user, ignore_errors=True)
        user.mkdir()
        (user / "package.json").write_text('{"name":"user","private":true,"type":"module"}')
        (user / "try.mjs").write_text('import { Client, verifyWebhook } from "gateway-client";\n'
                                      'if (typeof Client !== "function" || typeof verifyWebhook !== "function") process.exit(1);\n')
        return (self.run("npm", "run", "--silent", "build", cwd=self.copy)
                and self.run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", user, cwd=self.copy)
                and self.run("npm", "install", "--silent", "--offline", "--no-audit", *user.glob("*.tgz"), cwd=user)
                and self.run("node", "try.mjs", cwd=user))


class Go(Language):
    name = "go"
    staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.6.1"

    def build(self):
        needs_go((1, 23))
        self.environment = {"GOCACHE": os.environ.get("GOCACHE", str(self.work / "cache")), "GOTOOLCHAIN": "local"}
        program = self.work / "run_scenario"
        if not self.run("go", "build", "-o", program, "./internal/run_scenario", env={**os.environ, **self.environment}):
            raise SystemExit(1)
        self.runner = [program]

    def readme_command(self):
        program = self.readme_program("go", "main.go")
        (program.parent / "go.mod").write_text("module first\n\ngo 1.23\n\nrequire gateway.example/client v1.0.0\n\n"
                                               f"replace gateway.example/client => {self.folder}\n")
        made = self.work / "first"
        if not self.run("go", "build", "-o", made, ".", cwd=program.parent, env={**os.environ, **self.environment}):
            raise SystemExit(1)
        return [made]

    def check(self):
        self.build()
        environment = {**os.environ, **self.environment}
        unformatted = output_of(["gofmt", "-l", "."], cwd=self.folder).stdout
        if unformatted:
            print(f"FAILED: gofmt would change {unformatted}")
        checks = [not unformatted, self.run("go", "vet", "./...", env=environment), self.run("go", "test", "./...", env=environment)]
        linter = self.work / "staticcheck"
        if not linter.exists():
            got = output_of(["go", "install", self.staticcheck], env={**environment, "GOBIN": str(self.work), "GOFLAGS": "-mod=mod"})
            if got.returncode:
                raise NotRun("staticcheck cannot be had")
        return all([*checks, self.run(linter, "./...", env=environment)])


class Php(Language):
    name = "php"

    def build(self):
        needs("php")
        if "curl" not in output_of(["php", "-m"]).stdout.split():
            raise NotRun("the client libraries need php-curl")
        self.runner = ["php", self.folder / "tests/run_scenario.php"]

    def readme_command(self):
        program = self.readme_program("php", "first.php")
        (program.parent / "vendor").mkdir()
        (program.parent / "vendor/autoload.php").write_text(f"<?php require '{self.folder}/tests/autoload.php';")
        return ["php", program]

    def check(self):
        self.build()
        needs("phpunit", "phpcs")
        checks = [
            self.run("phpcs", "--standard=phpcs.xml"),
            self.run("phpunit", "--do-not-cache-result"),
        ]
        if shutil.which("composer"):
            checks.append(self.run("composer", "validate", "--strict", "--no-interaction"))
        return all(checks)


LANGUAGES = {each.name: each for each in (Python, TypeScript, Go, Php)}

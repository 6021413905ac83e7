# SPDX-License-Identifier: Apache-2.0
"""Graphloom without a window: its lists and its reports."""
import hashlib
import json
import pathlib
import re
import tempfile

from . import process
from .failures import Failed, Missing

LISTING_SECONDS = 60


class Program:
    """`graphloom` of a build folder."""

    def __init__(self, build):
        self.build = build
        self.path = build / "bin/graphloom"
        self.runner = build / "bench/plan_runner"
        if not self.path.exists():
            raise Missing(f"{self.path} is not there; build the target graphloom, or give --build")
        self.version = process.run([self.path, "--version"], LISTING_SECONDS).strip()
        self.identity = f"{re.sub(r'^graphloom ', '', self.version)} build {self._hash()}"
        self._lists = {}

    def _hash(self):
        """Of all that decides what is measured; the version stays the same between commits."""
        digest = hashlib.sha256()
        libraries = sorted((self.build / "lib").rglob("*.so"))
        for file in [self.path, self.runner, *libraries]:
            if file.exists():
                digest.update(file.read_bytes())
        return digest.hexdigest()[:10]

    def list(self, what):
        """`--list WHAT --json`."""
        if what not in self._lists:
            self._lists[what] = json.loads(
                process.run([self.path, "--list", what, "--json"], LISTING_SECONDS))
        return self._lists[what]

    def parameters(self, name):
        """The parameters of a pass, by name."""
        for one in self.list("passes"):
            if one.get("name") == name:
                return {parameter["name"]: parameter for parameter in one["parameters"]}
        return {}

    def plan_runner(self):
        if not self.runner.exists():
            raise Missing(f"{self.runner} is not there; build the target plan_runner")
        return self.runner

    def report(self, model, words, seconds, environment=None):
        """The report of `--batch MODEL` with further options."""
        with tempfile.TemporaryDirectory(prefix="graphloom-paper-") as folder:
            path = pathlib.Path(folder) / "report.json"
            process.run([self.path, "--batch", model, *words, "--report", path, "--progress", "none"],
                        seconds, environment)
            try:
                return json.loads(path.read_text())
            except (OSError, ValueError) as error:
                raise Failed(f"no report: {error}") from None


def settings(name, values):
    """`--set` options of a pass."""
    return [word for value in values for word in ("--set", f"{name}.{value}")]

# SPDX-License-Identifier: Apache-2.0
"""What an entry may use: program, models, peers, options, and what was measured before."""
import hashlib
import os
import shutil
import sys
import tempfile
from dataclasses import replace

from . import machine, options, timing, tunings
from .failures import Failed
from .keep import text_of
from .models import Models
from .peers import Peers
from .program import Program
from .runner import Runner
from .timing import Contestant

REPORT_SECONDS = 900  # beside the budgets that a report was asked for
CONTEST_SECONDS = 300  # of the rounds of one model
QUICK_CONTEST_SECONDS = 20
START_SECONDS = 900  # of a runner, beside tuning


class Context:
    def __init__(self, given, keep):
        self.options = given
        self.program = Program(given.build)
        self.models = Models(given.models, given.cache, given.materialize, given.python)
        self.peers = Peers(options.ROOT / "tests/bench", given.python)
        self.keep = keep
        self.cpu = machine.cpu_name()

    def seconds(self, usual, quick=options.QUICK_SECONDS):
        """The budget of a search; `quick` in a smoke test."""
        return options.seconds(self.options, usual, quick)

    def trials(self, usual, quick):
        """A budget of tuning in trials; `quick` in a smoke test."""
        return options.trials(self.options, usual, quick)

    def chosen(self, models):
        """The models of a figure that were asked for, or its smallest ones for a smoke test."""
        wanted = self.options.model
        return [model for model in models
                if (any(name in model.file for name in wanted) if wanted
                    else model.quick or not self.options.quick)]

    def tell(self, text):
        """Progress; it is no part of the result."""
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{text[:width]}", end="", file=sys.stderr, flush=True)
        elif text:
            print(text, file=sys.stderr, flush=True)

    def kept(self, key, make):
        """What was measured with this key, by this program on this machine; or makes and keeps it."""
        whole = {"cpu": self.cpu, **key}
        value = self.keep.get(whole)
        if value is None:
            value = make()
            self.keep.put(whole, value)
        return value

    def facts(self, model, words, extract, what, budget=0):
        """What `extract` takes from the report of a model with these options."""
        def make():
            self.tell(f"{what}: {model} {' '.join(map(str, words))}")
            found = self.models.find(model)
            # Not the user's database, whose measurements would decide fusions.
            environment = {**os.environ, "XDG_DATA_HOME": str(self.options.cache.resolve() / "data")}
            return extract(self.program.report(found, words, budget + REPORT_SECONDS, environment))
        key = {"what": what, "model": model, "hash": self.models.hash(model), "words": words,
               "program": self.program.identity}
        return self.kept(key, make)

    def ours(self, name, model, words, tune):
        """A contestant of ours: a plan that plan_runner makes, tunes for some seconds and runs."""
        words = [*words, *(["--tune", f"{tune:g}"] if tune else [])]
        return Contestant(name, [self.program.plan_runner(), model, *words],
                          {"runner": "ours", "words": words, "program": self.program.identity}, tunes=True)

    def _with_kernels(self, one, key):
        """Each contestant keeps its kernels and trials for itself: shared ones would tune it for longer than
        the others, or give it what they have found."""
        if not one.tunes:
            return one
        name = hashlib.sha256(one.name.encode()).hexdigest()[:12]
        return replace(one, words=[*one.words, "--cache", self.options.cache / "kernels" / self._folder(key) / name])

    @staticmethod
    def _folder(key):
        """The folder of a contest's kernels."""
        return hashlib.sha256(text_of(key).encode()).hexdigest()[:12]

    def tuning(self, model, words, tune, number=0):
        """What tuning the plan of a model takes: blocks, trials and seconds. `number` tells apart what is measured
        several times; each begins without kernels and trials of another one."""
        def make():
            self.tell(f"tuning {model}, number {number + 1}")
            with tempfile.TemporaryDirectory(prefix="graphloom-paper-") as folder:
                runner = Runner([self.program.plan_runner(), self.models.find(model), *words, "--tune", f"{tune:g}",
                                 "--threads", self.options.threads, "--cache", folder], START_SECONDS + tune)
                try:
                    found = tunings.of(runner.said())
                finally:
                    runner.stop()
            if found is None:
                raise Failed("plan_runner does not tell what tuning took")
            return found
        key = {"what": "tuning", "model": model, "hash": self.models.hash(model), "words": words, "seconds": tune,
               "threads": self.options.threads, "number": number, "program": self.program.identity}
        return self.kept(key, make)

    def contest(self, model, contestants, tune=0):
        """Times of contestants that take their turns in one run, by name."""
        def make():
            names = ", ".join(one.name for one in contestants)
            self.tell(f"timing {model}: {names}")
            most = QUICK_CONTEST_SECONDS if self.options.quick else CONTEST_SECONDS
            own = [self._with_kernels(one, key) for one in contestants]
            # Those of a contest that was broken off would be tuned for longer than the others.
            shutil.rmtree(self.options.cache / "kernels" / self._folder(key), ignore_errors=True)
            found = timing.interleave(own, self.models.full(model), self.options.threads, self.options.runs,
                                      START_SECONDS + tune, most)
            if all("reason" in one for one in found.values()):
                raise Failed(next(iter(found.values()))["reason"])
            return found
        key = {"what": "contest", "model": model, "hash": self.models.hash(model),
               "threads": self.options.threads, "runs": self.options.runs,
               "contestants": [{"name": one.name, **one.key} for one in contestants]}
        return self.kept(key, make)

    def host(self, more=""):
        """The provenance of times on this machine."""
        text = (f"host, {self.cpu}, {self.options.threads} threads, medians of up to {self.options.runs} "
                f"runs in turn; {self.program.version}")
        return f"{text}; {more}" if more else text

    def modelled(self, what):
        """The provenance of figures that no run gave."""
        return f"modelled, {what}; {self.program.version}"

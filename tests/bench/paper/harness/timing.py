# SPDX-License-Identifier: Apache-2.0
"""Times of one inference of several contestants in one run: in every round each has one turn, in
rotating order, and only the second of two inferences counts, which finds its own data in the caches, unless
one takes so long that this makes no difference. So whatever else happens on the machine happens to all of them."""
import pathlib
import statistics
import tempfile
import time
from dataclasses import dataclass, field

from . import tensors, tunings
from .failures import Failed
from .runner import Runner

WARMUPS = 2
LEAST_ROUNDS = 3
SLOW = 3000  # milliseconds of an inference that needs no other one before it
PAUSE = 0.05  # seconds in which the threads of the one before stop spinning
TOLERANCE = 1e-4  # of outputs, relative to their scale


@dataclass
class Contestant:
    name: str
    words: list  # the command of the runner, without threads and inputs
    key: dict = field(default_factory=dict)  # what its times depend on, without paths
    tunes: bool = False  # takes a folder for kernels and trials


def summary(times):
    """Least, median and 95th percentile of milliseconds, and how many there are."""
    ordered = sorted(times)
    return {"min": ordered[0], "median": statistics.median(ordered),
            "p95": ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], "runs": len(ordered)}


def warm_up(runner):
    for _ in range(WARMUPS):
        if runner.run() > SLOW:
            break


def turn(runner):
    """Milliseconds of an inference whose data are in the caches."""
    taken = runner.run()
    return taken if taken > SLOW else runner.run()


def interleave(contestants, folder, threads, rounds, start_seconds, most_seconds):
    """A summary for each contestant by name; one that fails has a `reason` instead. Ends early, but
    not before a few rounds, when the rounds have taken `most_seconds`."""
    runners, reasons, times = {}, {}, {one.name: [] for one in contestants}

    def attempt(name, action):
        try:
            return action()
        except Failed as failure:
            reasons[name] = str(failure)
            runners.pop(name).stop() if name in runners else None
            return None

    try:
        for one in contestants:
            words = [*one.words, "--threads", threads, "--inputs", folder]
            runner = attempt(one.name, lambda: Runner(words, start_seconds))
            if runner:
                runners[one.name] = runner
                attempt(one.name, lambda: warm_up(runner))
        start = time.monotonic()
        for number in range(rounds):
            if number >= LEAST_ROUNDS and time.monotonic() - start > most_seconds:
                break
            turns = list(runners)
            for index in range(len(turns)):
                name = turns[(index + number) % len(turns)]
                time.sleep(PAUSE)
                taken = attempt(name, lambda: turn(runners[name]))
                times[name] += [taken] if taken else []
        results = {name: {**summary(times[name]), "about": runners[name].about} for name in runners
                   if times[name]}
        for one in contestants:
            tuning = tunings.of(runners[one.name].said()) if one.tunes and one.name in results else None
            if tuning:
                results[one.name]["tuning"] = tuning
        _compare(runners, results, attempt)
    finally:
        for runner in runners.values():
            runner.stop()
    return {**results, **{name: {"reason": reason} for name, reason in reasons.items()}}


def _compare(runners, results, attempt):
    """Adds how far the outputs of each are from those of the first."""
    reference = None
    with tempfile.TemporaryDirectory(prefix="graphloom-paper-") as folder:
        for name in list(runners):
            file = pathlib.Path(folder) / "outputs.pb"
            if attempt(name, lambda: runners[name].ask(f"output {file}")) != "written":
                continue
            outputs = attempt(name, lambda: tensors.sequence(file.read_bytes()))
            if outputs is None:
                continue
            if reference is None:
                reference = outputs
            elif name in results:
                distance = tensors.difference(reference, outputs)
                results[name]["difference"] = min(distance, 1e30)  # JSON has no infinity
    for name in list(results):
        if name not in runners:
            del results[name]

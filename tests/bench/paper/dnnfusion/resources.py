# SPDX-License-Identifier: Apache-2.0
"""Memory and compilation time: Figures 8 to 10."""
import os
import pathlib
import subprocess
import tempfile
import time

from harness import machine, process
from harness.failures import Failed, Missing
from harness.program import settings
from harness.runner import Runner
from harness.sheet import Bars, Column, Table

from . import numbers, switches

MODEL, QUICK_MODEL = "yolov4_416", "efficientnet_b0"
EVENTS = ("L1-dcache-load-misses", "LLC-load-misses", "dTLB-load-misses", "iTLB-load-misses", "cache-misses")
COUNTED_RUNS = 5
PROFILING_SECONDS, TUNING_SECONDS = 120, 300


def model_of(context, sheet):
    if not context.options.quick:
        return MODEL
    sheet.note(f"A smoke test: {QUICK_MODEL} instead of {MODEL}.")
    return QUICK_MODEL


def memory(report):
    """Planned memory, and the bytes that the kernels read and write in one run."""
    return {"arena": report["memory"]["arena_bytes"], "constants": report["memory"].get("constant_bytes"),
            "accesses": sum(kernel["bytes"] for kernel in report["kernels"]), "kernels": len(report["kernels"])}


def variants(context, sheet):
    """Options of `--batch` and of plan_runner for each plan that Figure 8 compares."""
    found = {"OurB": ([], ["--passes", "none"])}
    patterns = switches.fixed_patterns(context.program)
    if patterns is None:
        sheet.miss(switches.NO_PATTERNS)
    else:
        words = ["--passes", "dnnfusion", *settings("dnnfusion", [switches.NO_REWRITING, patterns])]
        found["OurB+"] = (words, words)
    found["DNNF"] = (["--passes", "dnnfusion"],) * 2
    return found


def counts(context, model, words):
    """Events of the processor in some runs of a plan, without loading it."""
    runner = Runner([context.program.plan_runner(), context.models.full(model) / "model.onnx", *words,
                     "--cache", context.options.cache / "kernels", "--threads", context.options.threads,
                     "--inputs", context.models.full(model)], 900)
    try:
        runner.run()
        perf = process.start(["perf", "stat", "-x,", "-e", ",".join(EVENTS), "-p", runner.pid],
                             stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(0.5)  # until it counts
            for _ in range(COUNTED_RUNS):
                runner.run()
            perf.send_signal(2)  # it ends and prints what it has counted
            _, text = perf.communicate(timeout=60)
        finally:
            process.kill(perf)
    finally:
        runner.stop()
    return {event: count / COUNTED_RUNS for event, count in machine.events_of(text).items() if count is not None}


def figure_8(context, sheet):
    model = model_of(context, sheet)
    table = sheet.put(Table("Memory of activations and memory accesses of one inference", [
        Column("plan"), Column("MC, MB", "host", "{:.1f}"), Column("MA, MB", "modelled", "{:.0f}"),
        Column("MC / DNNF", "host", "{:.2f}"), Column("MA / DNNF", "modelled", "{:.2f}"),
        Column("kernels", "host"), Column("weights, MB", "host", "{:.0f}")],
        f"host, {context.cpu}, {context.options.threads} threads: arena of the plan that was built (MC); modelled: "
        f"bytes that its kernels read and write, each tensor once (MA); {context.program.version}"))
    chart = sheet.put(Bars("Relative to DNNF", "times"))
    plans, found = variants(context, sheet), {}
    for name, (words, _) in plans.items():
        try:
            found[name] = context.facts(model, [*words, "--target", "host", "--threads",
                                                str(context.options.threads)], memory, "memory")
        except (Missing, Failed) as problem:
            sheet.miss(f"{name}: {problem}")
    best = found.get("DNNF")
    for name, one in found.items():
        table.add(name, one["arena"] / 1e6, one["accesses"] / 1e6,
                  one["arena"] / best["arena"] if best else None,
                  one["accesses"] / best["accesses"] if best else None, one["kernels"],
                  one["constants"] / 1e6 if one["constants"] else None)
    if best:
        for title, key in (("memory consumption", "arena"), ("memory accesses", "accesses")):
            chart.add(title, {name: one[key] / best[key] for name, one in found.items()})
    misses(context, sheet, model, plans)
    sheet.note("The values of the figure's bars are not given in the text; it says that DNNFusion has the least of "
               "all frameworks in both.")
    sheet.miss("MNN, TVM, TFLite, PyTorch; Snapdragon Profiler; the mobile GPU")


def misses(context, sheet, model, plans):
    reason = machine.why_no_events(EVENTS)
    if reason:
        sheet.miss(f"cache misses: {reason}")
        return
    table = sheet.put(Table("Misses of one inference", [
        Column("plan"), *(Column(event, "host", "{:,.0f}") for event in EVENTS)],
        context.host(f"perf stat, mean of {COUNTED_RUNS} runs")))
    for name, (_, words) in plans.items():
        try:
            found = context.kept({"what": "events", "model": model, "hash": context.models.hash(model),
                                  "words": words, "threads": context.options.threads,
                                  "program": context.program.identity},
                                 lambda: counts(context, model, words))
            table.add(name, *(found.get(event) for event in EVENTS))
        except (Missing, Failed) as problem:
            sheet.miss(f"misses of {name}: {problem}")


def compilation(report):
    """Seconds of the parts of a compilation."""
    planning = report["passes"][0]
    tuning = report.get("tuning", {})
    return {"planning": planning["seconds"], "tuning": tuning.get("seconds", 0),
            "trials": tuning.get("trials"), "building": report.get("build", {}).get("seconds", 0),
            "measured": planning["summary"].get("measured_blocks")}


def compile_twice(context, model, profiling, tuning):
    """Compilations without and then with a database, and one that profiles and tunes nothing."""
    with tempfile.TemporaryDirectory(prefix="graphloom-paper-") as folder:
        # Kernels that were compiled before must not be found.
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder}
        found = context.models.find(model)

        def compiled(words, seconds):
            return compilation(context.program.report(
                found, ["--passes", "dnnfusion", "--target", "host", "--threads", context.options.threads,
                        "--profile-db", pathlib.Path(folder) / "profile.db", *words], seconds + 900, environment))
        budget = settings("dnnfusion", [f"measure={profiling:g}"]) + ["--budget", f"{tuning:g}s"]
        context.tell(f"compiling {model} without a database")
        without = compiled(budget, profiling + tuning)
        context.tell(f"compiling {model} with the database of the first compilation")
        return {"without": without, "with": compiled(budget, profiling + tuning)}


def figure_9(context, sheet):
    model = model_of(context, sheet)
    profiling, tuning = context.seconds(PROFILING_SECONDS), context.seconds(TUNING_SECONDS)
    key = {"what": "compilation", "model": model, "hash": context.models.hash(model), "profiling": profiling,
           "tuning": tuning, "threads": context.options.threads, "program": context.program.identity}
    found = context.kept(key, lambda: compile_twice(context, model, profiling, tuning))
    table = sheet.put(Table("(b) Compilation time", [
        Column("compilation"), Column("hours, about", "paper"), Column("fusion and profiling, s", "host", "{:.1f}"),
        Column("measured blocks", "host"), Column("tuning, s", "host", "{:.1f}"), Column("trials", "host"),
        Column("compiling, s", "host", "{:.1f}"), Column("in all, s", "host", "{:.1f}")],
        f"host, {context.cpu}, {context.options.threads} threads, one run; budgets: profiling {profiling:g} s, "
        f"tuning {tuning:g} s; {context.program.version}"))
    hours = numbers.FIGURE_9_HOURS
    table.add("TVM", hours["TVM"], *[None] * 6)
    chart = sheet.put(Bars("Compilation time", "s"))
    for title, name, label in (("without", "DNNFusion without a database", "without a database"),
                               ("with", "DNNFusion with a database", "with a database")):
        one = found[title]
        parts = {"fusion and profiling": one["planning"], "tuning": one["tuning"], "compiling": one["building"]}
        table.add(name, hours[name], one["planning"], one["measured"], one["tuning"], one["trials"],
                  one["building"], sum(parts.values()))
        chart.add(label, parts)
    sheet.note("Profiling and tuning of ours end with their budgets, and the database keeps what they have measured "
               f"(paper: around {numbers.FIGURE_9_ENTRIES:,} entries after 15 models). The second compilation finds "
               "the measurements and kernels of the first. Hours are as the paper's text states them.")
    sheet.miss("(a) utilization of CPU and GPU: the values are not given in the text, and Snapdragon Profiler's "
               "figures have no counterpart here; TVM and its tuning")


def figure_10(_, sheet):
    sheet.miss("portability: a Galaxy S10 (Snapdragon 855) and an Honor Magic 2 (Kirin 980) are not here; the values "
               "are not given in the text")

# SPDX-License-Identifier: Apache-2.0
"""One search of the pass for a training step, and what its report says."""
from harness.program import settings

from . import numbers

QUICK_SECONDS = 10  # with less, nothing but preparing happens
MOST_POINTS = 400  # of a curve of memory over time
BATCHNORM = "frozen"  # the paper has no batch normalization in its steps
ORIGINAL = "limit-of=original"  # the paper's limits are relative to the unoptimized graph


def thinned(steps):
    """Memory over time: [milliseconds, bytes], the greatest of neighbours where there are too many."""
    if not steps:
        return []
    size = -(-len(steps) // MOST_POINTS)
    return [[steps[k]["start_ms"], max(step["bytes"] for step in steps[k:k + size])]
            for k in range(0, len(steps), size)]


def outcome(report):
    """What Figures 9 to 16 need of a report after the pass."""
    search = report.get("search", {})
    memory = report["memory"]
    return {
        **{name: value for name, value in report["passes"][0]["summary"].items()},
        "latency_ms_before": memory.get("latency_ms_before"), "nodes": report["model"]["nodes"],
        "parameters": report.get("training", {}).get("parameters"),
        "front": [[one["latency_ratio"], one["peak_ratio"]] for one in report.get("pareto", [])],
        "singles": [{"name": one["name"], "graph": one["graph"],
                     "points": [[p["latency_ratio"], p["peak_ratio"]] for p in one["points"]]}
                    for one in memory.get("baselines", [])],
        "history": [[one["seconds"], one["cost"]] for one in search.get("best_history", [])],
        "generated": search.get("states_generated"), "filtered": search.get("states_filtered"),
        "scheduled": search.get("states_scheduled"), "per_second": search.get("states_per_second"),
        "search_seconds": search.get("seconds"), "pass_seconds": report["passes"][0]["seconds"],
        "before": thinned(memory.get("timeline_before", [])), "after": thinned(memory.get("timeline", [])),
    }


def budget_of(context, usual=numbers.SEARCH_SECONDS):
    return context.seconds(usual, QUICK_SECONDS)


def run(context, model, goal, values=(), seconds=None):
    """The outcome of a search with these options for its goal."""
    budget = budget_of(context) if seconds is None else seconds
    words = ["--training", "--batchnorm", BATCHNORM, "--passes", "magis", "--device", context.options.device,
             "--threads", str(context.options.threads), *goal,
             *settings("magis", [f"seconds={budget:g}", *values])]
    return context.facts(model, words, outcome, "magis", budget)


def within_latency(percent):
    return ["--objective", "memory", "--latency-limit", f"{1 + percent / 100:g}"]


def within_memory(percent):
    return ["--objective", "latency", "--memory-limit", f"{percent / 100:g}"]


PARETO = ["--objective", "pareto"]


def provenance(context, seconds=None):
    budget = budget_of(context) if seconds is None else seconds
    return context.modelled(f"device description {context.options.device}, {searched(context, budget)}")


def searched(context, budget):
    return (f"one search of {budget:g} s with {context.options.threads} threads on {context.cpu}, training step with "
            f"SGD and {BATCHNORM} batch normalization")

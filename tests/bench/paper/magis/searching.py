# SPDX-License-Identifier: Apache-2.0
"""How the search gets there: Figures 13 to 16."""
import re

from harness import process
from harness.failures import Failed, Missing
from harness.sheet import Bars, Column, Lines, Table

from . import limits, numbers, search

START_COST = 5  # of a state that keeps no limit: more than any that keeps one


def smaller(context, sheet, model):
    """The model of a figure, or the smallest one for a smoke test."""
    if not context.options.quick:
        return model
    sheet.note(f"A smoke test: {numbers.SMALLEST} instead of {model}.")
    return numbers.SMALLEST


def goals(quick):
    """The four constraints of Figures 9 and 10, or the first for a smoke test."""
    found = {f"peak at +{limit} % latency": (search.within_latency(limit), [search.ORIGINAL], "peak_ratio")
             for limit in numbers.PEAK_RANGES}
    found |= {f"latency at {limit} % memory": (search.within_memory(limit), [], "latency_ratio")
              for limit in numbers.LATENCY_LIMITS}
    return dict(list(found.items())[:1]) if quick else found


def figure_13(context, sheet):
    table = sheet.put(Table("Result without a heuristic, and by the number of levels of the F-Tree", [
        Column("constraint"), Column("setting"), Column("result", "modelled", "{:.4f}"),
        Column("kept", "modelled"), Column("limit kept after, s", "host", "{:.2f}"),
        Column("best after, s", "host", "{:.2f}"), Column("states", "host")], search.provenance(context)))
    model = smaller(context, sheet, numbers.BERT)
    for title, (goal, values, result) in goals(context.options.quick).items():
        chart = sheet.put(Lines(f"{title}: best result so far", "seconds of the search",
                                "cost, share of the original's", steps=True))
        for name, setting in numbers.ABLATION_SETTINGS.items():
            try:
                found = search.run(context, model, goal, [*values, setting])
            except (Missing, Failed) as problem:
                sheet.miss(f"{name}: {problem}")
                continue
            history = [point for point in found["history"] if point[1] < START_COST]
            table.add(title, name, found[result], limits.met(found), history[0][0] if history else None,
                      history[-1][0] if history else None, found["scheduled"])
            chart.series[name] = history
    stated = sheet.put(Table("What the paper's text states", [Column("setting"), Column("result", "paper")]))
    for setting, text in numbers.ABLATION.items():
        stated.add(setting, text)
    sheet.note("Seconds are those of the search itself; preparing is not part of them. The points of the paper's "
               "curves are not given in the text.")


ROW = re.compile(r"^(all|\d+, \d+)\s+(.+)$")


def parse_scheduling(text):
    """Rows of magis_scheduling_bench by heading: network, then its figures."""
    tables, rows = {}, None
    for line in text.splitlines():
        match = ROW.match(line)
        if match and rows is not None:
            figures = match.group(2).split()
            good, total = figures[8].split("/")
            rows.append({"network": match.group(1), "full_ms": float(figures[0]), "incremental_ms": float(figures[1]),
                         "mean": float(figures[3]), "geometric": float(figures[4]), "median": float(figures[5]),
                         "least": float(figures[6]), "most": float(figures[7]), "good": int(good),
                         "rounds": int(total), "worst": float(figures[9])})
        elif line and not line.startswith("network"):
            rows = tables.setdefault(line.strip(), [])
    return tables


def figure_14(context, sheet):
    bench = context.program.build / "bench/magis_scheduling_bench"
    if not bench.exists():
        raise Missing("bench/magis_scheduling_bench is not in the build folder; build it")
    cells = 4 if context.options.quick else 12

    def make():
        context.tell("magis_scheduling_bench")
        return parse_scheduling(process.run([bench, "--cells", cells], 1800))
    found = context.kept({"what": "scheduling", "cells": cells, "program": context.program.identity}, make)
    table = sheet.put(Table("Incremental scheduling against scheduling anew, 10 networks of 10 substitutions", [
        Column("bench"), Column("network"), Column("full, ms", "host", "{:.3f}"),
        Column("incremental, ms", "host", "{:.3f}"), Column("mean", "host", "{:.1f}"),
        Column("geometric mean", "host", "{:.1f}"), Column("least", "host", "{:.1f}"),
        Column("most", "host", "{:.1f}"), Column("as low", "host"), Column("of", "host"),
        Column("worst peak", "host", "{:.3f}")],
        f"host, {context.cpu}, one thread, processor time; networks of {cells} cells; {context.program.version}"))
    chart = sheet.put(Bars("Speed-up of incremental scheduling, geometric mean", "times"))
    for heading, rows in found.items():
        for row in rows:
            table.add(heading, row["network"], row["full_ms"], row["incremental_ms"], row["mean"],
                      row["geometric"], row["least"], row["most"], row["good"], row["rounds"], row["worst"])
    for networks in zip(*found.values()):
        chart.add(networks[0]["network"].split(",")[0],
                  {heading: row["geometric"] for heading, row in zip(found, networks)})
    stated = sheet.put(Table("What the paper's text states", [Column("figure"), Column("value", "paper")]))
    for title, value in numbers.SCHEDULING.items():
        stated.add(title, value)
    sheet.note("As low: substitutions after which the incremental schedule has no higher peak than the full one. The "
               "speed-ups of single tests are not given in the text.")


def figure_15(context, sheet):
    seconds = search.budget_of(context, numbers.FIGURE_15_TOTAL)
    model = smaller(context, sheet, numbers.VIT)
    found = search.run(context, model, search.within_latency(10), [search.ORIGINAL], seconds)
    counts = sheet.put(Table("States", [Column("count"), Column("number", "paper"), Column("number", "host")],
                             f"host, {search.searched(context, seconds)}; {context.program.version}"))
    paper = numbers.FIGURE_15_COUNTS
    counts.add("transformed", paper["transformed"], found["generated"])
    counts.add("filtered as duplicates", paper["filtered"], found["filtered"])
    counts.add("scheduled and simulated", paper["scheduled"], found["scheduled"])
    counts.add("scheduled a second", round(paper["scheduled"] / numbers.FIGURE_15_TOTAL, 1),
               found["per_second"])
    times = sheet.put(Table("Seconds", [Column("part"), Column("s", "paper", "{:.2f}"), Column("s", "host", "{:.2f}")],
                            counts.provenance))
    times.add("in all", numbers.FIGURE_15_TOTAL, found["pass_seconds"])
    for part in ("preparing", "searching", "finishing"):
        times.add(part, None, found.get(f"seconds_{part}"))
    for part, value in numbers.FIGURE_15_SECONDS.items():
        times.add(part, value, found.get(f"thread_seconds_{part}"))
    sheet.note("Times are of this processor; the latencies that the search compares are modelled for the device, so "
               "nothing is executed to collect them. Transforming, scheduling, simulating and hashing are of all "
               "threads together and without the initial states. Hashes are looked up when states are collected, "
               "which is not counted.")


def figure_16(context, sheet):
    model = smaller(context, sheet, numbers.UNET)
    table = sheet.put(Table("U-Net: latency and peak within limits of memory", [
        Column("plan"), Column("limit", "paper", "{:.1f}"), Column("latency", "modelled", "{:.3f}"),
        Column("peak", "modelled", "{:.3f}"), Column("kept", "modelled"), Column("fissions", "modelled"),
        Column("recomputed", "modelled"), Column("swapped", "modelled")], search.provenance(context)))
    chart = sheet.put(Lines("Memory while the step runs", "ms", "GB", steps=True))
    for name, limit in numbers.FIGURE_16_LIMITS.items():
        found = search.run(context, model, search.within_memory(100 * limit))
        if "original" not in chart.series:
            chart.series["original"] = [[ms, size / 1e9] for ms, size in found["before"]]
            table.add("original", None, 1.0, 1.0, None, None, None, None)
        chart.series[f"{name}, {limit:g}"] = [[ms, size / 1e9] for ms, size in found["after"]]
        table.add(name, limit, found["latency_ratio"], found["peak_ratio"], limits.met(found), found["fissions"],
                  found["recomputed"], found["swapped"])
    points = sheet.put(Table("Memory over time", [Column("plan"), Column("ms", "modelled", "{:.3f}"),
                                                  Column("GB", "modelled", "{:.3f}")], table.provenance))
    for name, curve in chart.series.items():
        for ms, size in curve:
            points.add(name, ms, size)
    sheet.note("The values of the paper's curves are not given in the text.")
    sheet.miss("the time of PyTorch on a GPU")

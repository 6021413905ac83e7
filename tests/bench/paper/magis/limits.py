# SPDX-License-Identifier: Apache-2.0
"""Table 2 and Figures 9 to 12: what the pass finds within limits, and the curves between them."""
from harness.failures import Failed, Missing
from harness.sheet import Bars, Column, Lines, Table

from . import numbers, search

BASELINES = ("POFO, DTR (MegEngine), XLA, TVM and Torch-Inductor: GPU software, not here; the values of the "
             "figure are not given in the text beyond the ranges above")
MOST_RATIO = 2.0  # of latency in a chart of curves: single techniques reach far beyond


def each(context, sheet, find):
    """Workload and what `find` has found for it."""
    for work in context.chosen(numbers.TABLE_2):
        try:
            yield work, find(work.file)
        except (Missing, Failed) as problem:
            sheet.miss(f"{work.name}: {problem}")


def met(outcome):
    return None if outcome is None else bool(outcome["limits_met"])


def percent(ratio):
    return None if ratio is None else 100 * (ratio - 1)


def table_2(context, sheet):
    table = sheet.put(Table("Workloads and their training steps", [
        Column("workload"), Column("batch", "paper"), Column("configuration", "paper"),
        Column("elements", "paper"), Column("nodes", "ours"), Column("weights, M", "ours", "{:.1f}"),
        Column("peak, GB", "modelled", "{:.1f}"), Column("latency, ms", "modelled", "{:.1f}")],
        search.provenance(context)))
    for work, found in each(context, sheet, lambda file: search.run(context, file, search.PARETO)):
        table.add(work.name, work.batch, work.configuration, work.type, found["nodes"],
                  found["parameters"] / 1e6 if found["parameters"] else None, found["peak_bytes_before"] / 1e9,
                  found["latency_ms_before"])
    sheet.note("Elements of ours are float32 in all workloads, also where the paper has bf16.")


def figure_9(context, sheet):
    columns = [Column("workload"), Column("peak, GB", "modelled", "{:.1f}")]
    for limit in numbers.PEAK_RANGES:
        columns += [Column(f"at +{limit} %", "modelled", "{:.3f}"), Column("kept", "modelled"),
                    Column(f"at +{limit} % of fastest", "modelled", "{:.3f}"),
                    Column(f"best single at +{limit} %", "modelled", "{:.3f}")]
    table = sheet.put(Table("Peak memory, relative to that of the original graph", columns,
                            search.provenance(context)))
    chart = sheet.put(Bars("Peak memory within a limit of additional latency", "share of the original's"))

    def find(file):
        return {limit: (search.run(context, file, search.within_latency(limit), [search.ORIGINAL]),
                        search.run(context, file, search.within_latency(limit)))
                for limit in numbers.PEAK_RANGES}
    for work, found in each(context, sheet, find):
        cells = []
        for limit, (original, fastest) in found.items():
            single = [peak for one in original["singles"] for latency, peak in one["points"]
                      if latency <= 1 + limit / 100]
            cells += [original["peak_ratio"], met(original), fastest["peak_ratio"],
                      min(single) if single else None]
        table.add(work.name, found[10][0]["peak_bytes_before"] / 1e9, *cells)
        chart.add(work.name, {f"+{limit} %": original["peak_ratio"] for limit, (original, _) in found.items()})
    stated = sheet.put(Table("What the paper's text states of MAGIS, percent of PyTorch's peak", [
        Column("limit of latency, %", "paper"), Column("least", "paper"), Column("most", "paper"),
        Column("GPT-Neo and BTLM, at most", "paper")]))
    for limit, (low, high) in numbers.PEAK_RANGES.items():
        stated.add(limit, low, high, numbers.LARGE_PEAKS[limit])
    sheet.note("At +10 %: latency against the original graph, as in the paper; of fastest: against the fastest "
               "graph that rewriting alone finds, which is stricter. Best single: the best of micro-batching, uniform "
               "checkpoints and orders on the original or the rewritten graph within the same limit.")
    sheet.note("Workload by workload, the values of the figure's bars are not given in the text.")
    sheet.miss(BASELINES)


def figure_10(context, sheet):
    columns = [Column("workload"), Column("latency, ms", "modelled", "{:.1f}")]
    for limit in numbers.LATENCY_LIMITS:
        columns += [Column(f"% more at {limit} %", "modelled", "{:+.1f}"), Column("kept", "modelled"),
                    Column(f"over fastest at {limit} %", "modelled", "{:+.1f}")]
    table = sheet.put(Table("Additional latency within a limit of memory, percent", columns,
                            search.provenance(context)))
    chart = sheet.put(Bars("Additional latency within a limit of memory", "% of the original's"))

    def find(file):
        return {limit: search.run(context, file, search.within_memory(limit)) for limit in numbers.LATENCY_LIMITS}
    for work, found in each(context, sheet, find):
        cells = []
        for one in found.values():
            cells += [percent(one["latency_ratio"]), met(one), percent(one.get("latency_ratio_to_rewritten"))]
        table.add(work.name, found[80]["latency_ms_before"], *cells)
        chart.add(work.name, {f"{limit} % of memory": percent(one["latency_ratio"]) for limit, one in found.items()})
    stated = sheet.put(Table("What the paper's text states, percent more latency at most", [
        Column("limit of memory, %", "paper"),
        *(Column(name, "paper") for name in next(iter(numbers.LATENCY_LIMITS.values())))]))
    for limit, values in numbers.LATENCY_LIMITS.items():
        stated.add(limit, *values.values())
    sheet.note("Over fastest: relative to the fastest graph that rewriting alone finds.")
    sheet.miss(BASELINES)


def figure_11(context, sheet):
    table = sheet.put(Table("Points of the curves", [
        Column("workload"), Column("curve"), Column("latency", "modelled", "{:.4f}"),
        Column("peak memory", "modelled", "{:.4f}")], search.provenance(context)))
    for work, found in each(context, sheet, lambda file: search.run(context, file, search.PARETO)):
        chart = sheet.put(Lines(f"{work.name}: latency against peak memory", "peak memory, share of the original's",
                                "latency, times the original's"))
        curve = sorted(([peak, latency] for latency, peak in found["front"] if latency <= MOST_RATIO))
        chart.series["magis"] = curve
        for peak, latency in curve:
            table.add(work.name, "magis", latency, peak)
        for one in found["singles"]:
            points = sorted([peak, latency] for latency, peak in one["points"] if latency <= MOST_RATIO)
            name = f"{one['name']}, {one['graph']}"
            if len(points) > 1:
                chart.series[name] = points
                chart.dots.add(name)
            for peak, latency in points:
                table.add(work.name, name, latency, peak)
    sheet.note(f"Single techniques are shown up to {MOST_RATIO:g} times the latency. The points of the paper's curves "
               "are not given in the text.")
    sheet.miss(BASELINES)


def figure_12(context, sheet):
    table = sheet.put(Table("ViT: micro-batching alone, and the whole search", [
        Column("parts"), Column("latency", "modelled", "{:.4f}"), Column("peak memory", "modelled", "{:.4f}")],
        search.provenance(context)))
    model = numbers.SMALLEST if context.options.quick else numbers.VIT
    if context.options.quick:
        sheet.note(f"A smoke test: {model} instead of {numbers.VIT}.")
    found = search.run(context, model, search.PARETO)
    chart = sheet.put(Lines("Latency against peak memory", "peak memory, share of the original's",
                            "latency, times the original's"))
    chart.series["magis"] = sorted([peak, latency] for latency, peak in found["front"] if latency <= MOST_RATIO)
    for latency, peak in sorted(found["front"]):
        table.add("magis", latency, peak)
    for one in found["singles"]:
        if one["name"] != "micro-batching":
            continue
        name = f"micro-batching, {one['graph']}"
        chart.series[name] = sorted([peak, latency] for latency, peak in one["points"] if latency <= MOST_RATIO)
        chart.dots.add(name)
        for latency, peak in sorted(one["points"]):
            table.add(name, latency, peak)
    sheet.note("The points of the paper's curves are not given in the text.")
    sheet.miss("POFO, alone and after micro-batching with factors 32, 16 and 8; micro-batching alone, which the pass "
               "tries for comparison, takes its place")

# SPDX-License-Identifier: Apache-2.0
"""Figures 10 to 12: tuned plans and other runtimes, in turn on this machine."""
from harness.contests import each, mean, median, peers, ratio
from harness.sheet import Bars, Column, Table

from . import numbers

TUNING_SECONDS = 60
OURS = {"dnnfusion": "dnnfusion", "dnnfusion,ago": "dnnfusion,ago"}
PEERS = ("ONNX Runtime", "Torch Mobile")


def contest(context, sheet, file):
    tune = context.seconds(TUNING_SECONDS)
    model = context.models.full(file) / "model.onnx"
    ours = [context.ours(name, model, ["--passes", passes], tune) for name, passes in OURS.items()]
    return context.contest(file, [*peers(context, sheet, model), *ours], tune)


def provenance(context):
    return context.host(f"each plan of ours tuned for {context.seconds(TUNING_SECONDS):g} s (paper: "
                        f"{numbers.TRIALS:,} trials)")


def rows(context, sheet, workloads):
    """Fills the table and the chart of some workloads; the ratios by shape come back."""
    table = sheet.put(Table("Milliseconds of one inference at batch 1", [
        Column("workload"), *(Column(name, "host") for name in (*PEERS, *OURS)),
        *(Column(f"{name} / ours", "host", "{:.2f}") for name in PEERS),
        Column("dnnfusion / ours", "host", "{:.2f}"), Column("runs", "host")], provenance(context)))
    chart = sheet.put(Bars("Speed-up of dnnfusion,ago", "times"))
    by_shape = {}
    for work, found in each(context, sheet, workloads, contest, table.provenance):
        best = found.get("dnnfusion,ago", {})
        ratios = {name: ratio(median(found, name), best.get("median")) for name in (*PEERS, "dnnfusion")}
        table.add(work.name, *(median(found, name) for name in (*PEERS, *OURS)),
                  *ratios.values(), best.get("runs"))
        chart.add(work.name, {f"over {name}": value for name, value in ratios.items()})
        by_shape.setdefault(work.shape, []).append(ratios)
    return by_shape


def classical(processor):
    """Figures 10 and 11: the same workloads, on another processor in the paper."""
    def fill(context, sheet):
        by_shape = rows(context, sheet, numbers.CLASSICAL)
        stated = sheet.put(Table(f"Mean speed-up by input shape; the paper's is of AGO on the {processor}", [
            Column("shape"), Column("over Torch Mobile", "paper", "{:.1f}"), Column("over Ansor", "paper", "{:.1f}"),
            *(Column(f"over {name}", "host", "{:.2f}") for name in (*PEERS, "dnnfusion"))], provenance(context)))
        paper = numbers.SPEEDUPS[processor]
        for shape, torch, ansor in zip(numbers.SHAPES, paper["Torch Mobile"], paper["Ansor"]):
            ours = by_shape.get(shape, [])
            stated.add(shape, torch, ansor, *(mean(one[name] for one in ours) for name in (*PEERS, "dnnfusion")))
        sheet.note("Ours are geometric means of dnnfusion,ago. The paper's latencies of single networks are not given "
                   "in the text.")
        sheet.miss(f"the {processor} and Ansor")
    return fill


def figure_12(context, sheet):
    rows(context, sheet, numbers.NEW)
    stated = sheet.put(Table("Improvement that the paper's text states, percent", [
        Column("workload"), Column("over Torch Mobile", "paper"), Column("over Ansor", "paper")]))
    for work in numbers.NEW:
        stated.add(work.name, *numbers.IMPROVEMENTS[work.file])
    sheet.note("The paper does not run MobileViT on the Qsd 810. Its latencies are not given in the text.")
    sheet.miss("the phones' processors and Ansor")

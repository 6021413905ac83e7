# SPDX-License-Identifier: Apache-2.0
"""Figure 13: subgraphs of two complex operators, tuned by AGO and by its variants."""
from dataclasses import dataclass

from harness.contests import each, mean, median, ratio
from harness.failures import Failed, Missing
from harness.graphs import Chain
from harness.program import settings
from harness.sheet import Bars, Column, Table

from . import numbers

TRIALS, QUICK_TRIALS = 400, 24
SECONDS, QUICK_SECONDS = 3600, 120  # trials are the budget; this only ends what hangs
# The reformer measures which blocks are faster joined, so that no size of a cache has to decide that before.
VARIANTS = {"AGO": ["cache-kib=0"], "NI": ["intensive=off"], "NR": ["reformer=off", "cache-kib=0"]}
WHOLE = "threshold=1e6"  # what is tuned is one subgraph, also at the larger batch, which weighs more
PHONE = "phone-cpu"  # the description of a phone, for which times are modelled


@dataclass
class Subgraph:
    title: str
    file: str
    source: str  # where its shapes are from
    dims: list  # of the input at batch 1
    steps: list  # method of Chain and its arguments

    def at(self, batch):
        return Workload(self, batch)


@dataclass
class Workload:
    """A subgraph at a batch size."""
    subgraph: Subgraph
    batch: int

    @property
    def name(self):
        return f"{self.subgraph.title}, B{self.batch}"

    @property
    def file(self):
        return f"{self.subgraph.file}_b{self.batch}"

    @property
    def quick(self):
        return self.batch == 1

    def model(self):
        chain = Chain(self.file, [self.batch, *self.subgraph.dims[1:]])
        for method, *arguments in self.subgraph.steps:
            getattr(chain, method)(*arguments)
        return chain.serialized()


def pointwise(channels, *after):
    return [("conv", channels, 1), ("add",), *((name,) for name in after)]


def depthwise(channels, *after):
    return [("conv", channels, 3, True), ("add",), *((name,) for name in after)]


SUBGRAPHS = [
    Subgraph("pointwise + depthwise", "pointwise_depthwise", "MobileNet-V2, features.8: conv.0 and conv.1",
             [1, 64, 14, 14], [*pointwise(384, "clip"), *depthwise(384, "clip")]),
    Subgraph("depthwise + pointwise", "depthwise_pointwise", "MNasNet, layers.8.2: layers.3 and layers.6",
             [1, 72, 56, 56], [*depthwise(72, "relu"), *pointwise(24)]),
    Subgraph("pointwise + pointwise", "pointwise_pointwise",
             "MobileNet-V2, features.2: conv.2, and features.3: conv.0", [1, 96, 56, 56],
             [*pointwise(24), *pointwise(144, "clip")]),
    Subgraph("depthwise + depthwise", "depthwise_depthwise", "ours; twice conv.1 of features.3 of MobileNet-V2",
             [1, 144, 56, 56], [*depthwise(144, "clip"), *depthwise(144, "clip")]),
]
WORKLOADS = [subgraph.at(batch) for subgraph in SUBGRAPHS for batch in numbers.FIGURE_13_BATCHES]


def budget(context):
    return context.trials(TRIALS, QUICK_TRIALS), context.seconds(SECONDS, QUICK_SECONDS)


def contest(context, _, file):
    trials, seconds = budget(context)
    context.models.add(file, next(work for work in WORKLOADS if work.file == file).model())
    model = context.models.full(file) / "model.onnx"
    words = {name: ["--passes", "ago", *settings("ago", [*values, WHOLE]), "--trials", str(trials)]
             for name, values in VARIANTS.items()}
    return context.contest(file, [context.ours(name, model, words[name], seconds) for name in VARIANTS], seconds)


def on_phone(context, work, name):
    """Modelled milliseconds of a variant on the phone, tuned by the same model; blocks and trials."""
    trials, seconds = budget(context)
    context.models.add(work.file, work.model())
    words = ["--passes", "ago", *settings("ago", [*VARIANTS[name], WHOLE]), "--device", PHONE,
             "--budget", f"{trials}trials", "--times", "modelled"]

    def extract(report):
        times = [kernel["ms"] for kernel in report["tuning"]["kernels"] if "ms" in kernel]
        return {"ms": sum(times), "blocks": report["fusion"]["layers_after"], "trials": report["tuning"]["trials"]}
    return context.facts(work.file, words, extract, f"tuning by a model, {name}", seconds)


def modelled(context, sheet):
    """The same on a phone that is only described."""
    provenance = context.modelled(f"{PHONE}, tuned with at most {budget(context)[0]:,} trials by the same model")
    table = sheet.put(Table("Modelled milliseconds on a phone", [
        Column("subgraph"), *(Column(name, "modelled") for name in VARIANTS), Column("NI / AGO", "modelled", "{:.2f}"),
        Column("NR / AGO", "modelled", "{:.2f}"), Column("blocks", "modelled"), Column("trials", "modelled")],
        provenance))
    means = sheet.put(Table("Mean loss of performance against AGO on a phone, percent", [
        Column("variant"), Column("loss", "paper"), Column("loss", "modelled", "{:.1f}"),
        Column("time / AGO's", "modelled", "{:.2f}"), Column("most", "modelled", "{:.2f}")], provenance))
    ratios = {name: [] for name in numbers.LOSSES}
    for work in context.chosen(WORKLOADS):
        try:
            found = {name: on_phone(context, work, name) for name in VARIANTS}
        except (Missing, Failed) as problem:
            sheet.miss(f"{work.name}, modelled: {problem}")
            continue
        over = {name: ratio(found[name]["ms"], found["AGO"]["ms"]) for name in ratios}
        table.add(work.name, *(found[name]["ms"] for name in VARIANTS), *over.values(), found["AGO"]["blocks"],
                  found["AGO"]["trials"])
        for name, value in over.items():
            ratios[name] += [value] if value else []
    for name, values in ratios.items():
        means.add(f"AGO-{name}", numbers.LOSSES[name], loss(mean(values)), mean(values), max(values, default=None))
    sheet.note(f"Modelled times are sums over the kernels whose schedule leaves a choice, for {PHONE}, a description "
               "of a phone like those of the paper. The model knows caches, registers and cores, but no latencies.")


def loss(times):
    """Percent of performance, which is the inverse of time, that are lost at so many times the time."""
    return 100 * (1 - 1 / times) if times else None


def _operators(subgraph):
    """The steps of a subgraph as they are said."""
    names = {"add": "bias", "clip": "Clip", "relu": "Relu"}
    return " + ".join(f"{'depthwise' if step[3:] else 'pointwise'} to {step[1]}" if step[0] == "conv"
                      else names[step[0]] for step in subgraph.steps)


def figure_13(context, sheet):
    trials, _ = budget(context)
    provenance = context.host(f"each variant tuned with at most {trials:,} trials (paper: "
                              f"{numbers.FIGURE_13_TRIALS:,})")
    shapes = sheet.put(Table("Subgraphs at batch 1", [
        Column("subgraph"), Column("shapes from"), Column("input"), Column("operators")]))
    for subgraph in SUBGRAPHS:
        shapes.add(subgraph.title, subgraph.source, " x ".join(map(str, subgraph.dims)), _operators(subgraph))
    table = sheet.put(Table("Milliseconds of one inference", [
        Column("subgraph"), *(Column(name, "host") for name in VARIANTS), Column("NI / AGO", "host", "{:.2f}"),
        Column("NR / AGO", "host", "{:.2f}"), Column("runs", "host")], provenance))
    means = sheet.put(Table("Mean loss of performance against AGO, percent", [
        Column("variant"), Column("loss", "paper"), Column("loss", "host", "{:.1f}"),
        Column("time / AGO's", "host", "{:.2f}"), Column("most", "host", "{:.2f}"),
        Column("subgraphs", "host")], provenance))
    spent = sheet.put(Table("Tuning", [
        Column("subgraph"), Column("variant"), Column("blocks before", "host"), Column("blocks after", "host"),
        Column("trials", "host"), Column("s", "host", "{:.1f}")], provenance))
    chart = sheet.put(Bars("Time of the variants relative to AGO", "times"))
    ratios = {name: [] for name in numbers.LOSSES}
    for work, found in each(context, sheet, WORKLOADS, contest, provenance):
        over = {name: ratio(median(found, name), median(found, "AGO")) for name in ratios}
        table.add(work.name, *(median(found, name) for name in VARIANTS), *over.values(),
                  found.get("AGO", {}).get("runs"))
        chart.add(work.name, {"AGO": 1.0, **over})
        for name, value in over.items():
            ratios[name] += [value] if value else []
        for name in VARIANTS:
            tuning = found.get(name, {}).get("tuning")
            if tuning:
                spent.add(work.name, name, tuning["before"], tuning["after"], tuning["trials"], tuning["seconds"])
    for name, values in ratios.items():
        means.add(f"AGO-{name}", numbers.LOSSES[name], loss(mean(values)), mean(values), max(values, default=None),
                  len(values))
    modelled(context, sheet)
    sheet.note("NI: no intensive fusion (ago.intensive=off). NR: no reformer (ago.reformer=off), blocks are tuned as "
               "the pass has made them by its cost model. Data between blocks is never too small to join them "
               "(ago.cache-kib=0). A variant may end before its trials are spent, when all its kernels are stable.")
    sheet.note("Our losses are of the geometric mean of the ratios of times: a variant that takes 1.25 times as long "
               "has lost 20 % of its performance. The paper's text gives the means over both of its phones only, "
               "neither the latencies nor the shapes of its subgraphs.")
    sheet.miss("the phones' processors")

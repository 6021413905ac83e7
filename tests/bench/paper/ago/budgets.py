# SPDX-License-Identifier: Apache-2.0
"""Figure 8: how many trials subgraphs take until they are stable, against their weights of equation 1."""
import statistics
from dataclasses import dataclass

from harness.failures import Failed, Missing
from harness.graphs import Chain
from harness.program import settings
from harness.sheet import Column, Lines, Table

from . import numbers

MOST_TRIALS = 20000  # so many that the tuner ends by itself; without a number it ends at 256 of a kernel
SECONDS, QUICK_SECONDS = 3600, 300  # these only end what hangs
REPETITIONS = 3
# The subgraph is tuned as it is and whole, as in the paper's experiment, which comes before partition and reformer.
SETTINGS = ["reformer=off", "threshold=1e6"]

STRUCTURES = {
    "Conv": ["conv"],
    "Conv + Add": ["conv", "add"],
    "Conv + Add + Relu": ["conv", "add", "relu"],
    "Conv + Add + Relu + Conv": ["conv", "add", "relu", "conv"],
    "Conv + Add + Relu + Conv + Add + Relu": ["conv", "add", "relu"] * 2,
}
SIZES = [(16, 32, 14, 14), numbers.FIGURE_8_STATED, (64, 128, 56, 56)]  # I, O, H, W


@dataclass
class Subgraph:
    structure: str
    sizes: tuple

    @property
    def name(self):
        return f"{self.structure}, {'-'.join(map(str, self.sizes))}"

    @property
    def file(self):
        return "_".join(["budget", *STRUCTURES[self.structure], *map(str, self.sizes)])

    @property
    def quick(self):
        return self.sizes == SIZES[0] and self.structure in ("Conv", "Conv + Add")

    def model(self):
        inputs, outputs, height, width = self.sizes
        chain = Chain(self.file, [1, inputs, height, width])
        for step in STRUCTURES[self.structure]:
            if step == "conv":
                chain.conv(outputs, 3)
            else:
                getattr(chain, step)()
        return chain.serialized()


SUBGRAPHS = [Subgraph(structure, sizes) for structure in STRUCTURES for sizes in SIZES]


def weight(report):
    """The weight of a whole model, which is the sum over its subgraphs."""
    return sum(report["partition"]["weights"])


def fit(points):
    """Slope, bias and R^2 of the line with the least squares; None without two places."""
    if len({x for x, _ in points}) < 2:
        return None
    x_mean, y_mean = (statistics.fmean(values) for values in zip(*points))
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)
    bias = y_mean - slope * x_mean
    spread = sum((y - y_mean) ** 2 for _, y in points)
    left = sum((y - slope * x - bias) ** 2 for x, y in points)
    return slope, bias, 1 - left / spread if spread else 1.0


def repetitions(context):
    return 1 if context.options.quick else REPETITIONS


def measured(context, subgraph):
    """Weight of a subgraph, and what each tuning of it has taken."""
    context.models.add(subgraph.file, subgraph.model())
    words = ["--passes", "ago", *settings("ago", SETTINGS)]
    seconds = context.seconds(SECONDS, QUICK_SECONDS)
    found = context.facts(subgraph.file, words, weight, "weight")
    tunings = [context.tuning(subgraph.file, [*words, "--trials", str(MOST_TRIALS)], seconds, number)
               for number in range(repetitions(context))]
    stable = all(one["trials"] < MOST_TRIALS and one["seconds"] < seconds for one in tunings)
    return found, tunings, stable


def figure_8(context, sheet):
    provenance = (f"host, {context.cpu}, {context.options.threads} threads, trials until each kernel is stable, "
                  f"number of tunings: {repetitions(context)}; weights modelled; {context.program.version}")
    table = sheet.put(Table("Trials until subgraphs are stable", [
        Column("subgraph"), Column("I-O-H-W"), Column("weight", "modelled", "{:.1f}"),
        Column("trials, mean", "host", "{:.0f}"), Column("least", "host"), Column("most", "host"),
        Column("blocks", "host"), Column("s, mean", "host", "{:.1f}"), Column("stable", "host")], provenance))
    fitted = sheet.put(Table("Trials as a linear function of weights", [
        Column("subgraphs"), Column("points", "host"), Column("trials per weight", "host", "{:.2f}"),
        Column("bias", "host", "{:.0f}"), Column("R^2", "host", "{:.2f}")], provenance))
    chart = sheet.put(Lines("Trials until stable over the weight", "weight", "trials"))
    notes(sheet)
    for subgraph in context.chosen(SUBGRAPHS):
        try:
            heavy, tunings, stable = measured(context, subgraph)
        except (Missing, Failed) as problem:
            sheet.miss(f"{subgraph.name}: {problem}")
            continue
        trials = [one["trials"] for one in tunings]
        table.add(subgraph.structure, "-".join(map(str, subgraph.sizes)), heavy, statistics.fmean(trials),
                  min(trials), max(trials), tunings[0]["after"],
                  statistics.fmean(one["seconds"] for one in tunings), stable)
        if stable:
            chart.dots.add(subgraph.structure)
            chart.series.setdefault(subgraph.structure, []).append((heavy, statistics.fmean(trials)))
    line(fitted, chart)


def line(fitted, chart):
    """Adds the fits of each structure and of all points, and the line of all to the chart."""
    points = [point for list_ in chart.series.values() for point in list_]
    for name, list_ in [*chart.series.items(), ("all", points)]:
        found = fit(list_)
        if found and len(list_) > 2:  # a line through two points says nothing
            fitted.add(name, len(list_), *found)
    found = fit(points)
    if found:
        ends = min(points)[0], max(points)[0]
        chart.series["fit of all"] = [(x, found[0] * x + found[1]) for x in ends]


def notes(sheet):
    inputs, outputs, height, width = numbers.FIGURE_8_STATED
    sheet.note(f"The text gives batch 1, windows of 3 x 3, padding 1, and the sizes of one subgraph: Conv + Add with "
               f"I={inputs}, O={outputs}, H={height}, W={width}. It gives neither the other sizes, nor the structures "
               "beyond Conv + Add, nor the budgets, nor when a subgraph counts as stable: these are ours. The paper "
               "says that equation 1 fits its budgets almost perfectly, without a measure.")
    sheet.note("Conv has no bias, Add adds a constant to each channel. Further convolutions keep the number of "
               "channels. A kernel is stable when the last 24 trials have gained less than 2 % (ago.stable-trials, "
               "ago.stable-gain). Subgraphs are tuned without the reformer; those of several blocks take the trials "
               "of all their kernels. Weights are of ago's slope and bias, which do not change how well a line "
               "through one structure fits.")

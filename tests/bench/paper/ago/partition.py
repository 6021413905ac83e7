# SPDX-License-Identifier: Apache-2.0
"""Figure 14: how the weights of subgraphs are distributed."""
import math

from harness.sheet import Bars, Column, Table

from . import numbers


def partitions(report):
    """Summary and weights of the partition and of its baseline."""
    def of(partition):
        return {name: partition[name] for name in ("subgraphs", "trivial", "mean", "median", "jain", "acyclic",
                                                   "weights")}
    found = report["partition"]
    return {"AGO": of(found), "Relay": of(found["baseline"])}


def bins(weights):
    """How many weights are in [2^k, 2^(k+1)); those beyond are in the first or the last."""
    counts = [0] * numbers.BINS
    for weight in weights:
        k = math.floor(math.log2(weight)) if weight >= 1 else 0
        counts[min(k, numbers.BINS - 1)] += 1
    return counts


def figure_14(context, sheet):
    found = context.facts(numbers.FIGURE_14_MODEL, ["--passes", "ago"], partitions, "ago")
    provenance = context.modelled("weights of AGO's equation 1; Relay is a partition like Relay's")
    table = sheet.put(Table("Partitions of MobileViT", [
        Column("partition"), Column("figures"), Column("subgraphs"), Column("trivial"),
        Column("mean weight", "", "{:.0f}"), Column("median", "", "{:.0f}"),
        Column("Jain's index", "", "{:.2f}")], provenance))
    for name, paper in numbers.PARTITIONS.items():
        for source, one in (("paper", paper), ("ours, modelled", found[name])):
            table.add(name, source, *(one[key] for key in ("subgraphs", "trivial", "mean", "median", "jain")))
    counts = {name: bins(one["weights"]) for name, one in found.items()}
    distribution = sheet.put(Table("Subgraphs by weight", [
        Column("bin"), Column("weights"), Column("Relay-like", "modelled"), Column("AGO", "modelled")], provenance))
    chart = sheet.put(Bars("Subgraphs by weight", "subgraphs"))
    for k in range(numbers.BINS):
        weights = f"{2 ** k} to {2 ** (k + 1)}" if k else "less than 2"
        distribution.add(f"[{k}, {k + 1})", weights, counts["Relay"][k], counts["AGO"][k])
        chart.add(f"[{k}, {k + 1})", {"Relay-like": counts["Relay"][k], "AGO": counts["AGO"][k]})
    sheet.note("The paper's numbers of subgraphs in each bin are not given in the text. Trivial: a weight below 20. "
               "Slope and bias of the weights are fitted by us, since the paper does not give them.")
    for name, one in found.items():
        if not one["acyclic"]:
            sheet.note(f"The partition {name} has a cycle.")

# SPDX-License-Identifier: Apache-2.0
"""What needs no run of a model: Tables 2 to 5, from the lists and reports of the program."""
import collections
import re

from harness.failures import Failed, Missing
from harness.program import settings
from harness.sheet import Bars, Column, Table

from . import numbers

CELL = re.compile(r"([\w-]+) before ([\w-]+), DNNFusion Table 3: (\w+)")
MEGA = 1e6  # the paper does not say which megabytes; those of the report's bytes are powers of ten


def cells_of(report):
    """Verdicts on pairs of mapping types that the report names: [first, second, colour, how often]."""
    fusion = report.get("fusion", {})
    texts = [reason["reason"] for block in fusion.get("blocks", [])
             for reason in [*block.get("decisions", []), *block.get("borders", [])]]
    texts += [refused.get("example", "") for refused in report.get("search", {}).get("refused", [])]
    found = collections.Counter(match.groups() for text in texts for match in CELL.finditer(text))
    return [[*cell, count] for cell, count in sorted(found.items())]


def structure(report):
    """What Tables 1, 3, 4 and 5 need of a report after the pass."""
    fusion = report["fusion"]
    wanted = ("layers_before", "layers_after", "compute_intensive", "memory_intensive",
              "irs_bytes_before", "irs_bytes_after", "modelled_ms_before", "modelled_ms")
    rewrite = report.get("rewrite", {})
    return {
        **{name: fusion[name] for name in wanted},
        "unsized": fusion.get("unsized_irs_before", 0),
        "fixed": {name: fusion["baseline"][name] for name in ("layers_after", "irs_bytes_after", "modelled_ms")}
        if "baseline" in fusion else None,
        "parameters": report["model"].get("parameters"), "macs": report["model"].get("macs"),
        "flops_before": rewrite.get("flops_before"), "flops_after": rewrite.get("flops_after"),
        "applied": {one["rule"]: one["count"] for one in rewrite.get("applied", [])},
        "cells": cells_of(report), "seconds": report["passes"][0]["seconds"],
    }


def of(context, model, values=()):
    return context.facts(model, ["--passes", "dnnfusion", *settings("dnnfusion", values)], structure,
                         "dnnfusion")


def each(context, sheet, rows):
    """Row of the paper and facts of each model that can be had."""
    for row in context.chosen(rows):
        try:
            yield row, of(context, row.file)
        except (Missing, Failed) as problem:
            sheet.miss(f"{row.name}: {problem}")


def table_2(context, sheet):
    ours = {one["name"]: one["mapping"] for one in context.program.list("ops") if not one["domain"]}
    table = sheet.put(Table("Mapping types of operators that the paper names", [
        Column("operator"), Column("mapping type", "paper"), Column("mapping type", "ours"), Column("same")]))
    for mapping, names in numbers.TABLE_2.items():
        for name in names.split():
            found = ours.get(name)
            table.add(name, mapping, found, found == mapping if found else None)
    counted = collections.Counter(ours.values())
    counts = sheet.put(Table("Operators of the program by mapping type", [
        Column("mapping type"), Column("named", "paper"), Column("operators", "ours")]))
    for mapping in [*numbers.TYPES, *sorted(set(counted) - set(numbers.TYPES))]:
        named = numbers.TABLE_2.get(mapping)
        counts.add(mapping, len(named.split()) if named else None, counted[mapping])
    absent = [name for names in numbers.TABLE_2.values() for name in names.split() if name not in ours]
    if absent:
        sheet.note(f"{', '.join(absent)}: no operator of the table of the program (Upsample: deprecated since "
                   "operator set 10).")
    sheet.note("Ours is derived from what each operator computes, and printed by --list ops; no list of types "
               "is kept. The paper's row \"Elementwise with broadcast\" depends on the shapes: no operator.")


def table_3(context, sheet):
    seen = collections.Counter()
    for _, facts in each(context, sheet, numbers.TABLE_5):
        for first, second, _, count in facts["cells"]:
            seen[first, second] += count
    cells = {(one["first"], one["second"]): one for one in context.program.list("fusions")}
    table = sheet.put(Table("Fusing a first operator (row) with a second one (column)", [
        Column("first"), Column("second"), Column("fused type", "paper"), Column("fused type", "ours"),
        Column("colour", "ours"), Column("named in reports", "ours"), Column("agrees")],
        context.modelled("cells by --list fusions, counted in reports of the models")))
    for first, types in numbers.TABLE_3.items():
        for second, fused in zip(numbers.TYPES, types):
            cell = cells.get((first, second), {})
            isRed = cell.get("verdict") == "red"
            table.add(first, second, fused or "x (red)", cell.get("mapping"), cell.get("verdict"),
                      seen[first, second] or None,
                      (isRed == (fused is None) and (isRed or cell["mapping"] == fused)) if cell else None)
    sheet.note("Agrees: ours is red exactly where the paper has a cross, and has the same fused type elsewhere. The "
               "paper's text does not give which of the other cells are green or yellow. Reports name the cell of a "
               "decision only, so cells that no decision needed, which is most green ones, are not counted.")


def table_4(context, sheet):
    fired = collections.Counter()
    for _, facts in each(context, sheet, numbers.TABLE_5):
        fired.update(facts["applied"])
    rules = {one["name"]: one for one in context.program.list("rules") if one["pass"] == "dnnfusion"}
    table = sheet.put(Table("Representative rules", [
        Column("property"), Column("before", "paper"), Column("FLOPs", "paper"), Column("after", "paper"),
        Column("FLOPs after", "paper"), Column("rule", "ours"), Column("formula", "ours"),
        Column("FLOPs", "ours"), Column("applied", "ours")],
        context.modelled("FLOPs by --list rules, applications counted in reports of the models")))
    for row in numbers.TABLE_4:
        for name in row.ours:
            rule = rules.get(name, {})
            table.add(row.category, row.before, row.flops_before, row.after, row.flops_after,
                      name if rule else f"{name}: not there", rule.get("formula"), rule.get("flops"),
                      fired[name])
    by_category = collections.Counter(rule["category"] for rule in rules.values())
    used = collections.Counter()
    for name, count in fired.items():
        used[rules.get(name, {}).get("category", "unknown")] += count
    counts = sheet.put(Table("Rules by category", [
        Column("category"), Column("rules", "paper"), Column("rules", "ours"), Column("applied", "ours")],
        context.modelled("applications counted in reports of the models")))
    for category in [*numbers.RULES_DERIVED, *sorted(set(by_category) - set(numbers.RULES_DERIVED))]:
        counts.add(category, numbers.RULES_DERIVED.get(category), by_category[category], used[category])
    top = sheet.put(Table("Rules that were applied most often", [
        Column("rule"), Column("category"), Column("applied", "ours")], counts.provenance))
    for name, count in fired.most_common(20):
        top.add(name, rules.get(name, {}).get("category"), count)
    sheet.note("Square(A) is x^2 and Recip(A) is Reciprocal(A) in ours; m and n are the extents that the paper "
               "calls so.")


def table_5(context, sheet):
    table = sheet.put(Table("Layers and bytes of intermediate results (IRS, MB)", [
        Column("model"), Column("CIL", "paper"), Column("CIL", "ours"), Column("layers", "paper"),
        Column("layers", "ours"), Column("fused", "paper"), Column("fused", "ours"), Column("OurB+", "ours"),
        Column("rate", "paper", "{:.1f}"), Column("rate", "ours", "{:.1f}"), Column("IRS", "paper"),
        Column("IRS", "ours", "{:.0f}"), Column("IRS after", "paper"), Column("IRS after", "ours", "{:.0f}"),
        Column("IRS OurB+", "ours", "{:.0f}")],
        context.modelled("counted in the plans of the pass dnnfusion; OurB+ is fixed patterns")))
    others = sheet.put(Table("Layers after fusion by other frameworks, which are not here", [
        Column("model"), Column("MNN", "paper"), Column("TVM", "paper"), Column("TFLite", "paper"),
        Column("Pytorch", "paper"), Column("DNNF", "paper"), Column("DNNF", "ours")], table.provenance))
    chart = sheet.put(Bars("Fusion rate: layers before, divided by layers after", "times"))
    for row, facts in each(context, sheet, numbers.TABLE_5):
        rate = facts["layers_before"] / facts["layers_after"]
        fixed = facts["fixed"] or {}
        table.add(row.name, row.cil, facts["compute_intensive"], row.layers, facts["layers_before"], row.fused,
                  facts["layers_after"], fixed.get("layers_after"), row.layers / row.fused, rate, row.size,
                  facts["irs_bytes_before"] / MEGA, row.fused_size, facts["irs_bytes_after"] / MEGA,
                  fixed["irs_bytes_after"] / MEGA if fixed else None)
        others.add(row.name, row.mnn, row.tvm, row.tflite, row.pytorch, row.fused, facts["layers_after"])
        chart.add(row.name, {"DNNFusion, paper": row.layers / row.fused, "dnnfusion, ours": rate, **(
            {"OurB+, ours": facts["layers_before"] / fixed["layers_after"]} if fixed else {})})
        if facts["unsized"]:
            sheet.note(f"{row.name}: {facts['unsized']} intermediate results have a size that only a run tells; "
                       "they do not count.")
    sheet.note("Layers before are those of the exported ONNX file after folding constants; other exporters gave the "
               "paper's. In the paper, CIL and MIL of MobileNetV1-SSD do not add up to its layers. TVM's counts of "
               "transformers are from a laptop there.")
    sheet.miss("MNN, TVM, TFLite, PyTorch Mobile: how many layers they leave is not counted here")

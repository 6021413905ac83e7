# SPDX-License-Identifier: Apache-2.0
"""What figures read off a contest: medians, ratios, and remarks on what went wrong."""
import math

from .failures import Failed, Missing
from .sheet import Column, Table

DIFFERENT = 1e-4  # outputs that are further apart, relative to their scale, are not called equal
NOISY = 1.25  # a median that is so many times the least is remarked


def peers(context, sheet, model):
    """Other runtimes as far as they are here; the first is the reference of the outputs."""
    found = []
    for make in (context.peers.onnx_runtime, context.peers.torch_mobile):
        try:
            found.append(make(model))
        except Missing as problem:
            sheet.miss(str(problem))
    return found


def median(found, name):
    return found.get(name, {}).get("median")


def ratio(above, below):
    return above / below if above and below else None


def mean(values):
    """Geometric mean of those that there are."""
    there = [value for value in values if value]
    return math.exp(sum(map(math.log, there)) / len(there)) if there else None


def remarks(sheet, name, found):
    """Tells which contestants have failed, computed something else, or were disturbed."""
    reference = next(iter(found), None)
    for one, result in found.items():
        if "reason" in result:
            sheet.miss(f"{name}, {one}: {result['reason']}")
        elif result.get("difference", 0) > DIFFERENT:
            sheet.note(f"{name}, {one}: outputs differ from those of {reference} by "
                       f"{result['difference']:.1e} of their scale.")
    noisy = [f"{one} {result['median'] / result['min']:.1f}" for one, result in found.items()
             if "median" in result and result["median"] > NOISY * result["min"]]
    if noisy:
        sheet.note(f"{name}: noisy, medians are so many times the least: {', '.join(noisy)}.")


def times_table(sheet, provenance):
    """A table for the times of all contestants, beyond the medians that figures compare."""
    return sheet.put(Table("All times, ms", [
        Column("model"), Column("contestant"), Column("min", "host"), Column("median", "host"), Column("p95", "host"),
        Column("runs", "host"), Column("outputs differ by", "host", "{:.0e}")], provenance))


def add_times(table, name, found):
    for one, result in found.items():
        if "median" in result:
            table.add(name, one, result["min"], result["median"], result["p95"], result["runs"],
                      result.get("difference"))


def each(context, sheet, rows, contest, provenance):
    """Row of the paper and times of each model that can be had; a table of all times."""
    times = times_table(sheet, provenance)
    for row in context.chosen(rows):
        try:
            found = contest(context, sheet, row.file)
        except (Missing, Failed) as problem:
            sheet.miss(f"{row.name}: {problem}")
            continue
        remarks(sheet, row.name, found)
        add_times(times, row.name, found)
        yield row, found

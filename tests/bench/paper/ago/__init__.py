# SPDX-License-Identifier: Apache-2.0
"""AGO (INFOCOM 2023): an entry for each figure of its evaluation."""
from harness.sheet import Entry

from . import budgets, latency, partition, subgraphs

ENTRIES = [
    Entry("figure", 8, "budgets of tuning different subgraphs", budgets.figure_8),
    Entry("figure", 10, "end-to-end inference, low-end processor", latency.classical("Qsd 810")),
    Entry("figure", 11, "end-to-end inference, high-end processor", latency.classical("Kirin 990")),
    Entry("figure", 12, "end-to-end inference of Bert-tiny and MobileViT", latency.figure_12),
    Entry("figure", 13, "subgraphs with variants of AGO", subgraphs.figure_13),
    Entry("figure", 14, "weights of subgraphs", partition.figure_14),
]

# SPDX-License-Identifier: Apache-2.0
"""MAGIS (ASPLOS 2024): an entry for each table and figure of its evaluation."""
from harness.sheet import Entry

from . import limits, searching

ENTRIES = [
    Entry("table", 2, "workloads", limits.table_2),
    Entry("figure", 9, "peak memory within limits of latency", limits.figure_9),
    Entry("figure", 10, "latency within limits of memory", limits.figure_10),
    Entry("figure", 11, "trade-off between latency and memory", limits.figure_11),
    Entry("figure", 12, "comparison with micro-batching", limits.figure_12),
    Entry("figure", 13, "breakdown of heuristics", searching.figure_13),
    Entry("figure", 14, "incremental scheduling", searching.figure_14),
    Entry("figure", 15, "optimization time", searching.figure_15),
    Entry("figure", 16, "case study of U-Net", searching.figure_16),
]

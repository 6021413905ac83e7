# SPDX-License-Identifier: Apache-2.0
"""DNNFusion (PLDI 2021): an entry for each table and figure of its evaluation."""
from harness.sheet import Entry

from . import resources, speed, structure

ENTRIES = [
    Entry("table", 1, "computation, layer count and execution efficiency", speed.table_1),
    Entry("table", 2, "classification of operators in mapping types", structure.table_2),
    Entry("table", 3, "mapping type analysis", structure.table_3),
    Entry("table", 4, "graph rewriting with mathematical properties", structure.table_4),
    Entry("table", 5, "fusion rate", structure.table_5),
    Entry("table", 6, "inference latency", speed.table_6),
    Entry("figure", 6, "speed-up over optimized graphs", speed.figure_6),
    Entry("figure", 7, "optimization breakdown", speed.figure_7),
    Entry("figure", 8, "memory and cache misses", resources.figure_8),
    Entry("figure", 9, "utilization and compilation time", resources.figure_9),
    Entry("figure", 10, "portability", resources.figure_10),
]

# SPDX-License-Identifier: Apache-2.0
"""Figures of AGO (INFOCOM 2023), as its text gives them. The latencies of Figures 10 to 12 and the bars of
Figure 14 are pictures only."""
from dataclasses import dataclass

SHAPES = ("small", "middle", "large")  # 56, 112 and 224 pixels


@dataclass
class Workload:
    file: str
    name: str
    shape: str

    @property
    def quick(self):
        return self.file in ("squeezenet1_1_56", "bert_tiny")


def _shapes(file, name):
    return [Workload(f"{file}_{size}", f"{name} {size}", shape) for size, shape in zip((56, 112, 224), SHAPES)]


CLASSICAL = [*_shapes("mobilenet_v2", "MobileNet-V2"), *_shapes("mnasnet1_0", "MNasNet"),
             *_shapes("squeezenet1_1", "SqueezeNet"), *_shapes("shufflenet_v2_x1_0", "ShuffleNet-V2")]
NEW = [Workload("bert_tiny", "Bert-tiny", "128 tokens"), Workload("mobilevit_s_256", "MobileViT", "large")]

# Section VI-A: mean speed-up of AGO by shape, over Torch Mobile and over Ansor.
SPEEDUPS = {
    "Qsd 810": {"Torch Mobile": (1.5, 1.6, 1.8), "Ansor": (1.2, 1.2, 1.2)},
    "Kirin 990": {"Torch Mobile": (1.9, 2.1, 1.5), "Ansor": (2.6, 1.6, 1.1)},
}
# Section VI-A, Figure 12: improvement in percent over Torch Mobile and over Ansor.
IMPROVEMENTS = {"bert_tiny": (38.2, 20.5), "mobilevit_s_256": (34.3, 29.1)}
TRIALS = 20000  # budget of tuning

FIGURE_14_MODEL = "mobilevit_s_256"
BINS = 10  # [2^k, 2^(k+1))
# Section VI-B. Trivial: a weight below 20; the text gives no number of trivial subgraphs of AGO.
PARTITIONS = {
    "Relay": {"subgraphs": 259, "trivial": 105, "mean": 138, "median": 23, "jain": .19},
    "AGO": {"subgraphs": 82, "trivial": None, "mean": 437, "median": 350, "jain": .55},
}

# Section VI-B, Figure 13: mean loss of performance in percent against AGO, on both platforms. The text gives no
# latencies and no shapes.
LOSSES = {"NI": 17, "NR": 27}
FIGURE_13_TRIALS = 2000  # of each variant and subgraph
FIGURE_13_BATCHES = (1, 4)

# Section IV-A, Figure 8: Conv + Add at batch 1, a window of 3 x 3 and padding 1 is the only subgraph whose sizes
# (I, O, H and W) the text gives; the budgets are a picture only.
FIGURE_8_STATED = (32, 64, 28, 28)

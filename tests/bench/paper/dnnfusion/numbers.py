# SPDX-License-Identifier: Apache-2.0
"""Figures of DNNFusion (PLDI 2021), as its text gives them. None: the paper has a dash."""
from dataclasses import dataclass

QUICK = ("efficientnet_b0", "tinybert_4l")


@dataclass
class Rate:
    """A row of Table 5. Sizes are in MB; CIL and MIL are compute- and memory-intensive layers."""
    file: str
    name: str
    cil: int
    mil: int
    layers: int
    size: int
    mnn: int
    tvm: int
    tflite: int
    pytorch: int
    fused: int
    fused_size: int

    @property
    def quick(self):
        return self.file in QUICK


N = None
TABLE_5 = [
    Rate("efficientnet_b0", "EfficientNet-B0", 82, 227, 309, 108, 199, 195, 201, 210, 97, 26),
    Rate("vgg16", "VGG-16", 16, 35, 51, 161, 22, 22, 22, 22, 17, 52),
    Rate("mobilenetv1_ssd", "MobileNetV1-SSD", 16, 48, 202, 110, 138, 124, 138, 148, 71, 37),
    Rate("yolov4_416", "YOLO-V4", 106, 292, 398, 329, 198, 192, 198, 232, 135, 205),
    Rate("c3d", "C3D", 11, 16, 27, 195, 27, 27, N, 27, 16, 90),
    Rate("s3d", "S3D", 77, 195, 272, 996, N, N, N, 272, 98, 356),
    Rate("unet_256", "U-Net", 44, 248, 292, 312, 241, 232, 234, N, 82, 158),
    Rate("faster_rcnn_800", "Faster R-CNN", 177, 3463, 3640, 914, N, N, N, N, 942, 374),
    Rate("mask_rcnn_800", "Mask R-CNN", 187, 3812, 3999, 1524, N, N, N, N, 981, 543),
    Rate("tinybert_4l", "TinyBERT", 37, 329, 366, 183, N, 304, 322, N, 74, 55),
    Rate("distilbert", "DistilBERT", 55, 402, 457, 540, N, 416, 431, N, 109, 197),
    Rate("albert_base", "ALBERT", 98, 838, 936, 1260, N, 746, 855, N, 225, 320),
    Rate("bert_base", "BERT-base", 109, 867, 976, 915, N, 760, 873, N, 216, 196),
    Rate("mobilebert", "MobileBERT", 434, 1953, 2387, 744, N, 1678, 2128, N, 510, 255),
    Rate("gpt2_124m", "GPT-2", 84, 2449, 2533, 1389, N, 2047, 2223, N, 254, 356),
]
# In the paper, the layers of this row are no sum of its CIL and MIL.
SUMS_DIFFER = ("mobilenetv1_ssd",)


@dataclass
class Latency:
    """A row of Table 6: milliseconds on the CPU and the GPU of a Galaxy S20."""
    file: str
    name: str
    parameters: float  # millions
    flops: float  # thousand millions
    mnn: tuple
    tvm: tuple
    tflite: tuple
    pytorch: tuple
    ourb: tuple
    ourb_plus: tuple
    dnnf: tuple

    @property
    def quick(self):
        return self.file in QUICK


NO = (N, N)
TABLE_6 = [
    Latency("efficientnet_b0", "EfficientNet-B0", 5.3, .8, (41, 26), (56, 27), (52, 30), (76, N), (54, 35),
            (38, 24), (16, 10)),
    Latency("vgg16", "VGG-16", 138, 31.0, (242, 109), (260, 127), (245, 102), (273, N), (251, 121),
            (231, 97), (171, 65)),
    Latency("mobilenetv1_ssd", "MobileNetV1-SSD", 9.5, 3.0, (67, 43), (74, 52), (87, 68), (92, N), (79, 56),
            (61, 39), (33, 17)),
    Latency("yolov4_416", "YOLO-V4", 64, 34.6, (501, 290), (549, 350), (560, 288), (872, N), (633, 390),
            (426, 257), (235, 117)),
    Latency("c3d", "C3D", 78, 77.0, (867, N), (1487, N), NO, (2541, N), (880, 551), (802, 488), (582, 301)),
    Latency("s3d", "S3D", 8.0, 79.6, NO, NO, NO, (6612, N), (1409, 972), (1279, 705), (710, 324)),
    Latency("unet_256", "U-Net", 2.1, 15.0, (181, 106), (210, 120), (302, 117), (271, N), (227, 142),
            (168, 92), (99, 52)),
    Latency("faster_rcnn_800", "Faster R-CNN", 41, 47.0, NO, NO, NO, NO, (2325, 3054), (1462, 1974),
            (862, 531)),
    Latency("mask_rcnn_800", "Mask R-CNN", 44, 184, NO, NO, NO, NO, (5539, 6483), (3907, 4768), (2471, 1680)),
    Latency("tinybert_4l", "TinyBERT", 15, 4.1, NO, NO, (97, N), NO, (114, 89), (92, 65), (51, 30)),
    Latency("distilbert", "DistilBERT", 66, 35.5, NO, NO, (510, N), NO, (573, 504), (467, 457), (224, 148)),
    Latency("albert_base", "ALBERT", 83, 65.7, NO, NO, (974, N), NO, (1033, 1178), (923, 973), (386, 312)),
    Latency("bert_base", "BERT-base", 108, 67.3, NO, NO, (985, N), NO, (1086, 1204), (948, 1012), (394, 293)),
    Latency("mobilebert", "MobileBERT", 25, 17.6, NO, NO, (342, N), NO, (448, 563), (326, 397), (170, 102)),
    Latency("gpt2_124m", "GPT-2", 125, 69.1, NO, NO, (1102, N), NO, (1350, 1467), (990, 1106), (394, 292)),
]
# Section 5.2, least and greatest speed-up that the text states: (CPU, GPU).
STATED_SPEEDUPS = {
    "mnn": ((1.4, 2.6), (1.7, 2.6)), "tvm": ((1.5, 3.5), (2.0, 3.1)), "tflite": ((1.4, 3.3), (1.6, 4.0)),
    "pytorch": ((1.6, 9.3), N), "ourb_plus": ((1.4, 2.5), (1.5, 3.9)),
}


@dataclass
class Efficiency:
    """A row of Table 1, of OurB+ on an Adreno 650."""
    file: str
    name: str
    layers: int
    size: int  # MB
    flops: float  # thousand millions
    speed: int  # thousand millions a second

    @property
    def quick(self):
        return self.file == "vgg16"


TABLE_1 = [
    Efficiency("vgg16", "VGG-16", 51, 161, 31.0, 320),
    Efficiency("yolov4_416", "YOLO-V4", 398, 329, 34.6, 135),
    Efficiency("distilbert", "DistilBERT", 457, 540, 35.3, 78),
    Efficiency("mobilebert", "MobileBERT", 2387, 744, 17.6, 44),
    Efficiency("gpt2_124m", "GPT-2", 2533, 1389, 69.1, 62),
]

TYPES = ("One-to-One", "One-to-Many", "Many-to-Many", "Reorganize", "Shuffle")
# Table 2; names as the operators are called in ONNX.
TABLE_2 = {
    "One-to-One": "Add Asin BatchNormalization Cast Ceil Clip Concat Cos Erf Exp Greater LeakyRelu Log Not "
                  "PRelu Reciprocal Relu Round Sigmoid Sin Slice Split Sqrt Tanh Where",
    "One-to-Many": "Expand Gather Resize Upsample",
    "Many-to-Many": "AveragePool Conv ConvTranspose CumSum Einsum Gemm InstanceNormalization MaxPool "
                    "ReduceProd ReduceMean Softmax",
    "Reorganize": "Flatten Reshape Squeeze Unsqueeze",
    "Shuffle": "DepthToSpace SpaceToDepth Transpose",
}

# Table 3: the type of two fused operators by that of the first; columns are the second's, as in TYPES.
# None is a cross: red. The text does not give the other colours.
O, E, M, R, S = TYPES
TABLE_3 = {O: (O, E, M, R, S), E: (E, E, N, E, E), M: (M, M, N, M, M), R: (R, E, M, R, R),
           S: (S, E, M, R, S)}


@dataclass
class Rule:
    """A row of Table 4, and the names of rules that do the same in the program."""
    category: str
    before: str
    flops_before: str
    after: str
    flops_after: str
    ours: tuple


TABLE_4 = [
    Rule("associative", "Recip(A) * Recip(A * B)", "4*m*n", "Square(Recip(A)) * B", "3*m*n",
         ("square-shared-Reciprocal",)),
    Rule("associative", "(A * Sqrt(B)) * (Sqrt(B) * C)", "5*m*n", "A * B * C", "2*m*n",
         ("multiply-shared-Sqrt-out",)),
    Rule("associative", "Abs(A) * B * Abs(C)", "4*m*n", "Abs(A * C) * B", "3*m*n",
         ("merge-Abs-under-Mul", "rotate-operands-of-Mul")),
    Rule("associative", "(A * ReduceSum(B)) * (ReduceSum(B) * C)", "5*m*n", "A * Square(ReduceSum(B)) * C",
         "3*m*n+m", ("gather-shared-operand-of-Mul",)),
    Rule("distributive", "A * C + A * B", "3*m*n", "(A + B) * C", "2*m*n", ("factor-Mul-out-of-Add",)),
    Rule("distributive", "A + A * B", "2*m*n", "A * (B + 1)", "2*m*n", ("factor-operand-of-Mul-out-of-Add",)),
    Rule("distributive", "Square(A + B) - (A + B) * C", "5*m*n", "(A + B) * (A + B - C)", "3*m*n",
         ("factor-square-out-of-Sub",)),
    Rule("commutative", "A * B", "m*n", "B * A", "m*n", ("swap-operands-of-Mul",)),
    Rule("commutative", "ReduceSum(BitShift(A))", "2*m*n", "BitShift(ReduceSum(A))", "m*n+m",
         ("move-BitShift-behind-ReduceSum",)),
    Rule("commutative", "ReduceProd(Exp(A))", "2*m*n", "Exp(ReduceSum(A))", "m*n+m",
         ("move-Exp-behind-ReduceProd",)),
]
RULES_DERIVED = {"associative": 45, "distributive": 38, "commutative": 66}

FIGURE_6_MODELS = ("efficientnet_b0", "vgg16", "mobilenetv1_ssd", "yolov4_416", "unet_256", "tinybert_4l",
                   "distilbert", "albert_base", "bert_base", "mobilebert", "gpt2_124m")
FIGURE_6_RANGE = (1.4, 2.6)  # DNNFusion over a graph that TASO has optimized and TFLite runs
FIGURE_7_MODELS = ("efficientnet_b0", "yolov4_416", "s3d", "gpt2_124m")
# Section 5.3, on the CPU: each over what is before it; the last over rewriting left out.
FIGURE_7_RANGES = {"rewriting": (1.2, 1.5), "fusion": (1.6, 2.2), "other": (1.3, 1.8),
                   "rewriting, with fusion and other": (1.4, 1.9)}
GPT2_LAYERS = {"without rewriting": 310, "with rewriting": 254}
FIGURE_9_HOURS = {"TVM": 4, "DNNFusion without a database": 3, "DNNFusion with a database": 1}
FIGURE_9_ENTRIES = 22000  # of the profiling database, "around 22K"


def latency(file):
    """The row of Table 6 of a model."""
    return next(row for row in TABLE_6 if row.file == file)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times ONNX's own shape inference: shape_inference.py ROUNDS FILE.onnx

Prints JSON: the median milliseconds of parsing the file without its external data and inferring
shapes, and how many nodes' outputs have a shape of integers, one with symbols, or none.
"""
import json
import statistics
import sys
import time

import onnx
import onnx.shape_inference


def kind(value):
    if not value.type.tensor_type.HasField("shape"):
        return "none"
    dims = value.type.tensor_type.shape.dim
    return "fixed" if all(dim.HasField("dim_value") for dim in dims) else "symbolic"


def main(rounds, path):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        model = onnx.load(path, load_external_data=False)
        model = onnx.shape_inference.infer_shapes(model)
        times.append(1000 * (time.perf_counter() - start))
    known = {value.name: kind(value) for value in [*model.graph.value_info, *model.graph.output]}
    counts = {"fixed": 0, "symbolic": 0, "none": 0}
    for node in model.graph.node:
        for output in node.output:
            counts[known.get(output, "none")] += 1
    print(json.dumps({"milliseconds": statistics.median(times), **counts}))


main(int(sys.argv[1]), sys.argv[2])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the small models in tests/plugins/magis/workloads of the large ones that MAGIS is measured on.

A small model has every kind of node of the large one, joined the same way, for small extents and with
fewer of the blocks that repeat. Weights are left out: each is a ConstantOfShape, which tests fill with
pseudo-random elements (engine/interpreter/fill_weights.h). Needed once, where a model changes:
python3-onnx.

    tests/support/small_workloads.py FOLDER tests/plugins/magis/workloads

FOLDER holds the large models, as torch.onnx.export of PyTorch 1.13 writes them (opset 13, inference),
by the names in WORKLOADS below.
"""
import os
import sys

import numpy
import onnx
from onnx import helper, numpy_helper


class Workload:
    def __init__(self, inputs, extents, skipped, patch=None):
        self.inputs = inputs  # new extents of inputs
        self.extents = extents  # of weights, and in shapes that calls read: old to new
        self.skipped = skipped  # blocks: what the last one that stays gives, what the last one gave
        self.patch = patch  # extents of a kernel that is as large as its stride: old to new


def transformer(prefix, last, suffix):
    """Blocks 2 to last are left out."""
    return [(f"{prefix}1{suffix}", f"{prefix}{last}{suffix}")]


def divided(by, most):
    """Numbers of channels, all by one number."""
    return {by * k: k for k in range(1, most + 1)}


WORKLOADS = {
    "resnet50_b64": Workload(
        {"input": [4, 3, 32, 32]},
        {**divided(32, 64), 1000: 10},
        [(f"/layer{k}/layer{k}.1/relu_2/Relu_output_0", f"/layer{k}/layer{k}.{last}/relu_2/Relu_output_0")
         for k, last in ((1, 2), (2, 3), (3, 5), (4, 2))]),
    "bert_base_b32_s512": Workload(
        {name: [4, 8] for name in ("input_ids", "attention_mask", "token_type_ids")},
        {32: 4, 512: 8, 768: 16, 12: 2, 64: 8, 3072: 32, 30522: 40},
        [("/encoder/layer.1/output/LayerNorm/Add_1_output_0", "last_hidden_state")]),
    "vit_base_b64": Workload(  # 64: the batch, and the extent of a head
        {"input": [4, 3, 12, 12]},
        {64: 4, 197: 10, 768: 16, 2304: 48, 12: 4, 3072: 32, 1000: 10, 16: 4},
        transformer("/blocks/blocks.", 11, "/Add_1_output_0"), {16: 4}),
    "unet_b32_256": Workload({"input": [4, 3, 32, 32]}, divided(32, 32), []),
    "unetpp_b16_256": Workload({"input": [2, 3, 32, 32]}, divided(16, 64), []),
    "gpt_neo_1.3b_b32_s512": Workload(
        {"input_ids": [4, 8]},
        {32: 4, 512: 8, 2048: 16, 16: 2, 128: 8, 8192: 32, 50257: 40},
        transformer("/transformer/h.", 23, "/Add_1_output_0")),
    "btlm_3b_b32_s512": Workload(  # 32: the batch, and the number of heads
        {"input_ids": [4, 8]},
        {32: 4, 512: 8, 2560: 16, 80: 4, 7680: 48, 6826: 24, 50257: 40},
        transformer("/h.", 31, "/Add_1_output_0")),
}


def small_extents(extents, workload):
    return [workload.extents.get(extent, extent) for extent in extents]


def small_table(values, workload):
    """The first distances and positions; of masks and of factors for heads every so many-th, so that a
    mask for near positions stays one."""
    for axis, (old, new) in enumerate(zip(values.shape, small_extents(values.shape, workload))):
        stride = 1 if values.dtype == numpy.int64 else old // new
        values = values.take(range(0, new * stride, stride), axis)
    return values


def skip(graph, stays, gone):
    """What reads the result of the last block reads that of the last one that stays."""
    outputs = {output.name for output in graph.output}
    for node in graph.node:
        if gone in outputs:  # the last one that stays gets its name
            for names in (node.input, node.output):
                names[:] = [gone if n == stays else gone + ".large" if n == gone and names is node.output
                            else n for n in names]
        else:
            node.input[:] = [stays if name == gone else name for name in node.input]


def remove_dead(graph):
    """Nodes and initializers that no output needs."""
    needed = {output.name for output in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed.update(node.input)
            nodes.append(node)
    initializers = [i for i in graph.initializer if i.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(nodes))
    graph.initializer.extend(initializers)


def shrink(model, workload):
    graph = model.graph
    for stays, gone in workload.skipped:
        skip(graph, stays, gone)
    remove_dead(graph)
    shapes = {node.input[0] for node in graph.node if node.op_type == "ConstantOfShape"}
    weights, initializers = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.name in shapes:
            values = numpy.array(small_extents(values.tolist(), workload), numpy.int64)
        elif values.dtype == numpy.float32 and values.ndim > 0:
            shape = tensor.name + ".shape"
            initializers.append(numpy_helper.from_array(
                numpy.array(small_extents(values.shape, workload), numpy.int64), shape))
            # Biases and the stored means are zeros, which would hide that one is left out.
            value = values.flat[0] if values.flat[0] != 0 else 0.25
            weights.append(helper.make_node(
                "ConstantOfShape", [shape], [tensor.name],
                value=helper.make_tensor("value", onnx.TensorProto.FLOAT, [1], [value])))
            continue
        elif values.ndim > 1:
            values = small_table(values, workload)
        initializers.append(numpy_helper.from_array(values, tensor.name))
    del graph.initializer[:]
    graph.initializer.extend(initializers)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name == "value" and node.op_type == "Constant":
                values = numpy_helper.to_array(attribute.t)
                if values.ndim > 1:
                    values = small_table(values, workload)
                elif values.ndim == 1 and values.dtype == numpy.int64 and values.size > 1:
                    values = numpy.array(small_extents(values.tolist(), workload), numpy.int64)
                attribute.t.CopyFrom(numpy_helper.from_array(values))
            if workload.patch and node.op_type == "Conv" and attribute.name in ("kernel_shape", "strides"):
                attribute.ints[:] = [workload.patch.get(extent, extent) for extent in attribute.ints]
    nodes = weights + list(graph.node)
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    for value in graph.input:
        for dim, extent in zip(value.type.tensor_type.shape.dim, workload.inputs[value.name]):
            dim.dim_value = extent
    for value in graph.output:  # inference says it
        value.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(model)
    for value, known in zip(graph.output, inferred.graph.output):
        value.CopyFrom(known)
    return model


def main(source, target):
    for name, workload in WORKLOADS.items():
        model = shrink(onnx.load(os.path.join(source, name + ".onnx")), workload)
        path = os.path.join(target, name.split("_b")[0].replace(".", "_") + ".onnx")
        onnx.save(model, path)
        onnx.checker.check_model(path)
        print(f"{path}: {len(model.graph.node)} nodes, {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])

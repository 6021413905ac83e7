// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/pending_nodes.h"

#include "engine/onnx/nodes/constant_nodes.h"
#include "engine/ops/upgrade/upgrade.h"

#include <algorithm>

namespace graphloom {

namespace {

using Pending = GraphBuild::Pending;

/// Makes the output of a ConstantOfShape with a constant shape a constant; returns whether it did.
Result<bool> fill(const Node &node, GraphBuild &build)
{
    if (!isConstantFill(node) || node.inputs.empty() || !node.inputs[0].valid())
        return false;
    const TensorData *extents = build.constantOf(node.inputs[0]);
    if (!extents)
        return false;
    GL_TRY_RESULT(filled, filledConstant(node, *extents));
    const TensorId output = node.outputs[0];
    build.editor.setTensor(
        output, Tensor::of(build.editor.graph().tensor(output).name, std::move(*filled)));
    return true;
}

/// Returns by id which tensors have readers.
std::vector<char> readTensors(const GraphBuild &build, const std::vector<TensorId> &outputs)
{
    std::vector<char> read(build.editor.graph().tensorBound(), 0);
    for (const TensorId output : outputs)
        read[output.index] = 1;
    for (const Pending &pending : build.pending)
        forEachRead(pending.node, [&](TensorId id, std::uint32_t) { read[id.index] = 1; });
    return read;
}

} // namespace

Result<void> addPendingNodes(GraphBuild &build, const std::vector<TensorId> &outputs,
                             ReadingState &state)
{
    const auto moved = build.sortPending();
    if (!moved)
        return state.at(moved.error(), {});
    if (*moved)
        state.warn("nodes were not in topological order and have been sorted");
    const std::vector<char> read = readTensors(build, outputs);
    const auto isRead = [&](TensorId id) { return id.index < read.size() && read[id.index] != 0; };

    const std::int64_t target = state.input().targetOpset;
    std::vector<TensorId> shapes;
    for (Pending &pending : build.pending) {
        Node &node = pending.node;
        const auto filled = fill(node, build);
        if (!filled)
            return state.at(filled.error(), node.label());
        if (*filled) {
            shapes.push_back(node.inputs[0]);
            continue;
        }
        if (!node.domain.empty() || pending.opset == target) {
            build.editor.addNode(std::move(node));
            continue;
        }
        auto nodes = upgradeNode(build.editor, std::move(node), pending.opset, target, isRead);
        if (!nodes)
            return state.at(nodes.error(), nodes.error().where);
        for (Node &upgraded : *nodes)
            build.editor.addNode(std::move(upgraded));
    }
    // Remove shapes that were only used to fill constants.
    for (const TensorId shape : shapes) {
        const Graph &graph = build.editor.graph();
        if (graph.contains(shape) && graph.tensor(shape).constant && graph.uses(shape).empty() &&
            std::ranges::find(outputs, shape) == outputs.end())
            build.editor.removeTensor(shape);
    }
    build.pending.clear();
    return {};
}

} // namespace graphloom

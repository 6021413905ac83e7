// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade_steps.h"

#include <array>

namespace graphloom {

namespace {

// Version 8 scans a batch of sequences: its tensors have the batch as their first dimension and
// the sequence as their second one. Version 9 has no batch, so two scans are needed: the outer one
// splits the batch and stacks the results.
Result<void> nestForBatch(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    const auto *body = node.attributes.find("body");
    const auto *graph = body ? std::get_if<GraphPointer>(body) : nullptr;
    const std::int64_t scanned = node.attributes.integer("num_scan_inputs", 0);
    if (!graph || scanned < 1 || node.inputs.empty() ||
        (*graph)->inputs().size() + 1 != node.inputs.size() ||
        (*graph)->outputs().size() < node.outputs.size() ||
        scanned > std::int64_t((*graph)->inputs().size()))
        return upgrade.refuse("does not match its body");
    if (upgrade.hasInput(0))
        return upgrade.refuse(
            "has sequences of different lengths, which newer versions do not support");
    node.inputs.erase(node.inputs.begin());

    GraphEditor editor;
    editor.setName(node.name + "__batch");
    const auto tensorLike = [&](TensorId inner, const char *role) {
        Tensor tensor;
        tensor.name = (*graph)->tensor(inner).name + role;
        tensor.type = (*graph)->tensor(inner).type;
        return editor.addTensor(std::move(tensor));
    };
    Node scan;
    scan.op = "Scan";
    scan.name = node.name.empty() ? "" : node.name + "__sequence";
    for (const TensorId input : (*graph)->inputs())
        scan.inputs.push_back(tensorLike(input, "__element"));
    for (const TensorId output : (*graph)->outputs())
        scan.outputs.push_back(tensorLike(output, "__result"));
    for (const TensorId outer : node.captures) {
        Tensor standIn = upgrade.tensor(outer);
        standIn.constant = nullptr;
        scan.captures.push_back(editor.addTensor(std::move(standIn)));
    }
    scan.attributes = Attributes({{"body", *graph}, {"num_scan_inputs", scanned}});
    if (node.attributes.contains("directions"))
        scan.attributes =
            scan.attributes.with("scan_input_directions", node.attributes.integers("directions"));
    editor.setInputs(scan.inputs);
    editor.setCaptured(scan.captures);
    editor.setOutputs(scan.outputs);
    const auto results = scan.outputs.size();
    editor.addNode(std::move(scan));
    auto outer = std::move(editor).finish();
    if (!outer)
        return upgrade.refuse(outer.error().message);
    node.attributes = Attributes({{"body", std::make_shared<const Graph>(std::move(*outer))},
                                  {"num_scan_inputs", std::int64_t(node.inputs.size())}});
    node.outputs.resize(results);
    return {};
}

constexpr std::array scanList{UpgradeStep{"Scan", 9, nestForBatch}};

} // namespace

std::span<const UpgradeStep> scanSteps()
{
    return scanList;
}

} // namespace graphloom

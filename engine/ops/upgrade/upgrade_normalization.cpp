// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade_steps.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr std::string_view trainingMode = "training_mode";

// Versions before 14 indicate training by their additional outputs, which makes version 6's flag
// redundant.
Result<void> dropTestFlag(Upgrade &upgrade)
{
    upgrade.node.attributes = upgrade.node.attributes.without("is_test");
    return {};
}

// Versions 7 and 8 could have statistics for each element of an image (spatial = 0): then the
// operator is plain arithmetic, since those line up with the last dimensions.
Result<void> spellOutElementStatistics(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    const bool spatial = node.attributes.integer("spatial", 1) != 0;
    node.attributes = node.attributes.without("spatial");
    if (spatial)
        return {};
    if (upgrade.hasOutput(1) || upgrade.hasOutput(2) || node.inputs.size() != 5)
        return upgrade.refuse(
            "trains statistics for each element, which newer versions do not support");
    const TensorId x = node.inputs[0], scale = node.inputs[1], bias = node.inputs[2],
                   mean = node.inputs[3], variance = node.inputs[4];
    const TensorId epsilon =
        upgrade.realLike("epsilon", double(node.attributes.real("epsilon", 1e-5f)), variance);
    const TensorId raised = upgrade.compute("Add", {variance, epsilon}, "raised_variance");
    const TensorId deviation = upgrade.compute("Sqrt", {raised}, "deviation");
    const TensorId centered = upgrade.compute("Sub", {x, mean}, "centered");
    const TensorId normalized = upgrade.compute("Div", {centered, deviation}, "normalized");
    const TensorId scaled = upgrade.compute("Mul", {normalized, scale}, "scaled");
    node.op = "Add";
    node.inputs = {scaled, bias};
    node.attributes = {};
    return {};
}

// Version 14 has a flag for training, and no saved statistics as outputs.
Result<void> flagTraining(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    if (node.outputs.size() <= 1)
        return {};
    for (std::size_t i = 4; i >= 3; --i) {
        if (upgrade.isRead(i))
            return upgrade.refuse(
                "outputs its saved statistics, which newer versions do not support");
        upgrade.dropOutput(i);
    }
    node.attributes = node.attributes.with(std::string(trainingMode), std::int64_t{1});
    return {};
}

// Version 6 drops elements unless `is_test` is set; versions 7 to 11 never do.
Result<void> keepDropping(Upgrade &upgrade)
{
    const bool training = upgrade.node.attributes.integer("is_test", 0) == 0;
    upgrade.node.attributes = upgrade.node.attributes.without("is_test");
    if (training)
        upgrade.node.attributes =
            upgrade.node.attributes.with(std::string(trainingMode), std::int64_t{1});
    return {};
}

// The mask is bool since version 10; before, it had the type of the data.
Result<void> castMask(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    if (!upgrade.isRead(1)) {
        upgrade.dropOutput(1);
        return {};
    }
    Node cast;
    cast.op = "CastLike";
    cast.name = node.name.empty() ? "" : node.name + "__mask_cast";
    cast.outputs = {node.outputs[1]};
    node.outputs[1] = upgrade.fresh("mask");
    cast.inputs = {node.outputs[1], node.inputs[0]};
    cast.metadata = node.metadata;
    upgrade.after.push_back(std::move(cast));
    return {};
}

// Version 12 takes ratio and training mode as inputs.
Result<void> dropoutToInputs(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    const float ratio = node.attributes.real("ratio", 0.5f);
    upgrade.setInput(1, upgrade.constant("ratio", TensorData::fromValues<float>(DataType::Float, {},
                                                                                {&ratio, 1})));
    if (node.attributes.contains(trainingMode))
        upgrade.setInput(2, upgrade.constant(trainingMode, TensorData::fromBytes(DataType::Bool, {},
                                                                                 {std::byte{1}})));
    node.attributes = node.attributes.without("ratio").without(trainingMode).without("seed");
    return {};
}

// Until version 12 the input was flattened to a matrix at `axis` first.
Result<void> noteFlattening(Upgrade &upgrade)
{
    const std::int64_t axis = upgrade.node.attributes.integer("axis", 1);
    upgrade.node.attributes =
        upgrade.node.attributes.without("axis").with(std::string(flattenAxis), axis);
    return {};
}

constexpr std::array normalizationList{
    UpgradeStep{"BatchNormalization", 7, dropTestFlag},
    UpgradeStep{"BatchNormalization", 9, spellOutElementStatistics},
    UpgradeStep{"BatchNormalization", 14, flagTraining},
    UpgradeStep{"Dropout", 7, keepDropping},
    UpgradeStep{"Dropout", 10, castMask},
    UpgradeStep{"Dropout", 12, dropoutToInputs},
    UpgradeStep{"Hardmax", 13, noteFlattening},
    UpgradeStep{"LogSoftmax", 13, noteFlattening},
    UpgradeStep{"Softmax", 13, noteFlattening},
};

} // namespace

std::span<const UpgradeStep> normalizationSteps()
{
    return normalizationList;
}

Result<void> unflatten(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    if (!node.attributes.contains(flattenAxis) || !upgrade.hasInput(0))
        return {};
    std::int64_t axis = node.attributes.integer(flattenAxis, 1);
    node.attributes = node.attributes.without(flattenAxis);
    const TensorId data = node.inputs[0];
    const std::optional<Shape> shape = upgrade.tensor(data).shape;
    if (shape) {
        const auto rank = std::int64_t(shape->size());
        if (axis < 0)
            axis += rank;
        if (axis < 0 || axis > rank)
            return upgrade.refuse("cannot flatten at axis " + std::to_string(axis) +
                                  " of an input of rank " + std::to_string(rank));
        // The row is a single axis if all dimensions after it have a single element.
        if (axis < rank && std::all_of(shape->begin() + axis + 1, shape->end(),
                                       [](const Dim &dim) { return dim == Dim(1); })) {
            node.attributes = node.attributes.with("axis", axis);
            return {};
        }
    }
    const TensorId flat = upgrade.compute("Flatten", {data}, "flat", Attributes({{"axis", axis}}));
    const bool constantShape = shape && isStatic(*shape) && staticElements(*shape).value_or(0) > 0;
    TensorId extents;
    if (constantShape) {
        std::vector<std::int64_t> values;
        for (const Dim &dim : *shape)
            values.push_back(dim.value());
        extents = upgrade.constant("shape", TensorData::fromInt64s(values));
    } else {
        extents = upgrade.compute("Shape", {data}, "shape");
    }
    Node back;
    back.op = "Reshape";
    back.name = node.name.empty() ? "" : node.name + "__unflatten";
    back.inputs = {upgrade.fresh("rows"), extents};
    back.outputs = node.outputs;
    back.metadata = node.metadata;
    // An extent of zero means zero, not a copy of the input's extent.
    if (!constantShape)
        back.attributes = Attributes({{"allowzero", std::int64_t{1}}});
    node.inputs = {flat};
    node.outputs = {back.inputs[0]};
    node.attributes = node.attributes.with("axis", std::int64_t{-1});
    upgrade.after.push_back(std::move(back));
    return {};
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade_steps.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

TensorData floats(const std::vector<float> &values)
{
    return TensorData::fromValues<float>(DataType::Float, {std::int64_t(values.size())}, values);
}

// The experimental operator of versions 1 to 6 has one scale for rows and one for columns.
Result<void> joinScales(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    const float rows = node.attributes.real("height_scale", 1);
    const float columns = node.attributes.real("width_scale", 1);
    node.attributes = node.attributes.without("height_scale").without("width_scale");
    node.attributes = node.attributes.with("scales", std::vector<float>{1, 1, rows, columns});
    return {};
}

// Version 9 takes the scales as an input.
Result<void> scalesToInput(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    upgrade.setInput(1, upgrade.constant("scales", floats(node.attributes.reals("scales"))));
    node.attributes = node.attributes.without("scales");
    return {};
}

// Version 10 replaced Upsample by Resize, which can also shrink.
Result<void> upsampleToResize(Upgrade &upgrade)
{
    upgrade.node.op = "Resize";
    upgrade.node.attributes = upgrade.node.attributes.with("nearest_mode", std::string("floor"));
    return {};
}

// Version 10 maps coordinates by division alone, without a shift by half an element. Its nearest
// neighbour is rounded down when it enlarges and up when it shrinks, as in the runtimes and in the
// conformance tests of that version.
Result<void> nameCoordinates(Upgrade &upgrade)
{
    Node &node = upgrade.node;
    const TensorId scales = node.inputs.size() > 1 ? node.inputs[1] : TensorId();
    if (!scales.valid())
        return upgrade.refuse("has no scales");
    node.inputs = {node.inputs[0], TensorId(), scales};
    node.attributes =
        node.attributes.with("coordinate_transformation_mode", std::string("asymmetric"));
    const bool nearest = node.attributes.text("mode", "nearest") == "nearest";
    if (!nearest || node.attributes.contains("nearest_mode"))
        return {};

    std::vector<float> larger, smaller;
    const std::shared_ptr<const TensorData> known = upgrade.tensor(scales).constant;
    if (known) {
        for (std::int64_t i = 0; i < known->elements(); ++i) {
            larger.push_back(std::max(1.0f, float(known->real(i))));
            smaller.push_back(std::min(1.0f, float(known->real(i))));
        }
    }
    const auto isOne = [](float scale) { return scale == 1; };
    const auto with = [&](const char *mode) {
        return node.attributes.with("nearest_mode", std::string(mode));
    };
    if (known && std::ranges::all_of(smaller, isOne)) {
        node.attributes = with("floor");
        return {};
    }
    if (known && std::ranges::all_of(larger, isOne)) {
        node.attributes = with("ceil");
        return {};
    }
    // Both at once, or unknown: enlarge first, then shrink.
    const float one = 1;
    const TensorId unit =
        upgrade.constant("one", TensorData::fromValues<float>(DataType::Float, {}, {&one, 1}));
    const TensorId up = known ? upgrade.constant("scales_up", floats(larger))
                              : upgrade.compute("Max", {scales, unit}, "scales_up");
    const TensorId down = known ? upgrade.constant("scales_down", floats(smaller))
                                : upgrade.compute("Min", {scales, unit}, "scales_down");
    const TensorId grown =
        upgrade.compute("Resize", {node.inputs[0], TensorId(), up}, "grown", with("floor"));
    node.inputs = {grown, TensorId(), down};
    node.attributes = with("ceil");
    return {};
}

// Since version 13 irrelevant inputs are omitted; before, they were empty tensors.
Result<void> omitEmptyInputs(Upgrade &upgrade)
{
    for (TensorId &input : upgrade.node.inputs)
        if (input.valid() && upgrade.tensor(input).constant &&
            upgrade.tensor(input).constant->elements() == 0)
            input = {};
    return {};
}

constexpr std::array resizeList{
    UpgradeStep{"Resize", 11, nameCoordinates},    UpgradeStep{"Resize", 13, omitEmptyInputs},
    UpgradeStep{"Upsample", 7, joinScales},        UpgradeStep{"Upsample", 9, scalesToInput},
    UpgradeStep{"Upsample", 10, upsampleToResize},
};

} // namespace

std::span<const UpgradeStep> resizeSteps()
{
    return resizeList;
}

} // namespace graphloom

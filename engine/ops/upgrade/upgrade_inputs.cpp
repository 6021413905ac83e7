// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade_steps.h"

#include <array>

namespace graphloom {

namespace {

// Squeeze, Unsqueeze, ReduceSum: version 13 takes the axes as an input; the other reductions
// follow in 18.
Result<void> axesToInput(Upgrade &upgrade)
{
    upgrade.attributeToInput("axes", 1);
    return {};
}

Result<void> splitToInput(Upgrade &upgrade)
{
    upgrade.attributeToInput("split", 1);
    return {};
}

// Since version 18, a Split without sizes states its number of parts.
Result<void> countSplits(Upgrade &upgrade)
{
    if (!upgrade.hasInput(1))
        upgrade.node.attributes =
            upgrade.node.attributes.with("num_outputs", std::int64_t(upgrade.node.outputs.size()));
    return {};
}

Result<void> sliceToInputs(Upgrade &upgrade)
{
    upgrade.attributeToInput("starts", 1);
    upgrade.attributeToInput("ends", 2);
    upgrade.attributeToInput("axes", 3);
    return {};
}

Result<void> topCountToInput(Upgrade &upgrade)
{
    const auto k = upgrade.node.attributes.integer("k", 0);
    upgrade.setInput(1, upgrade.constant("k", TensorData::fromInt64s({k})));
    upgrade.node.attributes = upgrade.node.attributes.without("k");
    return {};
}

Result<void> clipToInputs(Upgrade &upgrade)
{
    return realAttributesToInputs(upgrade, false);
}

Result<void> padToInputs(Upgrade &upgrade)
{
    upgrade.attributeToInput("pads", 1);
    if (upgrade.node.attributes.real("value", 0) == 0) // zero is the default of the input too
        upgrade.node.attributes = upgrade.node.attributes.without("value");
    return realAttributesToInputs(upgrade, false);
}

// Renamed in version 11; GatherElements is its counterpart.
Result<void> renameScatter(Upgrade &upgrade)
{
    upgrade.node.op = "ScatterElements";
    return {};
}

// Version 16 changed the default to "half_pixel"; before, there was no half-pixel shift.
Result<void> keepRoiCoordinates(Upgrade &upgrade)
{
    constexpr std::string_view mode = "coordinate_transformation_mode";
    if (!upgrade.node.attributes.contains(mode))
        upgrade.node.attributes =
            upgrade.node.attributes.with(std::string(mode), std::string("output_half_pixel"));
    return {};
}

// Until version 6 an attribute of recurrent operators stated whether they have the first output.
Result<void> dropOutputSequence(Upgrade &upgrade)
{
    upgrade.node.attributes = upgrade.node.attributes.without("output_sequence");
    return {};
}

// Version 20 takes the axis as an input, and its default changed from 1 to -2.
Result<void> dftAxisToInput(Upgrade &upgrade)
{
    const auto axis = upgrade.node.attributes.integer("axis", 1);
    upgrade.setInput(2, upgrade.constant("axis", TensorData::scalar(axis)));
    upgrade.node.attributes = upgrade.node.attributes.without("axis");
    return {};
}

// Version 20 renamed the modes to cover any number of dimensions.
Result<void> renameGridModes(Upgrade &upgrade)
{
    const std::string mode = upgrade.node.attributes.text("mode", "");
    if (mode == "bilinear" || mode == "bicubic")
        upgrade.node.attributes =
            upgrade.node.attributes.with("mode", mode.substr(std::string_view("bi").size()));
    return {};
}

// Version 21 has scale and bias by channel, not by group.
Result<void> refuseGroupScale(Upgrade &upgrade)
{
    return upgrade.refuse(
        "GroupNormalization of version 18 to 20 cannot be combined with operators "
        "of a newer operator set");
}

constexpr std::array inputsList{
    UpgradeStep{"Clip", 11, clipToInputs},
    UpgradeStep{"DFT", 20, dftAxisToInput},
    UpgradeStep{"GRU", 7, dropOutputSequence},
    UpgradeStep{"GridSample", 20, renameGridModes},
    UpgradeStep{"GroupNormalization", 21, refuseGroupScale},
    UpgradeStep{"LSTM", 7, dropOutputSequence},
    UpgradeStep{"Pad", 11, padToInputs},
    UpgradeStep{"RNN", 7, dropOutputSequence},
    UpgradeStep{"ReduceL1", 18, axesToInput},
    UpgradeStep{"ReduceL2", 18, axesToInput},
    UpgradeStep{"ReduceLogSum", 18, axesToInput},
    UpgradeStep{"ReduceLogSumExp", 18, axesToInput},
    UpgradeStep{"ReduceMax", 18, axesToInput},
    UpgradeStep{"ReduceMean", 18, axesToInput},
    UpgradeStep{"ReduceMin", 18, axesToInput},
    UpgradeStep{"ReduceProd", 18, axesToInput},
    UpgradeStep{"ReduceSum", 13, axesToInput},
    UpgradeStep{"ReduceSumSquare", 18, axesToInput},
    UpgradeStep{"RoiAlign", 16, keepRoiCoordinates},
    UpgradeStep{"Scatter", 11, renameScatter},
    UpgradeStep{"Slice", 10, sliceToInputs},
    UpgradeStep{"Split", 13, splitToInput},
    UpgradeStep{"Split", 18, countSplits},
    UpgradeStep{"Squeeze", 13, axesToInput},
    UpgradeStep{"TopK", 10, topCountToInput},
    UpgradeStep{"Unsqueeze", 13, axesToInput},
};

} // namespace

std::span<const UpgradeStep> inputSteps()
{
    return inputsList;
}

Result<void> realAttributesToInputs(Upgrade &upgrade, bool force)
{
    Node &node = upgrade.node;
    const bool clip = node.op == "Clip", pad = node.op == "Pad";
    if ((!clip && !pad) || !upgrade.hasInput(0))
        return {};
    const TensorId data = node.inputs[0];
    const DataType type = upgrade.tensor(data).type;
    if (!force && type == DataType::Undefined)
        return {};
    if (type != DataType::Undefined && !isFloatingPoint(type))
        return upgrade.refuse("has floating-point attributes, but its input is " +
                              std::string(nameOf(type)));
    const auto move = [&](std::string_view name, std::size_t input) {
        if (!node.attributes.contains(name))
            return;
        upgrade.setInput(input, upgrade.realLike(name, node.attributes.real(name, 0), data));
        node.attributes = node.attributes.without(name);
    };
    if (clip) {
        move("min", 1);
        move("max", 2);
    } else {
        move("value", 2);
    }
    return {};
}

} // namespace graphloom

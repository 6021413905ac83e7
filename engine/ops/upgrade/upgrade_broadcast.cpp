// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade_steps.h"

#include <array>

namespace graphloom {

namespace {

/// Appends dimensions of extent 1 to the second input, so that its dimensions line up with those of
/// the first input from `axis` on. Unknown ranks are computed.
void alignAt(Upgrade &upgrade, std::int64_t axis)
{
    const TensorId data = upgrade.node.inputs[0], other = upgrade.node.inputs[1];
    const Tensor first = upgrade.tensor(data), second = upgrade.tensor(other);
    if (first.shape && second.shape) {
        const auto missing =
            std::int64_t(first.shape->size()) - axis - std::int64_t(second.shape->size());
        if (missing <= 0)
            return;
        if (second.constant && !second.constant->isSplat()) {
            auto extents = second.constant->extents();
            extents.resize(extents.size() + std::size_t(missing), 1);
            upgrade.node.inputs[1] =
                upgrade.constant("aligned", second.constant->reshaped(std::move(extents)));
            return;
        }
        std::vector<std::int64_t> axes;
        for (std::int64_t i = 0; i < missing; ++i)
            axes.push_back(std::int64_t(second.shape->size()) + i);
        const TensorId where = upgrade.constant("axes", TensorData::fromInt64s(axes));
        upgrade.node.inputs[1] = upgrade.compute("Unsqueeze", {other, where}, "aligned");
        return;
    }
    const TensorId shape = upgrade.compute("Shape", {data}, "shape");
    const TensorId rank = upgrade.compute("Shape", {shape}, "rank");
    const TensorId otherShape = upgrade.compute("Shape", {other}, "other_shape");
    const TensorId otherRank = upgrade.compute("Shape", {otherShape}, "other_rank");
    const TensorId skipped = upgrade.constant("axis", TensorData::fromInt64s({axis}));
    const TensorId behind = upgrade.compute("Sub", {rank, skipped}, "behind");
    const TensorId missing = upgrade.compute("Sub", {behind, otherRank}, "missing");
    const TensorId ones = upgrade.compute("ConstantOfShape", {missing}, "ones",
                                          Attributes({{"value", TensorData::fromInt64s({1})}}));
    const TensorId aligned = upgrade.compute("Concat", {otherShape, ones}, "aligned_shape",
                                             Attributes({{"axis", std::int64_t{0}}}));
    upgrade.node.inputs[1] = upgrade.compute("Reshape", {other, aligned}, "aligned");
}

// Until version 6 the second operand was broadcast only on request, along the dimensions from
// `axis` on; without an axis along the last ones, as in newer versions.
Result<void> broadcastAlongAxis(Upgrade &upgrade)
{
    const Attributes before = upgrade.node.attributes;
    upgrade.node.attributes = before.without("broadcast").without("axis");
    const std::int64_t axis = before.integer("axis", -1);
    if (before.integer("broadcast", 0) != 0 && axis >= 0 && upgrade.hasInput(0) &&
        upgrade.hasInput(1))
        alignAt(upgrade, axis);
    return {};
}

// Until version 6 there was one slope for each channel; since then slopes broadcast as usual.
Result<void> alignSlopes(Upgrade &upgrade)
{
    if (upgrade.hasInput(0) && upgrade.hasInput(1))
        alignAt(upgrade, 1);
    return {};
}

// Since version 7 the addend of Gemm always broadcasts.
Result<void> dropBroadcast(Upgrade &upgrade)
{
    upgrade.node.attributes = upgrade.node.attributes.without("broadcast");
    return {};
}

constexpr std::array broadcastList{
    UpgradeStep{"Add", 7, broadcastAlongAxis},  UpgradeStep{"And", 7, broadcastAlongAxis},
    UpgradeStep{"Div", 7, broadcastAlongAxis},  UpgradeStep{"Equal", 7, broadcastAlongAxis},
    UpgradeStep{"Gemm", 7, dropBroadcast},      UpgradeStep{"Greater", 7, broadcastAlongAxis},
    UpgradeStep{"Less", 7, broadcastAlongAxis}, UpgradeStep{"Mul", 7, broadcastAlongAxis},
    UpgradeStep{"Or", 7, broadcastAlongAxis},   UpgradeStep{"PRelu", 7, alignSlopes},
    UpgradeStep{"Pow", 7, broadcastAlongAxis},  UpgradeStep{"Sub", 7, broadcastAlongAxis},
    UpgradeStep{"Xor", 7, broadcastAlongAxis},
};

} // namespace

std::span<const UpgradeStep> broadcastSteps()
{
    return broadcastList;
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade_steps.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace graphloom {

namespace {

// Until version 5 the element type had a name: "FLOAT".
Result<void> numberType(Upgrade &upgrade)
{
    std::string wanted = upgrade.node.attributes.text("to", "");
    std::ranges::transform(wanted, wanted.begin(),
                           [](unsigned char c) { return char(std::tolower(c)); });
    for (int number = int(DataType::Float); const auto type = dataTypeFromOnnx(number); ++number)
        if (nameOf(*type) == wanted) {
            upgrade.node.attributes = upgrade.node.attributes.with("to", std::int64_t(number));
            return {};
        }
    return upgrade.refuse("casts to \"" + wanted + "\", which is not an element type");
}

// The axis has no default since version 4.
Result<void> stateAxis(Upgrade &upgrade)
{
    if (!upgrade.node.attributes.contains("axis"))
        upgrade.node.attributes = upgrade.node.attributes.with("axis", std::int64_t{1});
    return {};
}

// Version 2 requires integral exponents.
Result<void> roundExponent(Upgrade &upgrade)
{
    const float p = upgrade.node.attributes.real("p", 2);
    if (!(p == std::round(p)) || p < 1 || p > 1e6f)
        return upgrade.refuse("has the exponent " + std::to_string(p) +
                              ", which newer versions do not support");
    upgrade.node.attributes = upgrade.node.attributes.with("p", std::int64_t(p));
    return {};
}

Result<void> renamePads(Upgrade &upgrade)
{
    const auto pads = upgrade.node.attributes.integers("paddings");
    upgrade.node.attributes = upgrade.node.attributes.without("paddings").with("pads", pads);
    return {};
}

Result<void> shapeToInput(Upgrade &upgrade)
{
    upgrade.attributeToInput("shape", 1);
    return {};
}

// Version 6 changed the defaults slightly.
Result<void> stateSelu(Upgrade &upgrade)
{
    Attributes &attributes = upgrade.node.attributes;
    attributes = attributes.with("alpha", attributes.real("alpha", 1.6732f));
    attributes = attributes.with("gamma", attributes.real("gamma", 1.0507f));
    return {};
}

/// Returns the integers in a constant input.
Result<std::vector<std::int64_t>> constantInput(const Upgrade &upgrade, std::size_t input)
{
    const auto data =
        upgrade.hasInput(input) ? upgrade.tensor(upgrade.node.inputs[input]).constant : nullptr;
    if (!data || data->type() == DataType::String)
        return upgrade.refuse("computes its input " + std::to_string(input) +
                              ", which newer versions do not support; it must be a constant");
    return data->integers();
}

// Version 2 made the parts an attribute; version 13 makes them an input again.
Result<void> splitToAttribute(Upgrade &upgrade)
{
    if (!upgrade.hasInput(1))
        return {};
    GL_TRY_CONST(parts, constantInput(upgrade, 1));
    upgrade.node.attributes = upgrade.node.attributes.with("split", *parts);
    upgrade.node.inputs.resize(1);
    return {};
}

// Until version 5 only one dimension was repeated.
Result<void> listRepeats(Upgrade &upgrade)
{
    const auto tiles = constantInput(upgrade, 1), axis = constantInput(upgrade, 2);
    if (!tiles || !axis)
        return tl::unexpected((tiles ? axis : tiles).error());
    const auto &shape = upgrade.tensor(upgrade.node.inputs[0]).shape;
    if (!shape || tiles->size() != 1 || axis->size() != 1 || axis->front() < 0 ||
        axis->front() >= std::int64_t(shape->size()))
        return upgrade.refuse("repeats a dimension that its input may lack");
    std::vector<std::int64_t> repeats(shape->size(), 1);
    repeats[std::size_t(axis->front())] = tiles->front();
    upgrade.node.inputs.resize(1);
    upgrade.setInput(1, upgrade.constant("repeats", TensorData::fromInt64s(repeats)));
    return {};
}

constexpr std::array firstList{
    UpgradeStep{"Cast", 6, numberType},
    UpgradeStep{"Concat", 4, stateAxis},
    UpgradeStep{"GlobalLpPool", 2, roundExponent},
    UpgradeStep{"LpPool", 2, roundExponent},
    UpgradeStep{"Pad", 2, renamePads},
    UpgradeStep{"Reshape", 5, shapeToInput},
    UpgradeStep{"Selu", 6, stateSelu},
    UpgradeStep{"Split", 2, splitToAttribute},
    UpgradeStep{"Tile", 6, listRepeats},
};

} // namespace

std::span<const UpgradeStep> firstSteps()
{
    return firstList;
}

} // namespace graphloom

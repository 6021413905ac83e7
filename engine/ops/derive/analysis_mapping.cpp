// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

/// Mapping types and operator classes.
namespace graphloom {

namespace {

/// Does the map have the form floor(linear / stride) mod extent in every dimension, over one
/// row-major position, like a Reshape without common factors?
bool decodesRowMajorPosition(const IndexMap &map)
{
    const Index *first = nullptr;
    bool innermost = false; // the dimension that steps with the position
    for (const Index &index : map) {
        if (index.table || index.lookup >= 0)
            return false;
        innermost = innermost || index.divide == Dim(1);
        if (index.terms.empty())
            continue; // a dimension of extent one
        if (!first)
            first = &index;
        if (index.terms.size() != first->terms.size() || !(index.offset == first->offset))
            return false;
        for (std::size_t i = 0; i < index.terms.size(); ++i)
            if (index.terms[i].axis != first->terms[i].axis ||
                !(index.terms[i].coefficient == first->terms[i].coefficient))
                return false;
    }
    return first != nullptr && innermost;
}

MappingType mappingOf(const Stage &stage, const Read &read)
{
    const auto used = axesOf(stage, read.map);
    for (const int axis : used)
        if (isReduction(stage.axes[std::size_t(axis)]))
            return MappingType::ManyToMany;
    // A write at data-dependent positions may reach any element, like a data-dependent read;
    // accumulation gathers several points into one element.
    if (scatters(stage))
        return accumulationOf(stage) ? MappingType::ManyToMany : MappingType::OneToMany;
    const bool affine =
        std::ranges::all_of(read.map, [](const Index &index) { return index.isAffine(); });
    if (!affine && !decodesRowMajorPosition(read.map))
        return MappingType::OneToMany;
    for (int axis = 0; axis < int(stage.axes.size()); ++axis)
        if (stage.axes[std::size_t(axis)].kind == Axis::Kind::Space &&
            !runsOnce(stage.axes[std::size_t(axis)]) && !used.contains(axis))
            return MappingType::OneToMany;
    if (!affine)
        return MappingType::Reorganize;
    if (read.outside == Read::Outside::Clamp || read.outside == Read::Outside::Reflect ||
        read.outside == Read::Outside::Wrap ||
        std::ranges::any_of(read.map, [&](const Index &i) { return overlaps(i, stage.axes); }))
        return MappingType::OneToMany;

    std::vector<int> readOrder, writeOrder;
    bool sameDimensions = read.map.size() == stage.write.size();
    for (std::size_t d = 0; d < std::max(read.map.size(), stage.write.size()); ++d) {
        const auto from =
            d < read.map.size() ? factorsOf(read.map[d], stage.axes) : std::vector<int>{};
        const auto to =
            d < stage.write.size() ? factorsOf(stage.write[d], stage.axes) : std::vector<int>{};
        readOrder.insert(readOrder.end(), from.begin(), from.end());
        writeOrder.insert(writeOrder.end(), to.begin(), to.end());
        sameDimensions = sameDimensions && from == to;
    }
    if (readOrder != writeOrder)
        return MappingType::Shuffle;
    return sameDimensions ? MappingType::OneToOne : MappingType::Reorganize;
}

} // namespace

std::string_view nameOf(MappingType type)
{
    constexpr std::string_view names[] = {"One-to-One",  "Reorganize",   "Shuffle",
                                          "One-to-Many", "Many-to-Many", "Opaque"};
    return names[std::size_t(type)];
}

std::string_view nameOf(OperatorClass operatorClass)
{
    constexpr std::string_view names[] = {"contraction", "window or reduction", "elementwise",
                                          "broadcast",   "data movement",       "opaque"};
    return names[std::size_t(operatorClass)];
}

std::optional<MappingType> mappingType(const Description &description, int input, int output)
{
    if (description.isOpaque())
        return MappingType::Opaque;
    std::vector<std::optional<MappingType>> ofValue(description.values.size());
    for (const Stage &stage : description.stages) {
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            std::optional<MappingType> before = MappingType::OneToOne;
            if (read.operand.kind == Operand::Kind::Value)
                before = ofValue[std::size_t(read.operand.index)];
            else if (read.operand.index != input)
                before = std::nullopt;
            if (!before)
                continue;
            auto &type = ofValue[std::size_t(stage.value)];
            const MappingType path = std::max(*before, mappingOf(stage, read));
            type = type ? std::max(*type, path) : path;
        }
    }
    return ofValue[std::size_t(output)];
}

MappingType mappingType(const Description &description, const std::vector<bool> &constantInputs)
{
    if (description.isOpaque())
        return MappingType::Opaque;
    const bool allConstant = std::ranges::all_of(constantInputs, std::identity{});
    MappingType type = MappingType::OneToOne;
    for (int input = 0; input < int(constantInputs.size()); ++input) {
        if (constantInputs[std::size_t(input)] && !allConstant)
            continue;
        for (int output = 0; output < description.outputs; ++output)
            if (const auto pair = mappingType(description, input, output))
                type = std::max(type, *pair);
    }
    return type;
}

OperatorClass classOf(const Description &description, const std::vector<bool> &constantInputs)
{
    if (std::ranges::any_of(description.stages, sumsProducts))
        return OperatorClass::Contraction;
    switch (mappingType(description, constantInputs)) {
    case MappingType::OneToOne:
        return OperatorClass::Elementwise;
    case MappingType::Reorganize:
    case MappingType::Shuffle:
        return OperatorClass::Movement;
    case MappingType::OneToMany: {
        // An elementwise call with a broadcast operand computes; Expand, Gather and Resize repeat.
        const bool computes = std::ranges::any_of(description.stages, [](const Stage &stage) {
            return stage.reads.size() > 1 && operationsOf(stage.body) > 0;
        });
        return computes ? OperatorClass::Elementwise : OperatorClass::Broadcast;
    }
    case MappingType::ManyToMany:
        return OperatorClass::Window;
    case MappingType::Opaque:
        break;
    }
    return OperatorClass::Opaque;
}

} // namespace graphloom

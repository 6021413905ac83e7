// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/winograd_convolution.h"

#include "engine/codegen/nests/contraction.h"

#include <algorithm>

namespace graphloom {

namespace {

bool looksUp(const Nest &nest)
{
    return std::ranges::any_of(nest.reads, [](const NestRead &read) {
        return std::ranges::any_of(read.map,
                                   [](const IndexForm &form) { return form.hasLookup(); });
    });
}

/// Tells whether what tiles have beyond the end of a position axis falls out of the tensors that
/// are written: the axis is a dimension of them, with the same end. In a tensor that was reshaped
/// or padded it would be written to another place.
bool endsWithTensors(const Nest &nest, const BlockTensors &tensors, AxisIndex axis)
{
    constexpr std::int64_t largestTile = 4; // the others divide it
    const std::int64_t extent = nest.axes[axis].extent;
    if (extent % largestTile == 0)
        return true;
    return std::ranges::all_of(nest.stores, [&](const NestStore &store) {
        for (std::size_t d = 0; d < store.map.size(); ++d)
            if (store.map[d].asVariable() == axis && tensors[store.tensor].extents[d] == extent)
                return true;
        return false;
    });
}

} // namespace

std::optional<WinogradConvolution> winogradConvolutionOf(const Nest &nest,
                                                         const BlockTensors &tensors)
{
    const auto contraction = contractionOf(nest);
    if (looksUp(nest) || !contraction || !contraction->both.empty() ||
        contraction->onlyB.size() > 1 + 4)
        return std::nullopt;
    WinogradConvolution parts;
    const auto isWeights = [&](ReadIndex read) {
        const BlockTensor &tensor = tensors[nest.reads[read].tensor];
        return tensor.role == BlockTensor::Role::Constant && tensor.type == DataType::Float;
    };
    parts.x = contraction->a;
    parts.w = contraction->b;
    if (!isWeights(parts.w))
        std::swap(parts.x, parts.w);
    if (!isWeights(parts.w) || isWeights(parts.x))
        return std::nullopt;
    const NestRead &x = nest.reads[parts.x], &w = nest.reads[parts.w];
    if (x.map.size() != 4 || w.map.size() != 4 || w.guarded || x.outsideValue != 0)
        return std::nullopt;
    std::size_t found = 0;
    for (const IndexForm &form : x.map) {
        if (!form.isAffine())
            return std::nullopt;
        AxisIndex space, window;
        for (const auto &[atom, coefficient] : form.terms()) {
            if (coefficient != 1)
                return std::nullopt;
            (nest.axes[atom->variable].reduces ? window : space) = atom->variable;
        }
        if (form.terms().size() == 2 && space.isValid() && window.isValid() && found < 2 &&
            nest.axes[window].extent == 3) {
            parts.position[found] = space;
            parts.window[found] = window;
            ++found;
        } else if (form.terms().size() == 1 && window.isValid() && form.offset() == 0) {
            parts.inputs = window;
        } else if (form.terms().size() > 1 || window.isValid()) {
            return std::nullopt;
        } else if (space.isValid()) {
            parts.batch.push_back(space);
        }
    }
    if (found != 2 || !parts.inputs.isValid() ||
        !endsWithTensors(nest, tensors, parts.position[0]) ||
        !endsWithTensors(nest, tensors, parts.position[1]))
        return std::nullopt;
    for (const IndexForm &form : w.map) {
        const auto axis = form.asVariable();
        if (!axis)
            return std::nullopt;
        if (*axis == parts.inputs || std::ranges::count(parts.window, *axis))
            continue;
        if (nest.axes[*axis].reduces)
            return std::nullopt;
        parts.outputs = *axis;
    }
    if (!parts.outputs.isValid())
        return std::nullopt;
    for (const AxisIndex axis : nest.axes.indices()) {
        const bool known = axis == parts.outputs || axis == parts.inputs ||
                           std::ranges::count(parts.position, axis) ||
                           std::ranges::count(parts.window, axis) ||
                           std::ranges::count(parts.batch, axis);
        if (!known && nest.axes[axis].extent != 1)
            return std::nullopt;
    }
    return parts;
}

} // namespace graphloom

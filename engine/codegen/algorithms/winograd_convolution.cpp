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

} // namespace

std::optional<WinogradConvolution> winogradConvolutionOf(const Nest &nest,
                                                         const std::vector<BlockTensor> &tensors)
{
    const auto contraction = contractionOf(nest);
    if (looksUp(nest) || !contraction || !contraction->both.empty() ||
        contraction->onlyB.size() > 1 + 4)
        return std::nullopt;
    WinogradConvolution parts;
    const auto isWeights = [&](int read) {
        const BlockTensor &tensor = tensors[std::size_t(nest.reads[std::size_t(read)].tensor)];
        return tensor.role == BlockTensor::Role::Constant && tensor.type == DataType::Float;
    };
    parts.x = contraction->a;
    parts.w = contraction->b;
    if (!isWeights(parts.w))
        std::swap(parts.x, parts.w);
    if (!isWeights(parts.w) || isWeights(parts.x))
        return std::nullopt;
    const NestRead &x = nest.reads[std::size_t(parts.x)], &w = nest.reads[std::size_t(parts.w)];
    if (x.map.size() != 4 || w.map.size() != 4 || w.guarded || x.outsideValue != 0)
        return std::nullopt;
    std::vector<bool> used(nest.axes.size(), false);
    int found = 0;
    int inputDimension = -1;
    for (int d = 0; d < 4; ++d) {
        const IndexForm &form = x.map[std::size_t(d)];
        if (!form.isAffine())
            return std::nullopt;
        int space = -1, window = -1;
        for (const auto &[atom, coefficient] : form.terms()) {
            if (coefficient != 1)
                return std::nullopt;
            (nest.axes[std::size_t(atom->number)].reduces ? window : space) = atom->number;
        }
        if (form.terms().size() == 2 && space >= 0 && window >= 0 && found < 2 &&
            nest.axes[std::size_t(window)].extent == 3) {
            parts.position[std::size_t(found)] = space;
            parts.window[std::size_t(found)] = window;
            parts.dimension[std::size_t(found)] = d;
            ++found;
        } else if (form.terms().size() == 1 && window >= 0 && form.offset() == 0) {
            parts.inputs = window;
            inputDimension = d;
        } else if (form.terms().size() > 1 || window >= 0) {
            return std::nullopt;
        } else if (space >= 0) {
            parts.batch.push_back(space);
        }
    }
    if (found != 2 || inputDimension < 0)
        return std::nullopt;
    parts.outputs = -1;
    for (int d = 0; d < 4; ++d) {
        const auto axis = w.map[std::size_t(d)].asVariable();
        if (!axis)
            return std::nullopt;
        if (*axis == parts.window[0])
            parts.weight[0] = d;
        else if (*axis == parts.window[1])
            parts.weight[1] = d;
        else if (*axis != parts.inputs && !nest.axes[std::size_t(*axis)].reduces)
            parts.outputs = *axis;
        else if (*axis != parts.inputs)
            return std::nullopt;
    }
    if (parts.outputs < 0)
        return std::nullopt;
    for (int axis = 0; axis < int(nest.axes.size()); ++axis) {
        const bool known = axis == parts.outputs || axis == parts.inputs ||
                           std::ranges::count(parts.position, axis) ||
                           std::ranges::count(parts.window, axis) ||
                           std::ranges::count(parts.batch, axis);
        if (!known && nest.axes[std::size_t(axis)].extent != 1)
            return std::nullopt;
    }
    return parts;
}

} // namespace graphloom

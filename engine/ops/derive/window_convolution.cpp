// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/window_convolution.h"

#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

bool hasUnitSteps(const IndexMap &map)
{
    return std::ranges::all_of(map, [](const Index &index) {
        return index.isAffine() && std::ranges::all_of(index.terms, [](const Index::Term &term) {
                   return term.coefficient == Dim(1);
               });
    });
}

/// Takes the axes of the feature map's index: two of them slide a window of three, one sums over
/// channels.
bool takeFeature(const Stage &stage, const IndexMap &map, WindowConvolution &parts)
{
    std::size_t windows = 0;
    for (const Index &index : map) {
        int space = -1, reduced = -1;
        for (const int axis : factorsOf(index, stage.axes))
            (stage.axes[std::size_t(axis)].kind == Axis::Kind::Reduce ? reduced : space) = axis;
        const std::size_t terms = factorsOf(index, stage.axes).size();
        if (terms == 2 && space >= 0 && reduced >= 0 && windows < 2 &&
            stage.axes[std::size_t(reduced)].extent == Dim(3))
            parts.position[windows++] = space;
        else if (terms == 1 && reduced >= 0 && parts.inputs < 0)
            parts.inputs = reduced;
        else if (terms == 1 && space >= 0)
            parts.batch.push_back(space);
        else if (terms > 0)
            return false;
    }
    return windows == 2 && parts.inputs >= 0;
}

} // namespace

std::optional<WindowConvolution> windowConvolutionOf(const Stage &stage)
{
    if (!sumsProducts(stage))
        return std::nullopt;
    std::set<int> loads;
    collectLoads(*stage.body, loads);
    if (loads.size() != 2)
        return std::nullopt;
    for (const int feature : loads) {
        WindowConvolution parts;
        parts.feature = feature;
        parts.weights = *std::ranges::find_if(loads, [&](int read) { return read != feature; });
        const Read &x = stage.reads[std::size_t(parts.feature)];
        const Read &w = stage.reads[std::size_t(parts.weights)];
        if (!hasUnitSteps(x.map) || !hasUnitSteps(w.map) || !takeFeature(stage, x.map, parts))
            continue;
        const std::set<int> ofFeature = axesOf(stage, x.map);
        for (const int axis : axesOf(stage, w.map)) {
            if (ofFeature.contains(axis) || runsOnce(stage.axes[std::size_t(axis)]))
                continue;
            if (parts.outputs >= 0)
                return std::nullopt;
            parts.outputs = axis;
        }
        if (parts.outputs >= 0)
            return parts;
    }
    return std::nullopt;
}

} // namespace graphloom

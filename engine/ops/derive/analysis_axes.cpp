// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

/// Relations between axes and the dimensions of tensors: D-Graph edges, reuse, roles in splitting.
namespace graphloom {

namespace {

/// A dimension of a tensor that follows an axis of a stage as its outermost factor, possibly
/// with a window of reduction axes around it.
struct Follows {
    int axis;
    Dim step, before = 0, after = 0;
};

std::optional<Follows> followedAxis(const Index &index, const Stage &stage)
{
    if (!index.isAffine())
        return std::nullopt;
    const auto factors = factorsOf(index, stage.axes);
    if (factors.empty())
        return std::nullopt;
    std::optional<Follows> found;
    Dim below = 0, above = 0; // extent of the window around the axis
    const bool anySpace = std::ranges::any_of(
        factors, [&](int axis) { return stage.axes[std::size_t(axis)].kind == Axis::Kind::Space; });
    for (const int axis : factors) {
        const auto term = std::ranges::find(index.terms, axis, &Index::Term::axis);
        const Axis &loop = stage.axes[std::size_t(axis)];
        if (!found && (loop.kind == Axis::Kind::Space || !anySpace)) {
            found = Follows{axis, term->coefficient, 0, 0};
        } else if (loop.kind == Axis::Kind::Reduce && anySpace) {
            const Dim span = term->coefficient * (loop.extent - Dim(1));
            (span.isConstant() && span.value() < 0 ? below : above) += span;
        }
    }
    if (found && anySpace && (!(below == Dim(0)) || !(above == Dim(0)))) {
        found->before = Dim(0) - index.offset - below;
        found->after = index.offset + above;
    }
    return found;
}

/// An edge into a value that may be an intermediate result.
struct ValueEdge {
    int input, inputDim, dim;
    Dim inputStep, step, stride, before, after;
};

} // namespace

int reductionAxes(const Description &description)
{
    int count = 0;
    for (const Stage &stage : description.stages)
        count += int(std::ranges::count_if(stage.axes, isReduction));
    return count;
}

std::vector<DimensionEdge> dimensionEdges(const Description &description)
{
    std::vector<DimensionEdge> edges;
    std::vector<std::vector<ValueEdge>> into(description.values.size());
    const auto add = [&](DimensionEdge edge) {
        const auto same = [&](const DimensionEdge &other) {
            return other.input == edge.input && other.inputDim == edge.inputDim &&
                   other.output == edge.output && other.outputDim == edge.outputDim;
        };
        if (std::ranges::none_of(edges, same))
            edges.push_back(std::move(edge));
    };
    int reductionsBefore = 0;
    for (const Stage &stage : description.stages) {
        std::vector<int> number(stage.axes.size(), 0); // -k of each reduction axis
        int k = reductionsBefore;
        const bool isSum = accumulationOf(stage).has_value();
        for (std::size_t a = 0; a < stage.axes.size(); ++a)
            if (isReduction(stage.axes[a]) || (isSum && sharesElements(stage, int(a))))
                number[a] = -++k;
        reductionsBefore = k;
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            for (int d = 0; d < int(read.map.size()); ++d) {
                const auto from = followedAxis(read.map[std::size_t(d)], stage);
                if (!from)
                    continue;
                // Sources of this dimension: that of an input, or those of an intermediate value.
                std::vector<ValueEdge> sources;
                if (read.operand.kind == Operand::Kind::Input)
                    sources.push_back({read.operand.index, d, d, from->step, 1, 1, 0, 0});
                else
                    for (ValueEdge edge : into[std::size_t(read.operand.index)])
                        if (edge.dim == d)
                            sources.push_back(edge);
                const bool window = !(from->before == Dim(0)) || !(from->after == Dim(0));
                for (const ValueEdge &source : sources) {
                    if (const int reduction = number[std::size_t(from->axis)]; reduction < 0) {
                        for (int output = 0; output < description.outputs; ++output)
                            add({source.input, source.inputDim, output, reduction, source.inputStep,
                                 1, 1, 0, 0});
                        continue;
                    }
                    for (int w = 0; w < int(stage.write.size()); ++w) {
                        const auto to = followedAxis(stage.write[std::size_t(w)], stage);
                        if (!to || to->axis != from->axis)
                            continue;
                        ValueEdge edge{source.input,
                                       source.inputDim,
                                       w,
                                       window ? Dim(1) : source.inputStep,
                                       to->step,
                                       window ? from->step : source.stride,
                                       from->before,
                                       from->after};
                        into[std::size_t(stage.value)].push_back(edge);
                        if (stage.value < description.outputs)
                            add({edge.input, edge.inputDim, stage.value, w, edge.inputStep,
                                 edge.step, edge.stride, edge.before, edge.after});
                    }
                }
            }
        }
    }
    return edges;
}

std::vector<ReuseAxis> reuseAxes(const Description &description, int input)
{
    std::vector<ReuseAxis> result;
    for (int s = 0; s < int(description.stages.size()); ++s) {
        const Stage &stage = description.stages[std::size_t(s)];
        std::set<int> reused;
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            if (read.operand != Operand{Operand::Kind::Input, input})
                continue;
            const auto used = axesOf(stage, read.map);
            for (int a = 0; a < int(stage.axes.size()); ++a)
                if (!used.contains(a) && stage.axes[std::size_t(a)].kind == Axis::Kind::Space &&
                    !runsOnce(stage.axes[std::size_t(a)]))
                    reused.insert(a);
            for (const Index &index : read.map) {
                const bool window = std::ranges::any_of(index.terms, [&](const auto &term) {
                    return isReduction(stage.axes[std::size_t(term.axis)]);
                });
                for (const auto &term : index.terms)
                    if (window && stage.axes[std::size_t(term.axis)].kind == Axis::Kind::Space &&
                        !runsOnce(stage.axes[std::size_t(term.axis)]) &&
                        overlaps(index, stage.axes))
                        reused.insert(term.axis);
            }
        }
        for (const int a : reused)
            result.push_back(
                {s, a, stage.axes[std::size_t(a)].name, stage.axes[std::size_t(a)].extent});
    }
    return result;
}

std::vector<AxisRole> axisRoles(const Description &description, int stageIndex, int feature,
                                int parameter)
{
    const Stage &stage = description.stages[std::size_t(stageIndex)];
    const auto axesOfInput = [&](int input) {
        std::set<int> axes;
        for (const int r : loadedReads(stage))
            if (stage.reads[std::size_t(r)].operand == Operand{Operand::Kind::Input, input})
                axes.merge(axesOf(stage, stage.reads[std::size_t(r)].map));
        return axes;
    };
    const auto inFeature = axesOfInput(feature), inParameter = axesOfInput(parameter);
    std::vector<AxisRole> roles;
    for (int a = 0; a < int(stage.axes.size()); ++a) {
        const bool reads = inFeature.contains(a), weighs = inParameter.contains(a);
        if (stage.axes[std::size_t(a)].kind == Axis::Kind::Reduce)
            roles.push_back(weighs ? AxisRole::ParameterReduction : AxisRole::Other);
        else if (weighs)
            roles.push_back(AxisRole::OutputChannel); // a group axis is read by both
        else if (reads)
            roles.push_back(a == 0 ? AxisRole::Batch : AxisRole::FeatureSpace);
        else
            roles.push_back(AxisRole::Other);
    }
    return roles;
}

std::optional<Channels> channelsOf(const Description &description,
                                   const std::vector<bool> &constantInputs)
{
    const auto isConstant = [&](int input) {
        return std::size_t(input) < constantInputs.size() && constantInputs[std::size_t(input)];
    };
    for (int s = 0; s < int(description.stages.size()); ++s) {
        const Stage &stage = description.stages[std::size_t(s)];
        if (stage.combine != Combine::Sum)
            continue;
        int feature = -1, parameter = -1;
        for (const int r : loadedReads(stage)) {
            const Operand &operand = stage.reads[std::size_t(r)].operand;
            if (operand.kind == Operand::Kind::Input)
                (isConstant(operand.index) ? parameter : feature) = operand.index;
        }
        if (feature < 0 || parameter < 0)
            continue;
        const auto roles = axisRoles(description, s, feature, parameter);
        // Axes of the feature map, and those among them that belong to a window.
        std::set<int> read, windows;
        for (const int r : loadedReads(stage)) {
            const Read &of = stage.reads[std::size_t(r)];
            if (of.operand != Operand{Operand::Kind::Input, feature})
                continue;
            for (const Index &index : of.map) {
                bool space = false;
                for (const Index::Term &term : index.terms) {
                    read.insert(term.axis);
                    const AxisRole role = roles[std::size_t(term.axis)];
                    space |= role == AxisRole::FeatureSpace || role == AxisRole::Batch;
                }
                for (const Index::Term &term : index.terms)
                    if (space)
                        windows.insert(term.axis);
            }
        }
        Channels channels{1, 1};
        bool summed = false;
        for (int a = 0; a < int(roles.size()); ++a) {
            const Dim &extent = stage.axes[std::size_t(a)].extent;
            if (roles[std::size_t(a)] == AxisRole::ParameterReduction && read.contains(a) &&
                !windows.contains(a)) {
                channels.in *= extent;
                summed = true;
            } else if (roles[std::size_t(a)] == AxisRole::OutputChannel) {
                channels.out *= extent;
                if (read.contains(a)) // groups
                    channels.in *= extent;
            }
        }
        if (summed || channels.out != Dim(1))
            return channels;
    }
    return std::nullopt;
}

} // namespace graphloom

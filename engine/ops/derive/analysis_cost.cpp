// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <cmath>

/// Shapes and costs: operations, bytes, iteration spaces, weights.
namespace graphloom {

namespace {

/// Returns the largest value of an affine index, plus one.
Dim extentReached(const Index &index, const std::vector<Axis> &axes)
{
    Dim reach = index.offset + Dim(1);
    for (const auto &term : index.terms)
        reach += term.coefficient * (axes[std::size_t(term.axis)].extent - Dim(1));
    return reach;
}

/// Returns the number of points of a stage, without repeating the `skipped` axes.
Dim pointsOf(const Stage &stage, const std::set<int> &skipped = {})
{
    Dim points = 1;
    for (int a = 0; a < int(stage.axes.size()); ++a)
        if (!skipped.contains(a))
            points *= stage.axes[std::size_t(a)].extent;
    return points;
}

/// Returns the number of points of the space axes.
Dim resultsOf(const Stage &stage)
{
    Dim results = 1;
    for (const Axis &axis : stage.axes)
        if (axis.kind == Axis::Kind::Space)
            results *= axis.extent;
    return results;
}

} // namespace

Shape shapeOf(const Description &description, int value)
{
    Shape shape;
    bool first = true;
    for (const Stage &stage : description.stages) {
        if (stage.value != value ||
            std::ranges::any_of(stage.write, [](const Index &index) { return !index.isAffine(); }))
            continue; // a scattered write stays within the result of an earlier stage
        for (std::size_t d = 0; d < stage.write.size(); ++d) {
            const Dim reach = extentReached(stage.write[d], stage.axes);
            if (first)
                shape.push_back(reach);
            else
                shape[d] = Dim::max(shape[d], reach);
        }
        first = false;
    }
    return shape;
}

Dim macsOf(const Description &description)
{
    Dim macs = description.opaqueMacs;
    for (const Stage &stage : description.stages)
        if (sumsProducts(stage))
            macs += pointsOf(stage, workOf(stage).skipped);
    return macs;
}

Dim flopsOf(const Description &description)
{
    Dim flops = description.opaqueMacs * Dim(2);
    for (const Stage &stage : description.stages) {
        const StageWork work = workOf(stage);
        flops += pointsOf(stage, work.skipped) *
                     Dim(operationsOf(work.body) + (stage.combine == Combine::None ? 0 : 1)) +
                 resultsOf(stage) * Dim(operationsOf(stage.finish));
    }
    return flops;
}

std::vector<Dim> elementsRead(const Description &description, const Call &call)
{
    std::vector<Dim> distinct(call.inputCount(), Dim(0));
    if (description.isOpaque()) {
        for (std::size_t i = 0; i < distinct.size(); ++i)
            if (call.has(i) && call.input(i).shape)
                distinct[i] = elementsOf(call.shape(i));
        return distinct;
    }
    for (const Stage &stage : description.stages) {
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            const auto input = std::size_t(read.operand.index);
            if (read.operand.kind != Operand::Kind::Input || !call.has(input) ||
                !call.input(input).shape)
                continue;
            Dim elements = 1;
            for (std::size_t d = 0; d < read.map.size(); ++d) {
                std::set<int> axes;
                collectAxes(stage, read.map[d], axes);
                Dim points = 1;
                for (const int axis : axes)
                    points *= stage.axes[std::size_t(axis)].extent;
                elements *= Dim::min(points, call.shape(input)[d]);
            }
            distinct[input] = Dim::max(distinct[input], elements);
        }
    }
    return distinct;
}

Traffic trafficOf(const Description &description, const Call &call)
{
    Traffic traffic{0, 0};
    const auto bytes = [](DataType type) { return Dim(std::max(1, bitsOf(type) / 8)); };
    const std::vector<Dim> read = elementsRead(description, call);
    for (std::size_t i = 0; i < read.size(); ++i)
        if (call.has(i))
            traffic.read += read[i] * bytes(call.type(i));
    for (int v = 0; v < description.outputs; ++v) {
        const Value &value = description.values[std::size_t(v)];
        if (value.shape)
            traffic.written += elementsOf(*value.shape) * bytes(value.type);
    }
    // A scatter writes elements again, and reads them before if it accumulates.
    for (const Stage &stage : description.stages)
        if (scatters(stage) && stage.value < description.outputs) {
            const Dim touched =
                pointsOf(stage) * bytes(description.values[std::size_t(stage.value)].type);
            traffic.written += touched;
            if (accumulationOf(stage))
                traffic.read += touched;
        }
    return traffic;
}

Dim iterationSpace(const Description &description)
{
    Dim points = 0;
    for (const Stage &stage : description.stages)
        points += pointsOf(stage);
    return points;
}

std::vector<std::vector<Dim>> loopExtents(const Description &description)
{
    std::vector<std::vector<Dim>> extents;
    for (const Stage &stage : description.stages) {
        auto &loops = extents.emplace_back();
        for (const Axis &axis : stage.axes)
            if (!runsOnce(axis))
                loops.push_back(axis.extent);
    }
    return extents;
}

} // namespace graphloom

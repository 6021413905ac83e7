// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/uniform.h"

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Smaller results are stored in full, as they take little memory, unless they are moved splats.
constexpr std::int64_t leastElements = 1024;

bool movesSplat(const Stage &stage, std::span<const TensorData *const> inputs)
{
    return stage.body->fn == Fn::Load && stage.finish.empty() && stage.combine == Combine::None &&
           inputs[std::size_t(stage.reads[std::size_t(stage.body->index)].operand.index)]
               ->isSplat();
}

/// Tells whether every point of the stage loads only elements of uniform inputs.
bool isUniform(const Stage &stage, std::span<const TensorData *const> inputs)
{
    if (dependsOnPosition(stage.body) || dependsOnPosition(stage.finish) ||
        stage.combine >= Combine::ArgMax)
        return false;
    return std::ranges::all_of(stage.reads, [&](const Read &read) {
        const auto input = std::size_t(read.operand.index);
        return read.operand.kind == Operand::Kind::Input && inputs[input] &&
               (inputs[input]->isSplat() || inputs[input]->elements() == 1) &&
               read.outside != Read::Outside::Value &&
               std::ranges::none_of(read.map, [](const Index &index) { return index.lookup >= 0; });
    });
}

} // namespace

std::optional<std::vector<TensorData>> uniformResults(const Description &description,
                                                      const Call &call,
                                                      std::span<const TensorData *const> inputs)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.values.size() != 1)
        return std::nullopt;
    const auto &shape = description.values[0].shape;
    const Stage &stage = description.stages[0];
    const bool writes =
        std::ranges::none_of(stage.write, [](const Index &index) { return index.lookup >= 0; });
    const std::int64_t elements = shape ? staticElements(*shape).value_or(0) : 0;
    if (elements == 0 || !writes || !isUniform(stage, inputs) ||
        (elements < leastElements && !movesSplat(stage, inputs)))
        return std::nullopt;
    // The first point represents all of them.
    Description once = description;
    for (Axis &axis : once.stages[0].axes)
        if (axis.kind == Axis::Kind::Space)
            axis.extent = 1;
    for (Index &index : once.stages[0].write)
        index = Index::constant(0);
    once.values[0].shape = Shape(shape->size(), 1);
    const auto results = runStages(once, call, inputs);
    if (!results)
        return std::nullopt;
    TensorData::Extents extents;
    for (const Dim &dim : *shape)
        extents.push_back(dim.value());
    const auto bytes = results->front().bytes();
    return std::vector{TensorData::splat(description.values[0].type, std::move(extents),
                                         {bytes.begin(), bytes.end()})};
}

} // namespace graphloom

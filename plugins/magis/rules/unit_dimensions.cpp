// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/unit_dimensions.h"

#include "engine/ops/algebra/stage_equality.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <vector>

namespace graphloom::magis {

namespace {

Shape withoutUnits(Shape shape)
{
    std::erase_if(shape, [](const Dim &extent) { return extent == Dim(1); });
    return shape;
}

/// Tells whether the index is always 0.
bool isZero(const Index &index, const std::vector<Axis> &axes)
{
    return index.isAffine() && index.offset == Dim(0) &&
           std::ranges::all_of(index.terms, [&](const Index::Term &term) {
               return runsOnce(axes[std::size_t(term.axis)]);
           });
}

/// Drops the indices of dimensions of extent 1; returns false if one of them can be other than 0,
/// that is, outside of the tensor.
bool dropUnits(IndexMap &map, const Shape &shape, const std::vector<Axis> &axes)
{
    IndexMap kept;
    for (std::size_t d = 0; d < map.size(); ++d) {
        if (!(shape[d] == Dim(1)))
            kept.push_back(map[d]);
        else if (!isZero(map[d], axes))
            return false;
    }
    map = std::move(kept);
    return true;
}

bool dropUnits(Description &description, std::span<const Shape> inputs)
{
    for (Stage &stage : description.stages) {
        const auto shapeOf = [&](const Operand &operand) -> const Shape * {
            const auto index = std::size_t(operand.index);
            if (operand.kind == Operand::Kind::Input)
                return index < inputs.size() ? &inputs[index] : nullptr;
            const auto &shape = description.values[index].shape;
            return shape ? &*shape : nullptr;
        };
        const Shape *written = shapeOf({Operand::Kind::Value, stage.value});
        if (!written || written->size() != stage.write.size() ||
            !dropUnits(stage.write, *written, stage.axes))
            return false;
        for (Read &read : stage.reads) {
            const Shape *shape = shapeOf(read.operand);
            if (!shape || shape->size() != read.map.size() ||
                !dropUnits(read.map, *shape, stage.axes))
                return false;
        }
    }
    for (Value &value : description.values)
        if (value.shape)
            value.shape = withoutUnits(*value.shape);
    return true;
}

} // namespace

bool sameWithoutUnits(const Description &a, std::span<const Shape> inputsOfA, const Description &b,
                      std::span<const Shape> inputsOfB)
{
    Description first = a, second = b;
    if (!dropUnits(first, inputsOfA) || !dropUnits(second, inputsOfB))
        return false;
    std::vector<Shape> p, q;
    for (const Shape &shape : inputsOfA)
        p.push_back(withoutUnits(shape));
    for (const Shape &shape : inputsOfB)
        q.push_back(withoutUnits(shape));
    return p == q && sameComputation(first, second, p);
}

} // namespace graphloom::magis

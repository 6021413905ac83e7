// SPDX-License-Identifier: Apache-2.0
// Properties of calls as a whole.
#include "engine/ops/algebra/algebra.h"
#include "engine/ops/algebra/expr_equality.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Does the value depend on its position in the result (Trilu)?
bool dependsOnPlace(const Expr::Node &node)
{
    if (node.fn == Fn::Axis || node.fn == Fn::Inside)
        return true;
    return std::ranges::any_of(
        node.arguments, [](const auto &argument) { return argument && dependsOnPlace(*argument); });
}

} // namespace

int Elementwise::readOf(int input) const
{
    const auto found = std::ranges::find(inputs, input);
    return found != inputs.end() ? int(found - inputs.begin()) : -1;
}

std::optional<Fn> Elementwise::function() const
{
    if (inputs.size() != 2 || arityOf(body->fn) != 2)
        return std::nullopt;
    for (const int i : {0, 1}) {
        const Expr argument = body.argument(i);
        if (argument->fn != Fn::Load || inputs[std::size_t(argument->index)] != i)
            return std::nullopt;
    }
    return body->fn;
}

std::optional<Elementwise> elementwiseOf(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.outputs != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.combine != Combine::None || !stage.finish.empty() || stage.reads.empty())
        return std::nullopt;
    Elementwise result{stage.body, {}, {}};
    for (const Read &read : stage.reads) {
        if (read.operand.kind != Operand::Kind::Input || read.outside != Read::Outside::Never ||
            result.readOf(read.operand.index) >= 0)
            return std::nullopt;
        const auto type = mappingType(description, read.operand.index, 0);
        if (!type || (*type != MappingType::OneToOne && *type != MappingType::OneToMany))
            return std::nullopt;
        // Each dimension is one axis of the result, or a single element.
        for (const Index &index : read.map)
            if (!index.isAffine() || index.terms.size() > 1)
                return std::nullopt;
        result.inputs.push_back(read.operand.index);
        result.broadcast.push_back(read.map.size() < stage.write.size() ||
                                   *type != MappingType::OneToOne);
    }
    if (result.body->fn == Fn::Load || dependsOnPlace(*result.body))
        return std::nullopt;
    return result;
}

std::optional<Fn> reductionOf(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.body->fn != Fn::Load || !stage.finish.empty() || stage.reads.size() != 1)
        return std::nullopt;
    // Every reduction axis runs over one whole dimension: no windows.
    for (const Index &index : stage.reads[0].map)
        if (!index.isAffine() || index.terms.size() != 1 || !(index.offset == Dim(0)))
            return std::nullopt;
    return functionOf(stage.combine);
}

bool isMean(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return false;
    Description sum = description;
    Stage &stage = sum.stages.front();
    const Expr finish = stage.finish;
    stage.finish = {};
    if (reductionOf(sum) != Fn::Add || finish.empty() || finish->fn != Fn::Div ||
        finish.argument(0)->fn != Fn::Accumulator)
        return false;
    Expr count = finish.argument(1);
    while (count->fn == Fn::Cast)
        count = count.argument(0);
    Dim points = 1;
    for (const Axis &axis : stage.axes)
        if (axis.kind == Axis::Kind::Reduce)
            points *= axis.extent;
    return count->fn == Fn::Table && count->table->size() == 1 && count->table->front() == points;
}

bool isMovement(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.outputs != 1)
        return false;
    const Stage &stage = description.stages.front();
    return stage.combine == Combine::None && stage.finish.empty() && stage.body->fn == Fn::Load &&
           stage.reads[std::size_t(stage.body->index)].operand ==
               Operand{Operand::Kind::Input, 0} &&
           stage.reads[std::size_t(stage.body->index)].outside != Read::Outside::Value;
}

bool isCommutative(const Description &description, int first, int second)
{
    // Further inputs are parameters, such as Clip's bounds, which have another shape.
    const auto call = elementwiseOf(description);
    if (!call || call->inputs.size() != 2)
        return false;
    const int p = call->readOf(first), q = call->readOf(second);
    return p >= 0 && q >= 0 && sameWithReadsExchanged(call->body, call->body, p, q);
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/dependence.h"

#include "engine/base/steps.h"
#include "engine/ir/opsets.h"
#include "engine/ops/gradient/derivative.h"

#include <algorithm>

namespace graphloom {

namespace {

bool isZero(const Expr &value)
{
    return (value->fn == Fn::Real && value->real == 0) ||
           (value->fn == Fn::Integer && value->integer == 0);
}

/// A missing derivative counts as a dependence; later code reports that there is no formula.
bool mayDepend(const Expr &value, const Variable &variable)
{
    const auto derived = derivative(value, variable);
    return !derived || !isZero(*derived);
}

bool gathersPositions(const Stage &stage)
{
    return stage.combine == Combine::ArgMax || stage.combine == Combine::ArgMin ||
           stage.combine == Combine::ArgMaxLast || stage.combine == Combine::ArgMinLast;
}

bool dependsOn(const Stage &stage, int read)
{
    const Variable load = Variable::load(read);
    if (!stage.body.empty() && mayDepend(stage.body, load) &&
        (stage.finish.empty() || mayDepend(stage.finish, Variable::accumulator())))
        return true;
    return !stage.finish.empty() && mayDepend(stage.finish, load);
}

/// Marks the operands that a value depends on; stages are in the order in which they run.
std::vector<bool> inputsOf(const Description &description, const Call &call, std::size_t output)
{
    std::vector<bool> inputs(call.inputCount(), false);
    std::vector<bool> values(description.values.size(), false);
    values[output] = isFloatingPoint(description.values[output].type);
    for (auto stage = description.stages.rbegin(); stage != description.stages.rend(); ++stage) {
        if (!values[std::size_t(stage->value)] || gathersPositions(*stage))
            continue;
        for (int r = 0; r < int(stage->reads.size()); ++r) {
            const Operand operand = stage->reads[std::size_t(r)].operand;
            const auto index = std::size_t(operand.index);
            const bool ofInput = operand.kind == Operand::Kind::Input;
            const DataType type = ofInput ? call.type(index) : description.values[index].type;
            if (isFloatingPoint(type) && dependsOn(*stage, r))
                (ofInput ? inputs : values)[index] = true;
        }
    }
    return inputs;
}

bool loads(const Expr &value, const Stage &stage, const Operand &operand)
{
    if (value->fn == Fn::Load)
        return stage.reads[std::size_t(value->index)].operand == operand;
    for (int i = 0; i < arityOf(value->fn); ++i)
        if (loads(value.argument(i), stage, operand))
            return true;
    return false;
}

template <class Test> bool anyRead(const Description &description, int input, Test test)
{
    return std::ranges::any_of(description.stages, [&](const Stage &stage) {
        return std::ranges::any_of(stage.reads, [&](const Read &read) {
            return read.operand == Operand{Operand::Kind::Input, input} && test(stage, read);
        });
    });
}

} // namespace

Derivatives::Derivatives(const Description &description, const Call &call)
{
    for (std::size_t output = 0; output < call.outputCount(); ++output) {
        if (!description.isOpaque()) {
            m_byOutput.push_back(inputsOf(description, call, output));
            continue;
        }
        std::vector<bool> inputs(call.inputCount(), false);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            inputs[k] = call.has(k) && isFloatingPoint(call.type(k)) &&
                        isFloatingPoint(description.values[output].type);
        m_byOutput.push_back(std::move(inputs));
    }
}

bool Derivatives::hasAny(std::size_t input) const
{
    return std::ranges::any_of(m_byOutput, [&](const auto &inputs) { return inputs[input]; });
}

Result<Derivatives> derivativesOf(const Graph &graph, NodeId id, const Opsets &opsets)
{
    const Node &node = graph.node(id);
    const Call call(node, operandsOf(graph, node), opsets(node.domain));
    GL_TRY_CONST(description, describe(call));
    return Derivatives(*description, call);
}

Result<std::vector<bool>> dataOf(const Graph &graph, const Opsets &opsets,
                                 const std::stop_token &stop)
{
    std::vector<bool> data(graph.tensorBound(), false);
    for (const auto list : {graph.inputs(), graph.captured()})
        for (const TensorId id : list)
            data[id.index] = true;
    const auto isData = [&](TensorId read) { return read.valid() && data[read.index]; };
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return stoppedError();
        GL_TRY_CONST(description, describe(graph, id, opsets));
        const Node &node = graph.node(id);
        bool any = std::ranges::any_of(node.captures, isData);
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            any = any || (isData(node.inputs[k]) && isRead(*description, int(k)));
        for (const TensorId output : node.outputs)
            if (output.valid())
                data[output.index] = any;
    }
    return data;
}

bool isCopied(const Description &description, int input)
{
    return anyRead(description, input, [](const Stage &stage, const Read &read) {
        if (stage.combine != Combine::None || !stage.finish.empty() || stage.body.empty())
            return false;
        const Expr value = stage.body->fn == Fn::Cast ? stage.body.argument(0) : stage.body;
        return value->fn == Fn::Load && &stage.reads[std::size_t(value->index)] == &read;
    });
}

bool isAffine(const Description &description, int input)
{
    const Operand operand{Operand::Kind::Input, input};
    bool any = false;
    for (const Stage &stage : description.stages)
        for (int r = 0; r < int(stage.reads.size()); ++r) {
            if (stage.reads[std::size_t(r)].operand != operand)
                continue;
            any = true;
            if (stage.combine != Combine::None || !stage.finish.empty() || stage.body.empty())
                return false;
            const auto slope = derivative(stage.body, Variable::load(r));
            if (!slope || loads(*slope, stage, operand))
                return false;
        }
    return any;
}

bool isRead(const Description &description, int input)
{
    return description.isOpaque() ||
           anyRead(description, input, [](const Stage &, const Read &) { return true; });
}

bool isLookedUpByAxis(const Description &description, int input)
{
    return anyRead(description, input, [](const Stage &, const Read &read) {
        return std::ranges::any_of(read.map,
                                   [](const Index &index) { return !index.terms.empty(); });
    });
}

} // namespace graphloom

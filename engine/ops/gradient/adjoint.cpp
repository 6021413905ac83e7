// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/adjoint.h"

#include "engine/ops/gradient/adjoint_builder.h"
#include "engine/ops/gradient/stage_adjoint.h"

namespace graphloom {

namespace {

/// Runs backwards through the stages and gathers the gradient of each value.
class Backwards {
public:
    Backwards(AdjointBuilder &builder, const Operator *entry)
        : m_builder(builder), m_description(builder.description()), m_entry(entry),
          m_active(m_description.values.size(), false), m_flows(m_description.values.size()),
          m_gradients(m_description.values.size())
    {
    }

    Result<void> run()
    {
        findActive();
        for (auto s = int(m_description.stages.size()); s-- > 0;)
            GL_TRY(visit(s));
        if (!m_result.empty())
            m_builder.gather(m_result, 0);
        return {};
    }

private:
    const Stage &stageAt(int number) const { return m_description.stages[std::size_t(number)]; }

    bool isActive(const Operand &operand) const
    {
        return operand.kind == Operand::Kind::Input ? operand.index == m_builder.input()
                                                    : m_active[std::size_t(operand.index)];
    }

    /// Finds the values that depend on the input through floating-point values only.
    void findActive()
    {
        for (const Stage &stage : m_description.stages) {
            const auto value = std::size_t(stage.value);
            if (!isFloatingPoint(m_description.values[value].type) || stage.cancels)
                continue;
            for (const Read &read : stage.reads)
                m_active[value] = m_active[value] || isActive(read.operand);
        }
    }

    /// Returns the gradient of a value after all its readers have been visited.
    std::optional<Operand> gradientOf(int number)
    {
        const auto value = std::size_t(number);
        if (m_gradients[value])
            return m_gradients[value];
        const bool given = number < m_description.outputs && m_builder.isGiven(number);
        auto &flows = m_flows[value];
        if (!given && flows.empty())
            return std::nullopt;
        if (given && flows.empty())
            return m_gradients[value] = m_builder.gradientOf(number);
        const Value &facts = m_description.values[value];
        if (given)
            flows.push_back(copyOf(m_builder.gradientOf(number), *facts.shape, facts.type));
        const int sum = m_builder.addValue(facts.type, *facts.shape);
        m_builder.gather(flows, sum);
        return m_gradients[value] = Operand{Operand::Kind::Value, sum};
    }

    Result<void> visit(int number)
    {
        const Stage &stage = stageAt(number);
        if (!m_active[std::size_t(stage.value)] || stage.cancels)
            return {};
        const auto gradient = gradientOf(stage.value);
        if (!gradient)
            return {};
        StageAdjoint flow(m_builder, number, *gradient, lastSlope(number));
        for (int read = 0; read < int(stage.reads.size()); ++read) {
            const Operand &operand = stage.reads[std::size_t(read)].operand;
            if (operand == Operand{Operand::Kind::Value, stage.value} || !isActive(operand))
                continue;
            GL_TRY_RESULT(flows, flow.into(read));
            auto &to = operand.kind == Operand::Kind::Input ? m_result
                                                            : m_flows[std::size_t(operand.index)];
            to.insert(to.end(), flows->begin(), flows->end());
        }
        if (!overwrites(stage))
            return {};
        GL_TRY_CONST(before, flow.beforeOverwriting());
        m_gradients[std::size_t(stage.value)] = *before;
        return {};
    }

    static bool overwrites(const Stage &stage)
    {
        for (const Index &index : stage.write)
            if (index.lookup >= 0)
                return true;
        return false;
    }

    /// Returns the slope in the operator table, which applies to the result of the last stage.
    std::optional<Expr> lastSlope(int number)
    {
        if (!m_entry || !m_entry->slope || number + 1 != int(m_description.stages.size()))
            return std::nullopt;
        const Expr slope = m_entry->slope(StageAdjoint::result(m_description, number),
                                          m_builder.call().attributes());
        return slope.empty() ? std::nullopt : std::optional(slope);
    }

    AdjointBuilder &m_builder;
    const Description &m_description;
    const Operator *m_entry;
    std::vector<bool> m_active;
    std::vector<std::vector<Scatter>> m_flows;
    std::vector<std::optional<Operand>> m_gradients;
    std::vector<Scatter> m_result;
};

std::string noGradient(const Call &call, int input)
{
    return call.node().qualifiedOp() + " has no gradient with respect to input " +
           std::to_string(input);
}

} // namespace

Result<Description> adjoint(const Call &call, const Description &description, int input,
                            const std::vector<bool> &given)
{
    const auto number = std::size_t(input);
    if (input < 0 || !call.has(number))
        return call.refuse(noGradient(call, input) + ": there is no such input");
    if (!isFloatingPoint(call.type(number)))
        return call.refuse(noGradient(call, input) + ": it is not a floating-point tensor");
    const Operator *entry = findOperator(call.node().domain, call.node().op, call.opset());
    AdjointBuilder builder(call, description, input, given);
    bool isDone = false;
    if (entry && entry->gradient) {
        GL_TRY_CONST(closed, entry->gradient(builder));
        isDone = *closed;
    }
    if (!isDone) {
        if (description.isOpaque())
            return call.refuse(noGradient(call, input) + ": " + description.opaque);
        GL_TRY(Backwards(builder, entry).run());
    }
    auto finished = std::move(builder).finish();
    if (!finished)
        return call.refuse(noGradient(call, input));
    return std::move(*finished);
}

std::vector<bool> inputsRead(const Description &description, std::size_t inputs)
{
    std::vector<bool> read(inputs, false);
    for (const Stage &stage : description.stages)
        for (const Read &part : stage.reads)
            if (part.operand.kind == Operand::Kind::Input)
                read[std::size_t(part.operand.index)] = true;
    return read;
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/numbers.h"
#include "tests/support/refusal.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace graphloom::test {

/// Returns a tensor as text: "float 2x2: 1 2 3 4". Reals are rounded to the given number of digits.
inline QString textOf(const TensorData &data, int digits = 6)
{
    QStringList extents, values;
    for (const std::int64_t extent : data.extents())
        extents << QString::number(extent);
    for (std::int64_t i = 0; i < data.elements(); ++i)
        values << (data.type() == DataType::String
                       ? QString::fromStdString(data.strings()[std::size_t(i)])
                       : QString::number(data.real(i) + 0.0, 'g', digits));
    const QString shape = extents.isEmpty() ? QString("scalar") : extents.join('x');
    return QString("%1 %2: %3")
        .arg(QString::fromStdString(std::string(nameOf(data.type()))), shape, values.join(' '));
}

/// Runs one operator call on given tensors; omitted inputs are std::nullopt.
class OperatorRun {
public:
    using Input = std::optional<TensorData>;
    using Inputs = std::vector<Input>;

    OperatorRun(std::string qualifiedOp, std::vector<Input> inputs,
                std::vector<Attribute> attributes = {}, int outputs = 1, std::int64_t opset = 17)
        : m_inputs(std::move(inputs)), m_opset(opset)
    {
        const auto dot = qualifiedOp.rfind('.');
        m_node.domain = dot == std::string::npos ? "" : qualifiedOp.substr(0, dot);
        m_node.op = dot == std::string::npos ? qualifiedOp : qualifiedOp.substr(dot + 1);
        m_node.name = "under test";
        m_node.attributes = Attributes(std::move(attributes));
        for (int k = 0; k < outputs; ++k)
            m_node.outputs.push_back(TensorId{std::uint32_t(100 + k)});
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            m_node.inputs.push_back(m_inputs[i] ? TensorId{std::uint32_t(i)} : TensorId());
            m_tensors.push_back(m_inputs[i] ? Tensor::of("in" + std::to_string(i), *m_inputs[i])
                                            : Tensor());
        }
    }
    OperatorRun(const OperatorRun &) = delete;

    Call call(Steps *steps = nullptr) const
    {
        std::vector<const Tensor *> pointers;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            pointers.push_back(m_inputs[i] ? &m_tensors[i] : nullptr);
        return Call(m_node, std::move(pointers), m_opset, ~std::uint64_t{0}, steps);
    }
    Result<Description> describe() const { return graphloom::describe(call()); }

    /// Runs the call by its stages, or by its kernel if the call is opaque; the kernel counts its
    /// steps.
    Result<std::vector<TensorData>> run(Steps *steps = nullptr) const
    {
        std::vector<const TensorData *> inputs;
        for (const Input &input : m_inputs)
            inputs.push_back(input ? &*input : nullptr);
        const auto description = describe();
        if (!description)
            return tl::unexpected(description.error());
        if (!description->isOpaque())
            return runStages(*description, call(), inputs);
        const Operator *entry = findOperator(m_node.domain, m_node.op, m_opset);
        if (!entry || !entry->kernel)
            return call().refuse("has no kernel: " + description->opaque);
        return entry->kernel(call(steps), inputs);
    }
    /// Returns one output as text, or the error message if the call failed.
    QString result(std::size_t output = 0, int digits = 6) const
    {
        const auto outputs = run();
        return outputs ? textOf((*outputs)[output], digits)
                       : QString::fromStdString(outputs.error().text());
    }

    QString refusal() const { return refusalOf(describe()); }

private:
    Node m_node;
    std::vector<Input> m_inputs;
    std::vector<Tensor> m_tensors;
    std::int64_t m_opset;
};

/// Tells whether the call is refused with the reason; prints the actual message if not.
inline bool refused(const OperatorRun &call, const char *reason)
{
    if (!call.refusal().contains(reason))
        qWarning("%s", qPrintable(call.refusal()));
    return call.refusal().contains(reason);
}

} // namespace graphloom::test

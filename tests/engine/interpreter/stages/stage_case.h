// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/describe/stage.h"

#include <string>
#include <vector>

namespace graphloom::test {

/// A description with the inputs that it is run on, both ways.
class StageCase {
public:
    StageCase(Description description, std::vector<TensorData> inputs)
        : m_description(std::move(description)), m_inputs(std::move(inputs))
    {
        m_node.op = "Case";
        m_node.name = "under test";
        for (const TensorData &input : m_inputs) {
            m_tensors.push_back(Tensor::of("in", input));
            m_data.push_back(&input);
        }
    }
    /// One stage that writes one value.
    StageCase(Stage stage, Value value, std::vector<TensorData> inputs)
        : StageCase(Description{{std::move(value)}, {std::move(stage)}, 1, {}}, std::move(inputs))
    {
    }
    StageCase(const StageCase &) = delete;

    Result<std::vector<TensorData>> run(const StageOptions &options = {}) const
    {
        return runStages(m_description, call(), m_data, options);
    }
    Result<std::vector<TensorData>> runLiterally() const
    {
        return runStagesLiterally(m_description, call(), m_data);
    }
    /// The elements of the first output as numbers, if both ways give the same; else no elements.
    std::vector<double> reals() const
    {
        const auto fast = run(), literal = runLiterally();
        std::vector<double> result;
        if (fast && literal && agree((*fast)[0], (*literal)[0]))
            for (std::int64_t i = 0; i < (*fast)[0].elements(); ++i)
                result.push_back((*fast)[0].real(i));
        return result;
    }
    std::vector<std::int64_t> integers() const
    {
        const auto fast = run(), literal = runLiterally();
        if (fast && literal && agree((*fast)[0], (*literal)[0]))
            return (*fast)[0].integers();
        return {};
    }
    /// The reason why it cannot be run, if both ways fail; else "".
    std::string error() const
    {
        const auto fast = run(), literal = runLiterally();
        return fast || literal ? "" : fast.error().text();
    }

    /// Same type, extents and elements; NaN equals NaN. Real elements may differ by `relative`.
    static bool agree(const TensorData &a, const TensorData &b, double relative = 0)
    {
        if (a.type() != b.type() || a.extents() != b.extents())
            return false;
        if (!isFloatingPoint(a.type()))
            return a == b;
        for (std::int64_t i = 0; i < a.elements(); ++i) {
            const double x = a.real(i), y = b.real(i);
            if (x != y && !(x != x && y != y) && !(std::abs(x - y) <= relative * std::abs(y)))
                return false;
        }
        return true;
    }

private:
    Call call() const
    {
        std::vector<const Tensor *> tensors;
        for (const Tensor &tensor : m_tensors)
            tensors.push_back(&tensor);
        return Call(m_node, std::move(tensors), 17);
    }

    Node m_node;
    Description m_description;
    std::vector<TensorData> m_inputs;
    std::vector<Tensor> m_tensors;
    std::vector<const TensorData *> m_data;
};

template <class T>
TensorData tensorOf(DataType type, TensorData::Extents extents, std::vector<T> values)
{
    return TensorData::fromValues<T>(type, std::move(extents), values);
}
inline TensorData floats(std::vector<float> values)
{
    const auto count = std::int64_t(values.size());
    return tensorOf<float>(DataType::Float, {count}, std::move(values));
}
inline TensorData integers(std::vector<std::int64_t> values)
{
    const auto count = std::int64_t(values.size());
    return tensorOf<std::int64_t>(DataType::Int64, {count}, std::move(values));
}

inline Read readOf(int input, IndexMap map, Read::Outside outside = Read::Outside::Never,
                   double value = 0)
{
    return {{Operand::Kind::Input, input}, std::move(map), outside, value};
}

/// y[i] = body over a vector of `count` elements; read k is input k at i.
inline Stage elementwise(std::int64_t count, int inputs, Expr body)
{
    Stage stage;
    stage.axes = {{"i", count, Axis::Kind::Space}};
    for (int k = 0; k < inputs; ++k)
        stage.reads.push_back(readOf(k, {Index::axis(0)}));
    stage.write = {Index::axis(0)};
    stage.body = std::move(body);
    return stage;
}

} // namespace graphloom::test

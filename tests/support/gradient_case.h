// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/gradient/adjoint.h"
#include "engine/ops/reference/example.h"
#include "engine/ops/upgrade/upgrade.h"
#include "tests/support/operator_run.h"

#include <QMetaType>
#include <cmath>
#include <memory>
#include <random>

namespace graphloom::test {

/// Holds an operator call in double precision on seeded data, and its gradients.
class GradientCase {
public:
    GradientCase() = default;

    /// Returns a call in the notation of an example (example.h), of the newest version of an
    /// operator.
    static GradientCase of(const std::string &qualifiedName, const std::string &words)
    {
        const auto dot = qualifiedName.rfind('.');
        const bool isOnnx = dot == qualifiedName.npos;
        const Operator *entry =
            findOperator(isOnnx ? "" : qualifiedName.substr(0, dot),
                         isOnnx ? qualifiedName : qualifiedName.substr(dot + 1), newestOpset);
        const auto call = entry ? of(entry->like(words)) : std::nullopt;
        return call.value_or(GradientCase());
    }

    /// Returns the call that the entry gives as its example, or nothing if that is not over
    /// tensors.
    static std::optional<GradientCase> of(const Operator &entry, unsigned seed = 1)
    {
        const auto example = ExampleCall::of(entry);
        if (!example)
            return std::nullopt;
        GradientCase made;
        auto data = std::make_shared<Data>();
        data->node = example->node();
        data->entry = entry;
        data->entry.example = {}; // may be destroyed before this
        data->opset = example->call().opset();
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < example->inputs().size(); ++i) {
            const Tensor &tensor = example->inputs()[i];
            if (!example->node().inputs[i].valid()) {
                data->inputs.emplace_back();
                data->known.emplace_back();
                continue;
            }
            if (!tensor.shape || !isStatic(*tensor.shape) ||
                !(isFloatingPoint(tensor.type) || isIntegral(tensor.type) ||
                  tensor.type == DataType::Bool))
                return std::nullopt;
            data->inputs.push_back(dataOf(tensor, data->node.op, random));
            Tensor known = Tensor::of(tensor.name, *data->inputs.back());
            if (!tensor.constant && isFloatingPoint(known.type))
                known.constant = nullptr;
            data->known.push_back(std::move(known));
        }
        data->name = entry.domain.empty()
                         ? std::string(entry.name)
                         : std::string(entry.domain) + "." + std::string(entry.name);
        data->name += " " + std::string(entry.example);
        made.m_data = data;
        const auto description = describe(made.call());
        if (!description)
            return std::nullopt;
        data->description = *description;
        return made;
    }

    bool isValid() const { return m_data != nullptr; }
    const std::string &name() const { return m_data->name; }
    std::size_t inputs() const { return m_data->inputs.size(); }
    const Description &description() const { return m_data->description; }
    bool isReal(int input) const
    {
        const auto &data = m_data->inputs[std::size_t(input)];
        return data && isFloatingPoint(data->type());
    }

    Call call() const
    {
        std::vector<const Tensor *> tensors;
        for (std::size_t i = 0; i < inputs(); ++i)
            tensors.push_back(m_data->inputs[i] ? &m_data->known[i] : nullptr);
        return Call(m_data->node, std::move(tensors), m_data->opset);
    }

    const Node &node() const { return m_data->node; }
    std::int64_t opset() const { return m_data->opset; }
    /// Returns an input as a graph describes it; data() returns its elements, or nothing if it is
    /// omitted.
    const Tensor &tensor(int input) const { return m_data->known[std::size_t(input)]; }
    const std::optional<TensorData> &data(int input) const
    {
        return m_data->inputs[std::size_t(input)];
    }

    std::vector<bool> given() const
    {
        std::vector<bool> flags;
        for (int k = 0; k < description().outputs; ++k)
            flags.push_back(isFloatingPoint(description().values[std::size_t(k)].type));
        return flags;
    }

    Result<Description> gradientBy(int input) const
    {
        return adjoint(call(), description(), input, given());
    }

    Result<std::vector<TensorData>> outputs() const { return outputsOf(m_data->inputs); }

    /// Returns the gradient computed by the stages, for the gradients of the outputs.
    Result<TensorData> gradient(int input, const std::vector<TensorData> &outputs,
                                const std::vector<TensorData> &outer) const
    {
        const auto description = gradientBy(input);
        if (!description)
            return tl::unexpected(description.error());
        Node node;
        node.op = m_data->node.op;
        node.outputs.resize(1);
        std::vector<Tensor> tensors;
        std::vector<const TensorData *> data;
        for (const auto &value : m_data->inputs)
            data.push_back(value ? &*value : nullptr);
        for (const auto *list : {&outputs, &outer})
            for (const TensorData &value : *list)
                data.push_back(&value);
        for (const TensorData *value : data)
            tensors.push_back(value ? Tensor::of("", *value) : Tensor());
        std::vector<const Tensor *> pointers;
        for (std::size_t i = 0; i < data.size(); ++i)
            pointers.push_back(data[i] ? &tensors[i] : nullptr);
        auto result = runStages(*description, Call(node, pointers, 1), data);
        if (!result)
            return tl::unexpected(result.error());
        return std::move(result->front());
    }

    /// Returns gradients of the outputs: seeded numbers for reals.
    static std::vector<TensorData> outerGradients(const std::vector<TensorData> &outputs)
    {
        std::mt19937 random(7);
        std::vector<TensorData> outer;
        for (const TensorData &value : outputs)
            outer.push_back(isFloatingPoint(value.type())
                                ? numbers(value.type(), value.extents(),
                                          uniform(random, value.elements(), -1, 1))
                                : value);
        return outer;
    }

    /// Returns where the gradient differs from the limit of central differences, or an empty string
    /// if it does not.
    QString greatestDifference(int input) const
    {
        const auto values = outputs();
        if (!values)
            return QString::fromStdString(values.error().text());
        const auto outer = outerGradients(*values);
        const auto result = gradient(input, *values, outer);
        if (!result)
            return QString::fromStdString(result.error().text());
        const TensorData &x = *m_data->inputs[std::size_t(input)];
        if (result->extents() != x.extents())
            return "its shape is not that of the input";
        const std::int64_t step = std::max<std::int64_t>(1, x.elements() / 60);
        for (std::int64_t i = 0; i < x.elements(); i += step) {
            constexpr double h = 1e-6;
            const auto above = weighted(input, i, h, outer), below = weighted(input, i, -h, outer);
            if (!above || !below)
                return "the call cannot be computed";
            const double expected = (*above - *below) / (2 * h), actual = result->real(i);
            if (!(std::fabs(actual - expected) <= 1e-5 * (1 + std::fabs(expected))))
                return QString("element %1 is %2 instead of %3").arg(i).arg(actual).arg(expected);
        }
        return {};
    }

private:
    using Inputs = std::vector<std::optional<TensorData>>;
    struct Data {
        std::string name;
        Node node;
        Operator entry;
        std::int64_t opset = 1;
        Inputs inputs;
        std::vector<Tensor> known;
        Description description;
    };

    static std::vector<double> uniform(std::mt19937 &random, std::int64_t count, double least,
                                       double most)
    {
        std::vector<double> values;
        for (std::int64_t i = 0; i < count; ++i)
            values.push_back(least + (most - least) * double(random() % 100003) / 100003);
        return values;
    }

    static TensorData dataOf(const Tensor &tensor, const std::string &op, std::mt19937 &random)
    {
        TensorData::Extents extents;
        for (const Dim &dim : *tensor.shape)
            extents.push_back(dim.value());
        const std::int64_t count = *staticElements(*tensor.shape);
        // Weights are all 0 in examples; lists are as they are.
        const bool isList =
            tensor.constant && (isIntegral(tensor.type) || extents.size() < 1 ||
                                !tensor.constant->isSplat() || tensor.constant->real(0) != 0);
        std::vector<double> values;
        if (isList)
            for (std::int64_t i = 0; i < count; ++i)
                values.push_back(tensor.constant->real(i));
        if (isFloatingPoint(tensor.type)) {
            const double least = op == "Acosh" ? 1.2 : 0.1;
            if (!isList)
                values = uniform(random, count, least, least + 0.85);
            // Half of the elements are negative, for functions that have another form there.
            if (!isList && (op.find("elu") != op.npos || op.find("Elu") != op.npos ||
                            op.find("Relu") != op.npos || op == "Selu" || op == "Abs" ||
                            op == "Max" || op == "HardSwish" || op == "Shrink" || op == "Clip" ||
                            op == "FusedConv" || op == "GridSample"))
                for (std::size_t i = 0; i < values.size(); i += 2)
                    values[i] = -values[i];
            return numbers(DataType::Double, std::move(extents), values);
        }
        const std::int64_t factor = op == "MaxUnpool" ? 4 : 1;
        const std::int64_t bound = op == "MaxUnpool"                            ? count * 4
                                   : op == "RoiAlign"                           ? 2
                                   : op == "OneHot" || op == "Where"            ? 2
                                   : op == "DequantizeLinear"                   ? 100
                                   : op.find("Loss") != op.npos                 ? 5
                                   : op == "ReverseSequence"                    ? 8
                                   : op == "GatherElements" || op == "GatherND" ? 3
                                                                                : 6;
        if (!isList)
            for (std::int64_t i = 0; i < count; ++i)
                values.push_back(double((i * factor + (op == "ReverseSequence" ? 3 : 0)) % bound));
        return numbers(tensor.type, std::move(extents), values);
    }

    Result<std::vector<TensorData>> outputsOf(const Inputs &inputs) const
    {
        std::vector<const TensorData *> data;
        for (const auto &value : inputs)
            data.push_back(value ? &*value : nullptr);
        if (!description().isOpaque())
            return runStages(description(), call(), data);
        if (!m_data->entry.kernel)
            return call().refuse("has no kernel");
        return m_data->entry.kernel(call(), data);
    }

    std::optional<double> weighted(int input, std::int64_t element, double step,
                                   const std::vector<TensorData> &outer) const
    {
        Inputs moved = m_data->inputs;
        TensorData &x = *moved[std::size_t(input)];
        std::vector<double> values;
        for (std::int64_t i = 0; i < x.elements(); ++i)
            values.push_back(x.real(i) + (i == element ? step : 0));
        x = numbers(x.type(), x.extents(), values);
        const auto outputs = outputsOf(moved);
        if (!outputs)
            return std::nullopt;
        double sum = 0;
        for (std::size_t k = 0; k < outputs->size(); ++k)
            for (std::int64_t i = 0;
                 isFloatingPoint((*outputs)[k].type()) && i < (*outputs)[k].elements(); ++i)
                sum += (*outputs)[k].real(i) * outer[k].real(i);
        return sum;
    }

    std::shared_ptr<const Data> m_data;
};

} // namespace graphloom::test

Q_DECLARE_METATYPE(graphloom::test::GradientCase)

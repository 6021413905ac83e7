// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/random_graph.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::random_test {

namespace {

/// Grows a graph of calls that clean-up rules have to do with, on small tensors.
class Growing {
public:
    explicit Growing(std::uint64_t seed) : m_random(seed)
    {
        m_values.push_back(m_maker.input("x", {2, 3, 4, 4}));
        m_values.push_back(m_maker.input("y", {3, 4}));
    }

    Graph grown(int calls)
    {
        for (int i = 0; i < calls; ++i)
            step();
        std::vector<TensorId> outputs;
        for (const TensorId value : m_values)
            if (m_maker.editor.graph().uses(value).empty() &&
                m_maker.editor.graph().producer(value).valid())
                outputs.push_back(value);
        return inferred(m_maker.finish(outputs));
    }

private:
    std::int64_t below(std::int64_t bound)
    {
        return std::int64_t(test::below(m_random, std::uint64_t(bound)));
    }
    TensorId value() { return m_values[std::size_t(below(std::int64_t(m_values.size())))]; }
    std::vector<std::int64_t> extents(TensorId id) const
    {
        std::vector<std::int64_t> result;
        for (const Dim &dim : *m_maker.editor.graph().tensor(id).shape)
            result.push_back(dim.value());
        return result;
    }
    TensorId constant(TensorData data)
    {
        return m_maker.constant("c" + std::to_string(m_maker.editor.graph().tensorBound()),
                                std::move(data));
    }
    TensorId integers(const std::vector<std::int64_t> &values)
    {
        return constant(TensorData::fromInt64s(values));
    }
    TensorId number(float number) { return constant(floats({}, {number})); }

    /// Adds the call if it is one; what cannot be described is left out.
    TensorId call(const std::string &op, std::vector<TensorId> inputs,
                  std::vector<Attribute> attributes = {})
    {
        constexpr std::int64_t largest = 4096;
        Node node;
        node.op = op;
        node.inputs = inputs;
        node.attributes = Attributes(attributes);
        node.outputs.resize(1);
        std::vector<const Tensor *> known;
        for (const TensorId input : inputs)
            known.push_back(&m_maker.editor.graph().tensor(input));
        const auto description = describe(Call(node, std::move(known), 17));
        const auto shape =
            description && !description->isOpaque() ? description->values[0].shape : std::nullopt;
        const auto elements = shape ? staticElements(*shape) : std::nullopt;
        if (!elements || *elements == 0 || *elements > largest)
            return {};
        const TensorId output = m_maker.call(op, std::move(inputs), *shape, std::move(attributes));
        Tensor tensor = m_maker.editor.graph().tensor(output);
        tensor.type = description->values[0].type;
        m_maker.editor.setTensor(output, tensor);
        return output;
    }

    /// Something that broadcasts with a value of the extents.
    TensorId operand(const std::vector<std::int64_t> &shape)
    {
        switch (below(5)) {
        case 0:
            return number(float(below(4)) - 1);
        case 1:
            return constant(varied({shape.empty() ? 1 : shape.back()}));
        case 2: {
            std::vector<std::int64_t> channels(shape.size(), 1);
            if (shape.size() > 1)
                channels[1] = shape[1];
            return constant(positive(channels));
        }
        default:
            return value();
        }
    }

    TensorId arithmetic(TensorId x)
    {
        constexpr std::array ops = {"Add", "Sub", "Mul", "Max", "Add", "Mul"};
        const TensorId other = operand(extents(x));
        const char *op = ops[std::size_t(below(ops.size()))];
        return below(2) ? call(op, {x, other}) : call(op, {other, x});
    }
    TensorId function(TensorId x)
    {
        constexpr std::array ops = {"Relu", "Tanh", "Neg", "Sigmoid", "Identity", "Abs"};
        return call(ops[std::size_t(below(ops.size()))], {x});
    }
    TensorId constantArithmetic(TensorId x)
    {
        switch (below(3)) {
        case 0:
            return call("Pow", {x, number(2)});
        case 1:
            return call("Div", {x, number(below(2) ? 4.f : 3.f)});
        default:
            return call("Div",
                        {x, constant(positive({extents(x).empty() ? 1 : extents(x).back()}))});
        }
    }
    TensorId transposition(TensorId x)
    {
        std::vector<std::int64_t> permutation(extents(x).size());
        for (std::size_t d = 0; d < permutation.size(); ++d)
            permutation[d] = std::int64_t(d);
        for (std::size_t d = permutation.size(); d > 1; --d)
            std::swap(permutation[d - 1], permutation[std::size_t(below(std::int64_t(d)))]);
        return call("Transpose", {x}, {test::ints("perm", permutation)});
    }
    TensorId reshape(TensorId x)
    {
        auto shape = extents(x);
        switch (below(4)) {
        case 0:
            return call("Flatten", {x}, {test::integer("axis", below(2))});
        case 1:
            return call("Unsqueeze", {x, integers({below(std::int64_t(shape.size()) + 1)})});
        case 2:
            return call("Squeeze", {x});
        default:
            if (shape.size() > 1) { // two neighbours become one
                const auto at = std::size_t(below(std::int64_t(shape.size()) - 1));
                shape[at] *= shape[at + 1];
                shape.erase(shape.begin() + std::ptrdiff_t(at) + 1);
            } else if (!shape.empty() && shape[0] % 2 == 0) {
                shape = {2, shape[0] / 2};
            }
            return call("Reshape", {x, integers(shape)});
        }
    }
    TensorId part(TensorId x)
    {
        auto shape = extents(x);
        const auto rank = std::int64_t(shape.size());
        if (rank == 0)
            return {};
        const std::int64_t axis = below(rank);
        switch (below(5)) {
        case 0:
            return call("Slice", {x, integers({below(2)}), integers({99}), integers({axis})});
        case 1:
            return call("Slice", {x, integers({0}), integers({1}), integers({axis})});
        case 2: {
            std::vector<std::int64_t> pads(std::size_t(2 * rank), 0);
            pads[std::size_t(below(2 * rank))] = below(2);
            return call("Pad", {x, integers(pads)});
        }
        case 3:
            return call("Concat", below(2) ? std::vector{x} : std::vector{x, x},
                        {test::integer("axis", axis)});
        default:
            shape.insert(shape.begin(), 2);
            return call("Expand", {x, integers(shape)});
        }
    }
    TensorId linear(TensorId x)
    {
        const auto shape = extents(x);
        if (shape.size() == 4 && below(2)) {
            const bool biased = below(2) != 0;
            std::vector<TensorId> inputs{x, constant(varied({3, shape[1], 1 + below(2), 1}))};
            if (biased)
                inputs.push_back(constant(varied({3})));
            return call("Conv", inputs, {test::ints("pads", {0, 0, below(2), 0})});
        }
        if (shape.size() < 2)
            return {};
        const TensorId w = constant(varied({shape.back(), 3}));
        return shape.size() == 2 && below(2) ? call("Gemm", {x, w}) : call("MatMul", {x, w});
    }
    TensorId normalization(TensorId x)
    {
        const auto shape = extents(x);
        if (shape.size() < 2)
            return {};
        const auto parameter = [&] { return constant(varied({shape[1]})); };
        const TensorId scale = parameter(), shift = parameter(), mean = parameter();
        return call("BatchNormalization", {x, scale, shift, mean, constant(positive({shape[1]}))});
    }
    TensorId window(TensorId x)
    {
        const bool wide = below(2) != 0;
        return call(below(2) ? "MaxPool" : "AveragePool", {x},
                    {test::ints("kernel_shape", wide ? std::vector<std::int64_t>{2, 2}
                                                     : std::vector<std::int64_t>{1, 1})});
    }
    TensorId other(TensorId x)
    {
        switch (below(4)) {
        case 0:
            return call("Softmax", {x});
        case 1:
            return call("ReduceMean", {x}, {test::ints("axes", {-1})});
        case 2: {
            const TensorId wide = call("Cast", {x}, {test::integer("to", 11)});
            return wide.valid() ? call("Cast", {wide}, {test::integer("to", 1)}) : wide;
        }
        default: {
            const TensorId condition = call("Greater", {x, number(0)});
            return condition.valid() ? call("Where", {condition, x, operand(extents(x))}) : x;
        }
        }
    }

    void step()
    {
        using Make = TensorId (Growing::*)(TensorId);
        constexpr std::array<Make, 13> makes = {
            &Growing::arithmetic,    &Growing::arithmetic, &Growing::arithmetic,
            &Growing::function,      &Growing::function,   &Growing::constantArithmetic,
            &Growing::transposition, &Growing::reshape,    &Growing::reshape,
            &Growing::part,          &Growing::linear,     &Growing::normalization,
            &Growing::window};
        // Mostly on with what came last: chains are what rules are about.
        const TensorId x = below(4) ? m_values.back() : value();
        const auto which = std::size_t(below(std::int64_t(makes.size()) + 1));
        const TensorId made = which < makes.size() ? (this->*makes[which])(x) : other(x);
        if (made.valid())
            m_values.push_back(made);
    }

    test::Random m_random;
    GraphMaker m_maker;
    std::vector<TensorId> m_values;
};

} // namespace

/// All clean-up rules together on graphs that nobody has thought of.
class RandomTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultsStay_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<bool>("saturating");
        for (int first = 0; first < 400; first += 100)
            QTest::addRow("seeds from %d", first) << first << false;
        QTest::addRow("seeds from 400, by saturation") << 400 << true;
    }
    void resultsStay()
    {
        QFETCH(int, first);
        QFETCH(bool, saturating);
        auto rules = dnnfusion::cleanupRules();
        std::erase_if(rules, [](const Rule &rule) { return !rule.exact; });
        RewriteOptions options;
        options.mostSteps = 200; // each makes the graph cheaper: they come to an end
        if (saturating)
            options.strategy = RewriteOptions::Strategy::EqualitySaturation;
        for (int seed = first; seed < first + (saturating ? 40 : 100); ++seed) {
            const Graph graph = Growing(std::uint64_t(seed)).grown(25);
            const auto result = rewritten(graph, rules, options);
            QString steps = QString("seed %1:").arg(seed);
            for (const RewriteStep &step : result.log.steps)
                steps += " " + QString::fromStdString(step.rule);
            QVERIFY2(result.log.steps.size() < options.mostSteps, qPrintable(steps));
            const QString differs = disagreement(graph, result.graph, 1e-4);
            QVERIFY2(differs.isEmpty(), qPrintable(steps + ": " + differs));
            QVERIFY2(test::defectOf(result.graph).empty(), qPrintable(steps));
            if (!saturating)
                QVERIFY2(rewritten(result.graph, rules).log.steps.empty(), qPrintable(steps));
        }
    }
};

GRAPHLOOM_TESTS(RandomTest)

} // namespace graphloom::test::random_test

#include "random_test.moc"

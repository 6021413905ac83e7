// SPDX-License-Identifier: Apache-2.0
// Merging is told from descriptions, so it is tried on every operator of the table and on its
// gradients: two calls that differ in some of their operands.
#include "engine/ops/gradient/gradient.h"
#include "tests/plugins/magis/rules/merging.h"
#include "tests/support/gradient_case.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::merging_operators_test {

using namespace graphloom::magis;

namespace {

bool canDiffer(const Graph &graph, TensorId value)
{
    return value.valid() && isFloatingPoint(graph.tensor(value).type) &&
           !graph.tensor(value).shape->empty();
}

/// Adds a call like one of the graph, with the same results.
NodeId addAgain(GraphEditor &editor, NodeId like, const std::vector<std::size_t> &others)
{
    Node node = editor.graph().node(like);
    std::vector<TensorId> inputs(editor.graph().inputs().begin(), editor.graph().inputs().end());
    for (const std::size_t place : others) {
        Tensor tensor = editor.graph().tensor(node.inputs[place]);
        tensor.name += ".other";
        tensor.constant = nullptr;
        inputs.push_back(node.inputs[place] = editor.addTensor(std::move(tensor)));
    }
    for (TensorId &output : node.outputs)
        if (output.valid()) {
            Tensor tensor = editor.graph().tensor(output);
            tensor.name += ".other";
            output = editor.addTensor(std::move(tensor));
        }
    editor.setInputs(std::move(inputs));
    return editor.addNode(std::move(node));
}

std::vector<TensorId> validOutputs(const Graph &graph, const std::vector<NodeId> &calls)
{
    std::vector<TensorId> outputs;
    for (const NodeId call : calls)
        for (const TensorId output : graph.node(call).outputs)
            if (output.valid())
                outputs.push_back(output);
    return outputs;
}

/// A graph with the case's call alone.
Graph graphOf(const GradientCase &made, NodeId &call)
{
    GraphEditor editor;
    Node node = made.node();
    std::vector<TensorId> inputs;
    for (std::size_t i = 0; i < made.inputs(); ++i) {
        node.inputs[i] = TensorId();
        if (!made.data(int(i)))
            continue;
        Tensor tensor = made.tensor(int(i));
        tensor.name = "x" + std::to_string(i);
        node.inputs[i] = editor.addTensor(tensor);
        if (!tensor.constant)
            inputs.push_back(node.inputs[i]);
    }
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        const Value &value = made.description().values[k];
        Tensor tensor;
        tensor.name = "y" + std::to_string(k);
        tensor.type = value.type;
        tensor.shape = value.shape;
        node.outputs[k] = editor.addTensor(std::move(tensor));
    }
    editor.setInputs(std::move(inputs));
    editor.setOutputs(node.outputs);
    call = editor.addNode(std::move(node));
    return *std::move(editor).finish();
}

/// The same with the gradient by an input behind it; what flows in are inputs of the graph.
std::optional<Graph> withGradient(const Graph &graph, NodeId &call, int input, const Opsets &opsets)
{
    GraphEditor editor(graph);
    std::vector<TensorId> inputs(graph.inputs().begin(), graph.inputs().end()), flows;
    for (const TensorId output : graph.node(call).outputs) {
        Tensor tensor = graph.tensor(output);
        tensor.name += ".flow";
        flows.push_back(isFloatingPoint(tensor.type) ? editor.addTensor(std::move(tensor))
                                                     : TensorId());
        if (flows.back().valid())
            inputs.push_back(flows.back());
    }
    auto gradient = gradientNode(graph, call, input, flows, opsets);
    if (!gradient)
        return std::nullopt;
    Tensor result;
    result.name = "gradient";
    result.type = gradient->type;
    result.shape = gradient->shape;
    gradient->node.outputs = {editor.addTensor(std::move(result))};
    editor.setInputs(std::move(inputs));
    call = editor.addNode(gradient->node);
    editor.setOutputs(gradient->node.outputs);
    return *std::move(editor).finish();
}

/// The elements from the last one to the first.
TensorData reversed(const TensorData &data)
{
    const auto bytes = data.bytes();
    const std::size_t size = bytes.size() / std::size_t(std::max<std::int64_t>(data.elements(), 1));
    std::vector<std::byte> result;
    for (std::size_t at = bytes.size(); at > 0; at -= size)
        result.insert(result.end(), bytes.begin() + std::ptrdiff_t(at - size),
                      bytes.begin() + std::ptrdiff_t(at));
    return TensorData::fromBytes(data.type(), data.extents(), std::move(result));
}

/// Merges of two calls, tried in every way in which they can differ.
class Trial {
public:
    Trial(const GradientCase &made, const Graph &graph, NodeId call, const Opsets &opsets)
        : m_made(made), m_graph(graph), m_call(call), m_opsets(opsets)
    {
    }

    /// What is wrong; "" if nothing is.
    QString run()
    {
        std::vector<std::size_t> places;
        const Node &node = m_graph.node(m_call);
        for (std::size_t i = 0; i < node.inputs.size() && places.size() < 4; ++i)
            if (canDiffer(m_graph, node.inputs[i]))
                places.push_back(i);
        for (std::size_t set = 1; set < std::size_t{1} << places.size(); ++set) {
            std::vector<std::size_t> others;
            for (std::size_t k = 0; k < places.size(); ++k)
                if (set >> k & 1)
                    others.push_back(places[k]);
            for (const Joining joining : {Joining::Stack, Joining::Along})
                for (const Merging merging : {Merging::Parts, Merging::Sum})
                    if (const QString wrong = merged(others, merging, joining); !wrong.isEmpty())
                        return wrong;
        }
        return {};
    }
    int merges = 0;

private:
    Graph finished(GraphEditor editor) const
    {
        auto graph = std::move(editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return *std::move(graph);
    }

    QString merged(const std::vector<std::size_t> &others, Merging merging, Joining joining)
    {
        GraphEditor editor(m_graph);
        std::vector<NodeId> calls{m_call, addAgain(editor, m_call, others)};
        std::vector<TensorId> outputs = validOutputs(editor.graph(), calls);
        NodeId add;
        if (merging == Merging::Sum) {
            if (outputs.size() != 2)
                return {};
            Tensor tensor = editor.graph().tensor(outputs[0]);
            tensor.name = "sum";
            Node sum;
            sum.op = "Add";
            sum.inputs = outputs;
            outputs = sum.outputs = {editor.addTensor(std::move(tensor))};
            add = editor.addNode(std::move(sum));
        }
        editor.setOutputs(outputs);
        const Graph graph = finished(std::move(editor));
        const auto merge = mergeOf(graph, m_opsets, calls, merging, joining);
        if (!merge)
            return {};
        const Graph after = changed(graph, m_opsets, [&](GraphChange &change) {
            if (merging == Merging::Parts)
                return change.merge(*merge);
            change.remove(std::vector{add});
            change.mergeWhole(*merge, outputs[0]);
        });
        const QString wrong = difference(graph, after, m_opsets, inputsOf(graph), 1e-9);
        if (wrong.endsWith("has no numbers"))
            return {}; // random data are nothing that the operator takes
        merges += wrong.isEmpty();
        return wrong.isEmpty() ? wrong
                               : wrong + (joining == Joining::Stack ? ", stacked" : "") +
                                     (merging == Merging::Sum ? ", summed up" : "");
    }

    /// The case's own, backwards for the second call; what flows into gradients is random.
    std::vector<TensorData> inputsOf(const Graph &graph) const
    {
        std::vector<TensorData> inputs = *randomInputs(graph, 5);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            for (int i = 0; i < int(m_made.inputs()); ++i) {
                const std::string &name = graph.tensor(graph.inputs()[k]).name;
                if (name == "x" + std::to_string(i))
                    inputs[k] = *m_made.data(i);
                else if (name == "x" + std::to_string(i) + ".other")
                    inputs[k] = reversed(*m_made.data(i));
            }
        return inputs;
    }

    const GradientCase &m_made;
    const Graph &m_graph;
    const NodeId m_call;
    const Opsets &m_opsets;
};

} // namespace

class MergingOperatorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operators()
    {
        std::set<std::string> merged, mergedGradients;
        std::set<std::string_view> seen;
        for (const Operator &entry : operatorTable()) {
            if (findOperator(entry.domain, entry.name, newestOpset) != &entry)
                continue;
            const auto made = GradientCase::of(entry);
            if (!made || made->description().isOpaque())
                continue;
            const Opsets opsets = [&](std::string_view domain) {
                return domain == entry.domain ? made->opset() : 17;
            };
            NodeId call;
            const Graph graph = graphOf(*made, call);
            Trial trial(*made, graph, call, opsets);
            const QString wrong = trial.run();
            QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(made->name()) + wrong));
            if (trial.merges > 0)
                merged.insert(std::string(entry.name));
            for (int input = 0; input < int(made->inputs()); ++input) {
                NodeId gradient = call;
                const auto with = made->isReal(input) ? withGradient(graph, gradient, input, opsets)
                                                      : std::nullopt;
                if (!with)
                    continue;
                Trial behind(*made, *with, gradient, opsets);
                const QString error = behind.run();
                QVERIFY2(error.isEmpty(), qPrintable(QString::fromStdString(made->name()) +
                                                     QString(" by %1: ").arg(input) + error));
                if (behind.merges > 0)
                    mergedGradients.insert(std::string(entry.name));
            }
        }
        qInfo("%zu operators and %zu gradients merge", merged.size(), mergedGradients.size());
        for (const char *name : {"MatMul", "Gemm", "Conv", "Add", "Relu", "Transpose", "Softmax"})
            QVERIFY2(merged.contains(name) && mergedGradients.contains(name), name);
    }
};

GRAPHLOOM_TESTS(MergingOperatorsTest)

} // namespace graphloom::test::merging_operators_test

#include "merging_operators_test.moc"

// SPDX-License-Identifier: Apache-2.0
// What is no product of matrices is as fast as its bytes: no call is priced at several times what
// moving them takes.
#include "engine/autodiff/training.h"
#include "engine/cost/call_work.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/adjoint.h"
#include "engine/ops/reference/example.h"
#include "engine/ops/upgrade/upgrade.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::roofline_test {

using test::Sketch;

namespace {

constexpr double mostTimes = 4; // what moving the bytes takes

/// The words of an example with every extent so many times as large.
std::string enlarged(std::string_view words, std::int64_t times)
{
    std::string text;
    bool inShape = false;
    for (std::size_t i = 0; i < words.size();) {
        inShape = words[i] == '[' || (inShape && words[i] != ']');
        if (!inShape || !std::isdigit(static_cast<unsigned char>(words[i]))) {
            text += words[i++];
            continue;
        }
        std::int64_t extent = 0;
        for (; i < words.size() && std::isdigit(static_cast<unsigned char>(words[i])); ++i)
            extent = extent * 10 + (words[i] - '0');
        text += std::to_string(extent > 1 ? extent * times : extent);
    }
    return text;
}

/// How many times as long as its bytes a call takes without its launch; none of products, whose
/// operations are what they are, and of opaque calls.
std::optional<double> timesRoofline(const Description &description, const Call &call,
                                    const Device &device)
{
    if (description.isOpaque() || std::ranges::any_of(description.stages, sumsProducts))
        return std::nullopt;
    const KernelWork work = CallWork(description, call).work();
    const Traffic traffic = trafficOf(description, call);
    const auto bytes = (traffic.read + traffic.written).constant();
    if (!bytes || *bytes == 0)
        return std::nullopt;
    return (kernelSeconds(device, work) - device.launchSeconds) /
           (double(*bytes) / device.bandwidth);
}

/// A call whose operands are the forward call's, its outputs and their gradients.
struct GradientCall {
    Node node;
    std::vector<Tensor> tensors;
    std::int64_t opset;

    GradientCall(const ExampleCall &forward, const Description &description)
        : opset(forward.call().opset())
    {
        node.op = forward.node().op;
        node.outputs.resize(1);
        tensors = forward.inputs();
        for (int twice = 0; twice < 2; ++twice)
            for (int output = 0; output < description.outputs; ++output) {
                const Value &value = description.values[std::size_t(output)];
                Tensor tensor;
                tensor.type = value.type;
                tensor.shape = value.shape;
                tensors.push_back(std::move(tensor));
            }
    }
    Call call() const
    {
        std::vector<const Tensor *> pointers;
        for (const Tensor &tensor : tensors)
            pointers.push_back(&tensor);
        return Call(node, std::move(pointers), opset);
    }
};

/// A step of training of a small model of language: an embedding, a layer, and scores of all words.
Graph trainedEmbedding(std::int64_t words)
{
    Sketch s;
    TensorId x = s.call("Cast", {s.input("tokens", {4, 32})}, {test::integer("to", 7)});
    x = s.call("Gather", {s.weight({words, 48}), x});
    x = s.call("LayerNormalization", {x, s.randomWeight({48}), s.randomWeight({48})});
    x = s.call("MatMul", {x, s.randomWeight({48, 48})});
    auto training =
        trainingGraph(s.finish({x}), trainingOpsets(test::sketchOpset), TrainingOptions());
    if (!training)
        qFatal("%s", training.error().text().c_str());
    return std::move(training->graph);
}

} // namespace

class RooflineTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void examplesAndTheirGradients();
    void trainingGraphs();
    void aLookupsGradientCostsWhatItTouches();
};

void RooflineTest::examplesAndTheirGradients()
{
    const Device &device = *findDevice("rtx-3090");
    int calls = 0, gradients = 0;
    QStringList dear;
    for (const Operator &entry : operatorTable()) {
        const std::string words = enlarged(entry.example, 256);
        Operator large = entry;
        large.example = words;
        const auto example = ExampleCall::of(large);
        const auto description = example ? describe(example->call())
                                         : Result<Description>(tl::unexpected(example.error()));
        if (!description || description->isOpaque())
            continue; // what an attribute says does not go with larger extents
        const auto look = [&](const Description &of, const Call &call, const std::string &name) {
            const auto times = timesRoofline(of, call, device);
            if (times && *times > mostTimes)
                dear << QString::fromStdString(name);
            return times.has_value();
        };
        const std::string name(entry.name);
        calls += look(*description, example->call(), name);
        std::vector<bool> given;
        for (int output = 0; output < description->outputs; ++output)
            given.push_back(isFloatingPoint(description->values[std::size_t(output)].type));
        const GradientCall gradientCall(*example, *description);
        for (int input = 0; input < int(example->inputs().size()); ++input)
            if (const auto gradient = adjoint(example->call(), *description, input, given))
                gradients +=
                    look(*gradient, gradientCall.call(), name + " by " + std::to_string(input));
    }
    QVERIFY2(calls > 120, qPrintable(QString::number(calls)));
    QVERIFY2(gradients > 100, qPrintable(QString::number(gradients)));
    // Sums over a triangle, of which each is computed by itself.
    QCOMPARE(dear.join(", "), QString("CumSum, CumSum by 0"));
}

void RooflineTest::trainingGraphs()
{
    const Graph graph = trainedEmbedding(30000);
    const Opsets opsets = trainingOpsets(test::sketchOpset);
    const Device &device = *findDevice("rtx-3090");
    int calls = 0;
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        const Call call(node, operandsOf(graph, node), opsets(node.domain));
        const auto description = describe(call);
        QVERIFY2(description, description ? "" : description.error().text().c_str());
        const auto times = timesRoofline(*description, call, device);
        calls += times.has_value();
        QVERIFY2(!times || *times <= mostTimes,
                 qPrintable(QString::fromStdString(node.label() + " takes so many times: ") +
                            QString::number(times.value_or(0))));
    }
    QVERIFY(calls > 10);
}

/// BERT's: 32 x 512 of 30522 words.
void RooflineTest::aLookupsGradientCostsWhatItTouches()
{
    Operator entry = *findOperator("", "Gather", newestOpset);
    entry.example = "[30522,768] int64[32,512]";
    const auto example = ExampleCall::of(entry);
    QVERIFY(example);
    const auto description = describe(example->call());
    const auto gradient = adjoint(example->call(), *description, 0, {true});
    QVERIFY(gradient);
    const KernelWork work = CallWork(*gradient, GradientCall(*example, *description).call()).work();
    constexpr double words = 30522, tokens = 32 * 512, width = 768;
    QCOMPARE(work.flops, tokens * width);
    // Zeros for all words; each token's gradient and index are read, its row is read and written.
    QCOMPARE(work.bytes,
             4 * words * width + 4 * tokens * width + 8 * tokens + 2 * 4 * tokens * width);
    QVERIFY(kernelSeconds(*findDevice("rtx-3090"), work) < 0.3e-3);
}

GRAPHLOOM_TESTS(RooflineTest)

} // namespace graphloom::test::roofline_test

#include "roofline_test.moc"

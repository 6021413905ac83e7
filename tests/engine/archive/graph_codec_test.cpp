// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/graph_codec.h"

#include "engine/onnx/import.h"
#include "tests/support/kept_plans.h"
#include "tests/support/nested_model.h"
#include "tests/support/random_edits.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::graph_codec_test {

using graphloom::test::KeptPlans;

namespace {

Plan planOf(const Graph &graph)
{
    Plan plan;
    plan.model = graphloom::test::modelOf(Graph());
    plan.original = graph;
    plan.graph = graph;
    return plan;
}

/// Empty when both have the same nodes, tensors and lists under the same ids.
QString differences(const Graph &a, const Graph &b)
{
    if (a.nodeBound() != b.nodeBound() || a.tensorBound() != b.tensorBound())
        return QStringLiteral("other bounds");
    if (!std::ranges::equal(a.order(), b.order()))
        return QStringLiteral("another order");
    if (!std::ranges::equal(a.inputs(), b.inputs()) ||
        !std::ranges::equal(a.outputs(), b.outputs()) ||
        !std::ranges::equal(a.captured(), b.captured()))
        return QStringLiteral("other inputs or outputs");
    if (a.hash() != b.hash())
        return QStringLiteral("another hash");
    for (const NodeId id : a.order())
        if (a.node(id).label() != b.node(id).label() || a.node(id).inputs != b.node(id).inputs ||
            a.node(id).outputs != b.node(id).outputs ||
            a.node(id).attributes.hash() != b.node(id).attributes.hash() ||
            a.node(id).captures != b.node(id).captures ||
            a.node(id).metadata != b.node(id).metadata)
            return QStringLiteral("another node %1").arg(id.index);
    for (std::uint32_t i = 0; i < a.tensorBound(); ++i) {
        const TensorId id{i};
        if (a.contains(id) != b.contains(id))
            return QStringLiteral("tensor %1 is in one only").arg(i);
        if (!a.contains(id))
            continue;
        const Tensor &x = a.tensor(id), &y = b.tensor(id);
        if (x.name != y.name || x.type != y.type || x.shape != y.shape ||
            x.otherType != y.otherType || !x.values != !y.values ||
            (x.values && *x.values != *y.values) || !x.constant != !y.constant ||
            (x.constant && !(*x.constant == *y.constant)))
            return QStringLiteral("another tensor %1").arg(i);
    }
    return {};
}

} // namespace

class GraphCodecTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatEditsMakeComesBack()
    {
        for (unsigned seed = 0; seed < 60; ++seed) {
            Random random(seed);
            std::vector<Graph> graphs{randomGraph(random, {.nodes = 20})};
            KeptPlans kept;
            std::vector<std::uint64_t> numbers{kept.store.put(planOf(graphs.back()))};
            for (int batch = 0; batch < 6; ++batch) {
                RandomEdits edits(graphs.back(), random);
                for (int i = 0; i < 4; ++i)
                    edits.edit();
                if (auto edited = edits.finish()) {
                    graphs.push_back(*std::move(edited));
                    numbers.push_back(kept.store.put(planOf(graphs.back())));
                }
            }
            for (std::size_t i = 0; i < graphs.size(); ++i) {
                const auto read = graphloom::test::readAgain(kept, numbers[i]);
                QVERIFY2(read, read ? "" : read.error().text().c_str());
                const QString odd = differences(graphs[i], read->graph);
                QVERIFY2(
                    odd.isEmpty(),
                    qPrintable(QStringLiteral("seed %1, graph %2: %3").arg(seed).arg(i).arg(odd)));
            }
        }
    }

    void nestedGraphsComeBack()
    {
        const auto model = modelFromNested();
        KeptPlans kept;
        const auto number = kept.store.put(planOf(model.graph));
        const auto read = graphloom::test::readAgain(kept, number);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(differences(model.graph, read->graph), QString());
    }

    void keepsOnlyWhatChanged()
    {
        const Graph graph = graphloom::test::transformer(2000);
        KeptPlans kept;
        kept.store.put(planOf(graph));
        const std::size_t before = kept.objects.size();
        Node renamed = graph.node(graph.order()[7]);
        renamed.name = "another";
        const auto changed = graph.with(graph.order()[7], renamed);
        QVERIFY(changed);
        kept.store.put(planOf(*changed));
        std::size_t bytes = 0;
        for (auto it = std::next(kept.objects.begin(), std::ptrdiff_t(before));
             it != kept.objects.end(); ++it)
            bytes += it->second.size();
        QVERIFY2(bytes < 400, std::to_string(bytes).c_str());
    }

    void equalGraphsAreOne()
    {
        const Graph graph = graphloom::test::transformer(40);
        KeptPlans kept;
        kept.store.put(planOf(graph));
        const auto first = kept.objects.size();
        kept.store.put(planOf(graph));
        QCOMPARE(kept.objects.size(), first + 2); // the plan, and its model
    }

    void whatIsReadSharesWhatItShared()
    {
        const Graph graph = graphloom::test::transformer(400);
        Node renamed = graph.node(graph.order()[7]);
        renamed.name = "another";
        Plan plan = planOf(graph);
        plan.graph = *graph.with(graph.order()[7], renamed);
        KeptPlans kept;
        const auto read = graphloom::test::readAgain(kept, kept.store.put(plan));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(changesBetween(read->original, read->graph), std::optional<std::size_t>(1));
    }
    void changesAreCountedUpToALimit()
    {
        test::Sketch g;
        const TensorId x = g.input("x", {4});
        const Graph base = g.finish({g.call("Abs", {g.call("Relu", {x})})});
        GraphEditor editor(base);
        const TensorId inner = base.node(base.order()[1]).inputs[0];
        Tensor tensor = base.tensor(inner);
        tensor.name = "y";
        const TensorId y = editor.addTensor(std::move(tensor));
        Node neg;
        neg.op = "Neg";
        neg.inputs = {inner};
        neg.outputs = {y};
        editor.addNode(std::move(neg)); // a node and a tensor that came
        Node abs = base.node(base.order()[1]);
        abs.inputs = {y};
        editor.replaceNode(base.order()[1], std::move(abs)); // another one
        const auto graph = std::move(editor).finish();
        QVERIFY(graph.has_value());
        // They are counted with the other bounds and order.
        QCOMPARE(changesBetween(base, *graph), std::optional<std::size_t>(4));
        QCOMPARE(changesBetween(base, *graph, 4), std::optional<std::size_t>(4));
        for (std::size_t most = 0; most < 4; ++most)
            QCOMPARE(changesBetween(base, *graph, most), std::nullopt);
        QCOMPARE(changesBetween(base, base, 0), std::optional<std::size_t>(0));
        QCOMPARE(changesBetween(*graph, base), std::nullopt); // ids come back
    }

private:
    static Model modelFromNested()
    {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "nested.onnx";
        graphloom::test::writeNestedModel(path);
        auto model = importOnnx(path);
        if (!model)
            qFatal("%s", model.error().text().c_str());
        return *std::move(model);
    }
};

GRAPHLOOM_TESTS(GraphCodecTest)

} // namespace graphloom::test::graph_codec_test

#include "graph_codec_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/module_tree.h"

#include "tests/support/app/module_graphs.h"
#include "tests/support/test_program.h"

namespace graphloom::test::module_tree_test {

namespace {

/// A fission of the F-Tree made by hand.
MemoryPlan::Fission regionOf(std::string dimension, int parent, int number, std::int64_t most,
                             std::vector<std::string> names)
{
    MemoryPlan::Fission region;
    region.dimension = std::move(dimension);
    region.first = names.front();
    region.last = names.back();
    region.nodes = names.size();
    region.parent = parent;
    region.number = number;
    region.most = most;
    region.names = std::move(names);
    return region;
}

} // namespace

class ModuleTreeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesTellOfModules_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("modules");
        QTest::addColumn<bool>("known");
        const auto row = [](const char *name, const char *modules, bool known = true) {
            QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(modules)
                                << known;
        };
        row("/layer1/layer1.0/conv1/Conv", "layer1|layer1.0|conv1");
        row("/Conv", "");
        row("model.encoder.layer.3.attention.self.query", "model|encoder|layer.3|attention|self");
        row("resnet/block_1/conv/Conv2D", "resnet|block_1|conv");
        row("onnx::MatMul_1606", "", false);
        row("onnx::Conv/layer1/Conv", "layer1");
        row("Conv_12", "", false);
        row("", "", false);
        row("input.4", "", false);
        row("1.5", "", false);
        row("a..b", "", false);
        row("/h.0/attn/Add.gradient.1", "gradient|h.0|attn");
        row("/h.0/attn/Add.gradient.sum", "gradient|h.0|attn");
        row("x.gradient.0", "gradient");
        row("layer1.0.conv1.weight.update", "optimizer|layer1.0|conv1");
        row("/h.0/attn/MatMul.part2of4", "h.0|attn");
        row("/h.0/attn/MatMul.gradient.0.part1of2.part2of2.again", "gradient|h.0|attn");
    }

    void namesTellOfModules()
    {
        QFETCH(QString, name);
        QFETCH(QString, modules);
        QFETCH(bool, known);
        bool tells = !known;
        QCOMPARE(modulesOf(name.toStdString(), &tells).join('|'), modules);
        QCOMPARE(tells, known);
    }

    void flatNamesGiveNoModules()
    {
        const GroupTree tree = moduleTreeOf(test::named({"Relu_0", "Relu_1", ""}));
        QVERIFY(tree.keys.empty());
        QVERIFY(!test::snapshotOfGraph(test::named({"Relu_0", "Relu_1", ""}))->modules);
    }

    void aNodeWithoutANameIsWhereItsNeighboursAre()
    {
        const Graph graph = test::named({"/a/b/Relu", "", "/a/c/Relu"});
        const GroupTree tree = moduleTreeOf(graph);
        const std::uint32_t key = tree.keyOf[graph.order()[1].index];
        QVERIFY(key != GroupForest::none);
        QCOMPARE(tree.keys[key].title, QStringLiteral("a"));
    }

    void aWeightTellsOfANodeWithoutAName()
    {
        test::GraphMaker maker;
        const TensorId x = maker.input("x", {1, 8});
        const TensorId weight = maker.constant("layer1.0.conv1.weight", test::splat(1, {1, 8}));
        maker.call("Mul", {x, weight}, {1, 8});
        Node node = maker.editor.graph().node(maker.nodes[0]);
        node.name = "Mul_0";
        maker.editor.replaceNode(maker.nodes[0], node);
        const Graph graph = maker.finish({node.outputs[0]});
        const GroupTree tree = moduleTreeOf(graph);
        QCOMPARE(tree.keys[tree.keyOf[graph.order()[0].index]].title, QStringLiteral("conv1"));
    }

    void aRegionHoldsItsNodesAndTheirParts()
    {
        MemoryPlan plan;
        plan.fissions.push_back(regionOf("dimension 0 of x", -1, 2, 8, {"a", "b", "c", "d"}));
        plan.fissions.push_back(regionOf("dimension 1 of x", 0, 1, 4, {"b", "c"}));
        const Graph graph =
            test::named({"a.part1of2", "b.part1of2", "c.part1of2", "d.part1of2", "e"});
        const FissionTree tree = fissionTreeOf(graph, plan);
        QCOMPARE(tree.fissions, std::vector<std::uint32_t>({0, 1}));
        QCOMPARE(tree.tree.keys[1].parent, 0u);
        QCOMPARE(tree.tree.keyOf[graph.order()[0].index], 0u);
        QCOMPARE(tree.tree.keyOf[graph.order()[1].index], 1u);
        QCOMPARE(tree.tree.keyOf[graph.order()[4].index], GroupForest::none);
        QCOMPARE(tree.tree.keys[0].title, QStringLiteral("2 parts"));
        QCOMPARE(tree.tree.keys[1].title, QStringLiteral("candidate, up to 4 parts"));
    }

    void ofRegionsThatOverlapTheOneCarriedOutIsDrawn()
    {
        MemoryPlan plan;
        plan.fissions.push_back(regionOf("x", -1, 1, 8, {"a", "b", "c"}));
        plan.fissions.push_back(regionOf("x", -1, 4, 8, {"c", "d"}));
        const FissionTree tree = fissionTreeOf(test::named({"a", "b", "c", "d"}), plan);
        QCOMPARE(tree.fissions, std::vector<std::uint32_t>({1}));
        QCOMPARE(tree.omitted, std::size_t(1));
    }
};

GRAPHLOOM_TESTS(ModuleTreeTest)

} // namespace graphloom::test::module_tree_test

#include "module_tree_test.moc"

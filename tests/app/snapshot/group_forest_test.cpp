// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/group_forest.h"

#include "app/drawing/visible_graph.h"
#include "app/layout/ranking.h"
#include "tests/support/app/module_graphs.h"
#include "tests/support/test_program.h"

namespace graphloom::test::group_forest_test {

namespace {

QStringList titlesOf(const GroupForest &forest)
{
    QStringList titles;
    for (std::uint32_t g = 0; g < forest.groups.size(); ++g)
        titles << forest.titleOf(g);
    return titles;
}

bool isAcyclic(const VisibleGraph &graph)
{
    std::vector<layout::Edge> edges;
    for (const auto &edge : graph.edges)
        edges.push_back({edge.source, edge.target});
    std::vector<bool> turned;
    layout::withoutCycles(graph.nodes.size(), edges, &turned);
    return std::ranges::none_of(turned, [](bool turn) { return turn; });
}

} // namespace

class GroupForestTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void modulesAreNested()
    {
        const auto snapshot =
            test::snapshotOfGraph(test::named({"/a/b/x", "/a/b/y", "/a/z", "/c/x", "/c/y"}));
        const GroupForest &forest = *snapshot->modules;
        QCOMPARE(titlesOf(forest), QStringList({"a", "b", "c"}));
        QCOMPARE(forest.groups[1].parent, 0u);
        QCOMPARE(forest.groups[1].name, QStringLiteral("a/b"));
        QCOMPARE(forest.groups[0].nodes.size(), std::size_t(3));
        QCOMPARE(forest.groups[0].facts.operators, QStringLiteral("Relu ×3"));
        QCOMPARE(forest.depth, 2u);
    }

    void aModuleOfOneNodeIsNoGroup()
    {
        const auto snapshot = test::snapshotOfGraph(test::named({"/a/b/x", "/a/c/y", "/d/x"}));
        QCOMPARE(titlesOf(*snapshot->modules), QStringList({"a"}));
    }

    void modulesWithAllInOneOtherAreJoined()
    {
        const auto snapshot =
            test::snapshotOfGraph(test::named({"/a/a.0/x", "/a/a.0/y", "/b/c/x", "/b/c/y"}));
        QCOMPARE(titlesOf(*snapshot->modules), QStringList({"a.0", "b/c"}));
    }

    void aModuleWithAnotherInBetweenIsCut()
    {
        const auto snapshot =
            test::snapshotOfGraph(test::named({"/a/x", "/a/y", "/b/x", "/b/y", "/a/z", "/a/w"}));
        const GroupForest &forest = *snapshot->modules;
        QCOMPARE(titlesOf(forest), QStringList({"a (1 of 2)", "b", "a (2 of 2)"}));
        QVERIFY(forest.groups[0].name != forest.groups[2].name);
        QCOMPARE(forest.find(forest.groups[2].name), 2u);
    }

    void aModuleThatBranchesIsNotCut()
    {
        // What is in b reads nothing of a's later nodes.
        const auto snapshot =
            test::snapshotOfGraph(test::named({"/a/x", "/a/y", "/a/z", "/b/x", "/b/y"}, {{0, 3}}));
        QCOMPARE(titlesOf(*snapshot->modules), QStringList({"a", "b"}));
    }

    /// Whatever is collapsed, at whatever level: no cycle, no node lost, none in two groups.
    void collapsingLeavesRandomGraphsAcyclic()
    {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const auto snapshot =
                test::snapshotOfGraph(test::randomModules(20 + 3 * std::uint32_t(seed), seed));
            if (!snapshot->modules)
                continue;
            const GroupForest &forest = *snapshot->modules;
            for (std::uint32_t g = 0; g < forest.groups.size(); ++g) {
                const auto &group = forest.groups[g];
                QVERIFY(group.nodes.size() > 1);
                QVERIFY(group.parent == GroupForest::none || group.parent < g);
                QCOMPARE(forest.find(group.name), g);
            }
            std::mt19937_64 random(seed);
            for (int round = 0; round < 6; ++round) {
                ViewOptions options;
                options.grouping = Grouping::Modules;
                for (std::uint32_t g = 0; g < forest.groups.size(); ++g)
                    if (random() % 3 == 0)
                        options.collapsed.insert(Item::module(g));
                const VisibleGraph graph = visibleGraphOf(*snapshot, options);
                QVERIFY2(isAcyclic(graph), qPrintable(QString::number(seed)));
                for (const NodeId id : snapshot->graph().order())
                    QVERIFY(graph.nodeOf(Item::of(id)) != VisibleGraph::none);
            }
        }
    }

    void theSameGraphGivesTheSameForest()
    {
        const auto one = test::snapshotOfGraph(test::randomModules(200, 7)),
                   two = test::snapshotOfGraph(test::randomModules(200, 7));
        QCOMPARE(titlesOf(*one->modules), titlesOf(*two->modules));
        QCOMPARE(one->modules->groupOf, two->modules->groupOf);
    }

    void modelsOfFrameworksHaveTheirModules_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("module");
        QTest::newRow("mobilenet") << "mobilenet_v2_224.onnx"
                                   << "features/features.4";
        QTest::newRow("shufflenet") << "shufflenet_v2_x1_0_224.onnx"
                                    << "stage2/stage2.1";
        QTest::newRow("mobilevit") << "mobilevit_s_256.onnx"
                                   << "stages/stages.1";
        QTest::newRow("bert") << "bert_tiny.onnx"
                              << "encoder/layer.0/attention";
    }

    void modelsOfFrameworksHaveTheirModules()
    {
        QFETCH(QString, model);
        QFETCH(QString, module);
        const auto snapshot = test::snapshotOfSample(model.toStdString());
        QVERIFY(snapshot->modules);
        QStringList names;
        for (const auto &group : snapshot->modules->groups) {
            names << group.name;
            QCOMPARE(group.pieces, 1u);
        }
        QVERIFY2(std::ranges::any_of(names,
                                     [&](const QString &name) { return name.startsWith(module); }),
                 qPrintable(names.join(' ')));
    }
};

GRAPHLOOM_TESTS(GroupForestTest)

} // namespace graphloom::test::group_forest_test

#include "group_forest_test.moc"

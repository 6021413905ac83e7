// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_edits.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>

namespace graphloom::test::graph_hash_test {

class GraphHashTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hashIgnoresIdsNamesAndConstruction();
    void hashTellsDifferencesApart();
    void hashTellsRematerializationApart();
    void incrementalHashEqualsRebuilt();
};

void GraphHashTest::hashIgnoresIdsNamesAndConstruction()
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        const Graph other = rebuilt(graph, random);
        QVERIFY2(defectOf(graph).empty(), qPrintable(QString("seed %1").arg(seed)));
        QVERIFY2(defectOf(other).empty(), qPrintable(QString("seed %1").arg(seed)));
        QVERIFY2(graph.hash() == other.hash(), qPrintable(QString("seed %1").arg(seed)));
    }
}

void GraphHashTest::hashTellsDifferencesApart()
{
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        QVERIFY2(seen.insert(graph.hash()).second, qPrintable(QString("seed %1").arg(seed)));
        for (int i = 0; i < 5; ++i) { // one changed attribute somewhere
            const NodeId id = graph.order()[below(random, graph.nodeCount())];
            Node node = graph.node(id);
            node.attributes = node.attributes.with("axis", std::int64_t(100 + i));
            const auto changed = graph.with(id, std::move(node));
            QVERIFY(changed);
            QVERIFY2(seen.insert(changed->hash()).second, qPrintable(QString("seed %1").arg(seed)));
        }
    }
    // Small differences, each a pair that a weaker hash confuses.
    const auto build = [](auto fill) {
        GraphEditor editor;
        const TensorId x = editor.addTensor(named("x")), y = editor.addTensor(named("y"));
        const TensorId z = editor.addTensor(named("z")), o = editor.addTensor(named("o"));
        editor.setInputs({x, y});
        editor.setOutputs({o});
        fill(editor, x, y, z, o);
        return std::move(editor).finish()->hash();
    };
    const std::vector<std::uint64_t> hashes = {
        build([](auto &e, auto x, auto y, auto, auto o) {
            e.addNode(nodeOf("Sub", {x, y}, {o}));
        }),
        build([](auto &e, auto x, auto y, auto, auto o) {
            e.addNode(nodeOf("Sub", {y, x}, {o}));
        }),
        build([](auto &e, auto x, auto, auto, auto o) {
            e.addNode(nodeOf("Sub", {x, x}, {o}));
        }),
        build([](auto &e, auto x, auto, auto, auto o) { e.addNode(nodeOf("Sub", {x}, {o})); }),
        build([](auto &e, auto x, auto, auto, auto o) {
            e.addNode(nodeOf("Sub", {x, TensorId{}}, {o}));
        }),
        build([](auto &e, auto x, auto, auto, auto o) {
            e.addNode(nodeOf("Sub", {TensorId{}, x}, {o}));
        }),
        build([](auto &e, auto x, auto, auto z, auto o) { // which of two outputs is the result
            e.addNode(nodeOf("Sub", {x}, {z, o}));
        }),
        build([](auto &e, auto x, auto, auto z, auto o) {
            e.addNode(nodeOf("Sub", {x}, {o, z}));
        }),
    };
    QCOMPARE(std::set(hashes.begin(), hashes.end()).size(), hashes.size());
}

void GraphHashTest::hashTellsRematerializationApart()
{
    // P is computed once or twice; R and S read either copy.
    const auto build = [](bool twice, bool crossed) {
        GraphEditor editor;
        const TensorId x = editor.addTensor(named("x"));
        const TensorId p = editor.addTensor(named("p")), q = editor.addTensor(named("q"));
        editor.setInputs({x});
        editor.addNode(nodeOf("P", {x}, {p}));
        if (twice)
            editor.addNode(nodeOf("P", {x}, {q}));
        const TensorId other = twice ? q : p;
        std::vector<TensorId> outputs;
        int i = 0;
        // The readers are R, R, S, S: which two share a copy is all that differs.
        for (const char *op : {"R", "R", "S", "S"}) {
            const TensorId o = editor.addTensor(named("o"));
            Node node = nodeOf(op, {crossed ? (i % 2 ? other : p) : (i / 2 ? other : p)}, {o});
            editor.addNode(std::move(node));
            outputs.push_back(o);
            ++i;
        }
        editor.setOutputs(outputs);
        return std::move(editor).finish()->hash();
    };
    const std::set<std::uint64_t> hashes = {build(false, false), build(true, false),
                                            build(true, true)};
    QCOMPARE(hashes.size(), std::size_t(3));
    QCOMPARE(build(false, false), build(false, true));
}

void GraphHashTest::incrementalHashEqualsRebuilt()
{
    std::size_t edits = 0, removed = 0;
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
        Random random(seed);
        RandomGraphOptions options;
        options.nodes = 1 + std::uint32_t(below(random, 80));
        Graph graph = randomGraph(random, options);
        for (int batch = 0; batch < 8; ++batch) {
            RandomEdits changes(graph, random);
            for (std::uint64_t count = 1 + below(random, 6); count > 0; --count, ++edits)
                changes.edit();
            auto edited = changes.finish();
            const auto place = QString("seed %1, batch %2: ").arg(seed).arg(batch);
            QVERIFY2(edited, qPrintable(place + (edited ? "" : edited.error().text().c_str())));
            const std::string defect = defectOf(*edited);
            QVERIFY2(defect.empty(), qPrintable(place + defect.c_str()));
            QVERIFY2(edited->hash() == rebuilt(*edited, random).hash(), qPrintable(place));
            removed += changes.removed;
            graph = *std::move(edited);
        }
    }
    QVERIFY(edits > 5000);
    QVERIFY(removed > 100);
}

GRAPHLOOM_TESTS(GraphHashTest)

} // namespace graphloom::test::graph_hash_test

#include "graph_hash_test.moc"

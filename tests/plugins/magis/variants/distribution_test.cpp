// SPDX-License-Identifier: Apache-2.0
// Calls on concatenations become calls on what was concatenated, with equal results.
#include "plugins/magis/variants/distribution.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_parts.h"
#include "tests/support/magis_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::distribution_test {

using test::networkOpsets;

namespace {

/// Three inputs concatenated along the channels, and what reads it.
Graph concatenation(const std::function<TensorId(test::Sketch &, TensorId)> &reader,
                    bool alsoOutput = false)
{
    test::Sketch s;
    std::vector<TensorId> pieces;
    for (const std::int64_t channels : {2, 3, 1})
        pieces.push_back(
            s.call("Tanh", {s.input("x" + std::to_string(channels), {2, channels, 5, 5})}));
    const TensorId whole = s.call("Concat", pieces, {test::integer("axis", 1)});
    std::vector<TensorId> outputs{reader(s, whole)};
    if (alsoOutput)
        outputs.push_back(whole);
    return s.finish(outputs);
}

Graph withTwoConvolutions()
{
    return concatenation([](test::Sketch &s, TensorId x) {
        return s.call("Add", {test::convolution(s, x, 6, 4), test::convolution(s, x, 6, 4, 1)});
    });
}

} // namespace

class DistributionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computesTheSame_data();
    void computesTheSame();
    void everyReaderIsTakenApart();
    void theFirstPieceAddsTheBias();
    void whatReadsAllChannelsKeepsIt();
    void anOutputStays();
    void gradientsOfPiecesAreComputedAlone();
};

void DistributionTest::computesTheSame_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"two convolutions", "u-net", "u-net, trained",
                             "u-net, trained with batch statistics", "attention"})
        QTest::newRow(name) << QString(name);
}

void DistributionTest::computesTheSame()
{
    QFETCH(QString, name);
    const Graph graph = name == "two convolutions" ? withTwoConvolutions()
                        : name == "u-net"          ? test::unet()
                        : name == "u-net, trained" ? test::trainingOf(test::unet())
                        : name == "attention"
                            ? test::attentionBlock()
                            : test::trainingOf(test::unet(), TrainingOptions::BatchNorm::Batch);
    const auto apart = magis::distributed(graph, networkOpsets());
    QVERIFY2(apart.has_value(), apart ? "" : apart.error().text().c_str());
    const auto inputs = randomInputs(graph, 5);
    QVERIFY(inputs.has_value());
    const auto expected = interpret(graph, networkOpsets(), *inputs);
    const auto given = interpret(apart->graph, networkOpsets(), *inputs);
    QVERIFY(expected.has_value());
    QVERIFY2(given.has_value(), given ? "" : given.error().text().c_str());
    QCOMPARE(given->size(), expected->size());
    for (std::size_t o = 0; o < expected->size(); ++o) {
        QVERIFY2(compare((*expected)[o], (*given)[o]).maxRelError < 1e-4,
                 compare((*expected)[o], (*given)[o]).worst.c_str());
        QCOMPARE(apart->graph.tensor(apart->graph.outputs()[o]).name,
                 graph.tensor(graph.outputs()[o]).name);
    }
}

void DistributionTest::everyReaderIsTakenApart()
{
    const auto apart = magis::distributed(withTwoConvolutions(), networkOpsets());
    QVERIFY(apart.has_value());
    QCOMPARE(apart->concatenations.size(), std::size_t(1));
    QCOMPARE(test::countOf(apart->graph, "Concat"), 0);
    QCOMPARE(test::countOf(apart->graph, "Conv"), 6);
}

void DistributionTest::theFirstPieceAddsTheBias()
{
    const auto apart = magis::distributed(withTwoConvolutions(), networkOpsets());
    QVERIFY(apart.has_value());
    const int biased = int(std::ranges::count_if(apart->graph.order(), [&](NodeId id) {
        const Node &node = apart->graph.node(id);
        return node.op == "Conv" && node.inputs.size() == 3;
    }));
    QCOMPARE(biased, 2);
}

void DistributionTest::whatReadsAllChannelsKeepsIt()
{
    const Graph graph = concatenation([](test::Sketch &s, TensorId x) {
        return s.call("Add", {s.call("Softmax", {x}, {test::integer("axis", 1)}),
                              test::convolution(s, x, 6, 6)});
    });
    const auto apart = magis::distributed(graph, networkOpsets());
    QVERIFY(apart.has_value());
    QVERIFY(apart->concatenations.empty());
    QCOMPARE(test::countOf(apart->graph, "Concat"), 1);
}

void DistributionTest::anOutputStays()
{
    const Graph graph = concatenation(
        [](test::Sketch &s, TensorId x) { return test::convolution(s, x, 6, 4); }, true);
    const auto apart = magis::distributed(graph, networkOpsets());
    QVERIFY(apart.has_value());
    QVERIFY(apart->concatenations.empty());
    QCOMPARE(test::countOf(apart->graph, "Conv"), 1);
}

/// The gradient of the concatenation has the channels of all pieces; none of them is computed.
void DistributionTest::gradientsOfPiecesAreComputedAlone()
{
    const Graph graph = test::trainingOf(test::unet());
    const auto apart = magis::distributed(graph, networkOpsets());
    QVERIFY(apart.has_value());
    QVERIFY(test::countOf(graph, "Concat") > 0);
    for (const NodeId id : apart->graph.order())
        QVERIFY(apart->graph.node(id).qualifiedOp() != "graphloom.gradient.Concat");
}

GRAPHLOOM_TESTS(DistributionTest)

} // namespace graphloom::test::distribution_test

#include "distribution_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/intensive_fusion.h"

#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::intensive_fusion_test {

namespace {

/// Of the first input of the last call.
IntensiveFusion fusionOf(const Sketch &sketch, const Graph &graph)
{
    const auto ecg = Ecg::of(graph, sketchOpset);
    if (!ecg)
        qFatal("%s", ecg.error().text().c_str());
    const EcgNode &reader = ecg->node(sketch.nodes().back());
    return intensiveFusionOf(reader, reader.reads.front());
}

using Names = std::vector<std::string>;

} // namespace

class IntensiveFusionTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPointwiseConvolutionReusesChannels();
    void aDepthwiseConvolutionReusesRowsAndColumns();
    void anyOtherConvolutionReusesAll();
    void whatEveryElementNeedsCannotBeTiled();
    void imagesOfABatchAreTiles();
    void windowsThatDoNotOverlapReuseChannelsOnly();
    void aMatrixProductReusesColumns();
};

void IntensiveFusionTest::aPointwiseConvolutionReusesChannels()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 8, 10, 12});
    const auto fusion = fusionOf(g, g.finish({g.call("Conv", {x, g.weight({16, 8, 1, 1})})}));
    QVERIFY(fusion.isPossible());
    QCOMPARE(fusion.tiled, (Names{"h", "w"}));
    QCOMPARE(fusion.reused, (Names{"o"}));
    QCOMPARE(fusion.text(), std::string("tiles of h, w, and o whole"));
}

void IntensiveFusionTest::aDepthwiseConvolutionReusesRowsAndColumns()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 8, 10, 12});
    const auto fusion =
        fusionOf(g, g.finish({g.call("Conv", {x, g.weight({8, 1, 3, 3})},
                                     {ints("pads", {1, 1, 1, 1}), integer("group", 8)})}));
    QVERIFY(fusion.isPossible());
    QCOMPARE(fusion.tiled, (Names{"g"}));
    QCOMPARE(fusion.reused, (Names{"h", "w"}));
}

void IntensiveFusionTest::anyOtherConvolutionReusesAll()
{
    Sketch g;
    const auto fusion = fusionOf(g, g.finish({g.conv(g.input("x", {1, 8, 10, 12}), 8, 16)}));
    QVERIFY(fusion.tiled.empty());
    QCOMPARE(fusion.reused, (Names{"o", "h", "w"}));
    QCOMPARE(fusion.windows, (Names{"h", "w"}));
    QCOMPARE(fusion.text(), std::string("rows of h, each computed once and kept for the windows "
                                        "that read it"));
}

void IntensiveFusionTest::whatEveryElementNeedsCannotBeTiled()
{
    Sketch g;
    const auto fusion =
        fusionOf(g, g.finish({g.call("MatMul", {g.input("x", {1, 8}), g.weight({8, 16})})}));
    QVERIFY(!fusion.isPossible());
    QVERIFY(fusion.text().find("(n)") != std::string::npos);
}

void IntensiveFusionTest::imagesOfABatchAreTiles()
{
    Sketch g;
    const auto fusion = fusionOf(g, g.finish({g.conv(g.input("x", {4, 8, 10, 12}), 8, 16)}));
    QVERIFY(fusion.isPossible());
    QCOMPARE(fusion.tiled, (Names{"n"}));
}

void IntensiveFusionTest::windowsThatDoNotOverlapReuseChannelsOnly()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 8, 12, 12});
    const auto fusion = fusionOf(
        g, g.finish({g.call("Conv", {x, g.weight({16, 8, 2, 2})}, {ints("strides", {2, 2})})}));
    QCOMPARE(fusion.tiled, (Names{"h", "w"}));
    QCOMPARE(fusion.reused, (Names{"o"}));
}

void IntensiveFusionTest::aMatrixProductReusesColumns()
{
    Sketch g;
    const auto fusion =
        fusionOf(g, g.finish({g.call("MatMul", {g.input("x", {10, 8}), g.weight({8, 16})})}));
    QCOMPARE(fusion.tiled, (Names{"m"}));
    QCOMPARE(fusion.reused, (Names{"n"}));
}

GRAPHLOOM_TESTS(IntensiveFusionTest)

} // namespace graphloom::test::intensive_fusion_test

#include "intensive_fusion_test.moc"

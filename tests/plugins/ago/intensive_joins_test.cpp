// SPDX-License-Identifier: Apache-2.0
// Poolings that slide over the result of a convolution.
#include "plugins/ago/intensive_joins.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::intensive_joins_test {

namespace {

/// Holds the blocks after intensive fusion of two: a convolution with strides, and a pooling of its
/// result by windows of so many rows at a distance of 2.
struct Joined {
    std::unique_ptr<const FusionFacts> facts;
    std::size_t count = 0; // of blocks
    KeptApart apart;

    Joined(std::int64_t rows, double cacheBytes)
    {
        Sketch g;
        const TensorId x = g.call("Conv", {g.input("x", {1, 3, 96, 96}), g.weight({32, 3, 3, 3})},
                                  {ints("strides", {2, 2})});
        const Graph graph = g.finish({g.call(
            "MaxPool", {x}, {ints("kernel_shape", {rows, rows}), ints("strides", {2, 2})})});
        BlockLimits limits;
        limits.contractions = BlockLimits::Contractions::Intensive;
        facts = *FusionFacts::of(graph, sketchOpset, limits, devices().front());
        BlockGraph blocks(facts->ecg().graph());
        Steps steps;
        auto made = ago::joinIntensively(facts->merger(), blocks, {}, cacheBytes, sketchOpset, steps);
        if (!made)
            qFatal("%s", made.error().text().c_str());
        apart = *std::move(made);
        count = blocks.count();
    }
};

} // namespace

class IntensiveJoinsTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void windowsThatOverlapJoinTheirConvolution();
    void windowsApartDoNot();
    void whatStaysInTheCacheDoesNot();
};

void IntensiveJoinsTest::windowsThatOverlapJoinTheirConvolution()
{
    QCOMPARE(Joined(3, 0).count, std::size_t(1));
}

void IntensiveJoinsTest::windowsApartDoNot()
{
    QCOMPARE(Joined(2, 0).count, std::size_t(2));
}

void IntensiveJoinsTest::whatStaysInTheCacheDoesNot()
{
    const Joined joined(3, 1 << 20);
    QCOMPARE(joined.count, std::size_t(2));
    QCOMPARE(joined.apart.size(), std::size_t(1));
    QVERIFY(joined.apart.begin()->second.reason.find("stay in a cache of 1024 KiB") !=
            std::string::npos);
}

GRAPHLOOM_TESTS(IntensiveJoinsTest)

} // namespace graphloom::test::intensive_joins_test

#include "intensive_joins_test.moc"

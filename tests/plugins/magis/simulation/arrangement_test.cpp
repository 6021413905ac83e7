// SPDX-License-Identifier: Apache-2.0
// What fissions make of steps, buffers and their seconds, by hand.
#include "plugins/magis/simulation/arrangement.h"

#include "tests/plugins/magis/simulation/simulated_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::arrangement_test {

using namespace graphloom::magis;
using test::Bytes;
using test::K;
using test::Mlp;
using test::Run;
using test::Sketch;
using test::turned;

class ArrangementTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partsOfAFissionShareMemory();
    void partsThatAreNoDivisorsCountAsTheLargest();
    void partsOfOneSizeAndARest();
    void sizesThatFillTheUnitsAreWorthTrying();
    void whatOtherPartsReadIsNotTakenOver();
    void sumsOfPartsHaveAnAccumulator();
    void arrangementMakesAFissionContiguous();
    void fissionsThatOverlapAreRefused();
    void manyFissionsCostWhatEachCostsAlone();
};

void ArrangementTest::partsOfAFissionShareMemory()
{
    const Mlp mlp;
    Run run(mlp.graph);
    QCOMPARE(run.bytes(), (Bytes{2 * K + 512, 2 * K + 512}));
    QVERIFY(run.split({mlp.hidden, mlp.y}, 0, 4));
    // x and y are whole, between them is a quarter; each step runs four times.
    QCOMPARE(run.bytes(), (Bytes{1536, 1536}));
    QCOMPARE(run.outcome.seconds, 8.0);
    QVERIFY(run.split({mlp.hidden, mlp.y}, 0, 8));
    QCOMPARE(run.bytes(), (Bytes{K + 256, K + 256}));
    QCOMPARE(run.outcome.seconds, 16.0);
    QVERIFY(!run.split({mlp.hidden, mlp.y}, 0, 9)); // more parts than elements
}

void ArrangementTest::partsThatAreNoDivisorsCountAsTheLargest()
{
    const Mlp mlp;
    Run run(mlp.graph);
    QVERIFY(run.split({mlp.hidden, mlp.y}, 0, 3)); // 3, 3 and 2 of 8
    QCOMPARE(run.bytes(), (Bytes{K + 768, K + 768}));
    QCOMPARE(run.outcome.seconds, 6.0);
}

void ArrangementTest::partsOfOneSizeAndARest()
{
    const Mlp mlp;
    Run run(mlp.graph);
    QVERIFY(run.split({mlp.hidden, mlp.y}, 0, 2, 5)); // 5 and 3 of 8
    QCOMPARE(run.bytes(), (Bytes{K + 5 * 256, K + 5 * 256}));
    QCOMPARE(run.outcome.seconds, 4.0);
    QVERIFY(!run.split({mlp.hidden, mlp.y}, 0, 2, 3)); // would leave 2
    QVERIFY(!run.split({mlp.hidden, mlp.y}, 0, 2, 8)); // nothing would be left
    for (int units = 1; units <= 40; ++units)
        for (int number = 1; number <= units; ++number)
            for (int size = 0; size <= units; ++size) {
                const Cutting cutting{number, size};
                if (!cutting.fits(units))
                    continue;
                std::int64_t largest = 0, least = units;
                for (const PartIndex part : cutting.parts()) {
                    const std::int64_t length =
                        cutting.begin(units, part + 1) - cutting.begin(units, part);
                    largest = std::max(largest, length);
                    least = std::min(least, length);
                }
                QCOMPARE(cutting.begin(units, PartIndex(0)), 0);
                QCOMPARE(cutting.begin(units, PartIndex(number)), std::int64_t(units));
                QCOMPARE(cutting.largest(units), largest);
                QCOMPARE(cutting.least(units), least);
                QVERIFY(least > 0);
            }
}

/// 32 tiles for each of 16 matrices: 4 of them are 128 tiles, for which 82 units take two turns, as
/// they do for the 160 of 5.
void ArrangementTest::sizesThatFillTheUnitsAreWorthTrying()
{
    Sketch s;
    const TensorId x = s.input("x", {16, 1024, 512});
    const TensorId first = s.call("MatMul", {x, s.weight({512, 512})});
    const TensorId last = s.call("MatMul", {first, s.weight({512, 512})});
    const Graph graph = s.finish({last});
    const auto memory = MemoryGraph::of(graph, test::sketchOpset, *findDevice("rtx-3090"));
    QVERIFY(memory.has_value());
    const SearchSpace space(*memory, {test::ownOrder(*memory)});
    auto fission = Fission::of(*memory, space.dimension(first, 0, false),
                               {graph.producer(first), graph.producer(last)});
    QVERIFY(fission.has_value());
    const FissionIndex added = space.fissions().add(*std::move(fission));
    const std::vector<Cutting> &cuttings = space.fissions().cuttings(added);
    QVERIFY(std::ranges::count(cuttings, Cutting{4, 5}) == 1);
    QVERIFY(std::ranges::count(cuttings, Cutting{4}) == 1);
    double before = 0;
    std::int64_t larger = 17;
    for (const Cutting &cutting : cuttings) {
        QVERIFY(cutting.largest(16) <= larger);
        larger = cutting.largest(16);
        if (cutting.number == 1)
            continue;
        const auto arrangement = space.arrange(firstOrder, {{added, cutting.number, cutting.size}});
        QVERIFY(arrangement != nullptr);
        const double seconds =
            arrangement->seconds(Position(0)) + arrangement->seconds(Position(1));
        if (cutting == Cutting{4, 5})
            before = seconds;
        else if (cutting == Cutting{4})
            QVERIFY(seconds > 1.1 * before && before > 0);
    }
}

/// A whole tensor goes with its last part, when the result has been there since the first one.
void ArrangementTest::whatOtherPartsReadIsNotTakenOver()
{
    Sketch s;
    const TensorId x = s.input("x", {8, 16});
    const TensorId before = s.call("Sigmoid", {turned(s, x)});
    const TensorId first = s.call("Sigmoid", {before}), last = s.call("Tanh", {first});
    Run run(s.finish({turned(s, last)}));
    const auto bytesAt = [&](const Bytes &bytes, TensorId tensor) {
        const NodeId producer = run.memory.graph().producer(tensor);
        const Position position = run.arrangement->position(run.memory.stepOf(producer));
        return bytes[std::size_t(position.number())];
    };
    QCOMPARE(bytesAt(run.bytes(), last), std::int64_t(512)); // each in place of the one before
    QVERIFY(run.split({first, last}, 0, 2));
    QCOMPARE(bytesAt(run.bytes(), last), std::int64_t(512 + 512 + 256));
}

void ArrangementTest::sumsOfPartsHaveAnAccumulator()
{
    // The gradient of a weight is a sum over the batch.
    Sketch s;
    const TensorId x = s.input("x", {8, 16});
    const TensorId hidden = s.call("MatMul", {x, s.weight({16, 64})});
    const TensorId turnedX = turned(s, x);
    const TensorId gradient = s.call("MatMul", {turnedX, hidden}); // 4 KiB
    Run run(s.finish({gradient}));
    QCOMPARE(run.bytes(), (Bytes{2 * K + 512, 3 * K, 6 * K + 512}));
    QVERIFY(run.split({hidden, turnedX, gradient}, 0, 4));
    // The sum is there from the first part on, which begins it; others are added to it.
    QCOMPARE(run.bytes(), (Bytes{5 * K, 5 * K + 128, 9 * K + 128}));
    QCOMPARE(run.outcome.seconds, 4.0 + 4 + 4 + 3); // and is added by a kernel of its own
}

void ArrangementTest::arrangementMakesAFissionContiguous()
{
    Sketch s;
    const TensorId x = s.input("x", {8, 16}), z = s.input("z", {16, 64});
    const TensorId hidden = s.call("MatMul", {x, s.weight({16, 64})});
    const TensorId apart = s.call("Sigmoid", {z}); // that nobody inside needs
    const TensorId needed = turned(s, z);          // that the last one needs
    const TensorId y = s.call("MatMul", {hidden, needed});
    Run run(s.finish({y, apart}));
    QVERIFY(run.split({hidden, y}, 0, 2));
    QCOMPARE(run.arrangement->order().elements(), test::stepsOf({2, 0, 3, 1}));
    QVERIFY(!run.arrangement->regions().empty());
    const Arrangement::Region &region = run.arrangement->regions().front();
    QCOMPARE(region.begin, Position(1));
    QCOMPARE(region.end, Position(2));
    QVERIFY(test::isValidOrder(run.memory, run.arrangement->order()));
}

void ArrangementTest::fissionsThatOverlapAreRefused()
{
    Sketch s;
    const TensorId a = s.call("Sigmoid", {s.input("x", {8, 16})});
    const TensorId b = s.call("Tanh", {a}), c = s.call("Sigmoid", {b}), d = s.call("Tanh", {c});
    const MemoryGraph memory = test::memoryOf(s.finish({d}));
    const SearchSpace space(memory, {test::ownOrder(memory)});
    const auto fissionOf = [&](int dim, const std::vector<TensorId> &tensors) {
        std::vector<NodeId> nodes;
        for (const TensorId tensor : tensors)
            nodes.push_back(memory.graph().producer(tensor));
        return space.fissions().add(*Fission::of(
            memory, std::make_shared<const GraphDimension>(dimensionThrough(memory, a, dim, false)),
            nodes));
    };
    const FissionIndex outer = fissionOf(0, {a, b, c, d}), first = fissionOf(0, {a, b, c}),
                       last = fissionOf(0, {b, c, d}), other = fissionOf(1, {b, c});
    QVERIFY(!space.arrange(firstOrder, {{first, 2}, {last, 2}}));
    const auto nested = space.arrange(firstOrder, {{outer, 2}, {first, 4}});
    QVERIFY(nested != nullptr);
    QCOMPARE(nested->regions().back().parent, RegionIndex(0));
    // A part of 4 elements has no 5 parts; along another dimension it has.
    QVERIFY(!space.arrange(firstOrder, {{outer, 2}, {first, 5}}));
    QVERIFY(space.arrange(firstOrder, {{outer, 2}, {other, 16}}));
    // Inside of 5 and 3 elements there are 3 parts of any, and no size that both could have.
    QVERIFY(space.arrange(firstOrder, {{outer, 2, 5}, {first, 3}}));
    QVERIFY(!space.arrange(firstOrder, {{outer, 2, 5}, {first, 4}}));
    QVERIFY(!space.arrange(firstOrder, {{outer, 2}, {first, 2, 3}}));
}

void ArrangementTest::manyFissionsCostWhatEachCostsAlone()
{
    // Enough blocks that differ, split along their first and last dimension, for what is known of
    // one not to be taken for another.
    Sketch s;
    constexpr int blocks = 68;
    std::vector<std::array<TensorId, 2>> pairs;
    std::vector<TensorId> outputs;
    for (int i = 0; i < blocks; ++i) {
        const TensorId x = s.input("x" + std::to_string(i), {8, 64, 64, 64 + 8 * i});
        const TensorId y = s.call("Sigmoid", {x});
        outputs.push_back(s.call("Mul", {y, y}));
        pairs.push_back({y, outputs.back()});
    }
    const MemoryGraph memory = test::memoryOf(s.finish(outputs));
    const SearchSpace space(memory, {test::ownOrder(memory)});
    std::vector<EnabledFission> all;
    for (int i = 0; i < blocks; ++i) {
        const auto &[y, square] = pairs[std::size_t(i)];
        const auto dimension =
            std::make_shared<const GraphDimension>(dimensionThrough(memory, y, i % 2 * 3, false));
        auto fission = Fission::of(memory, dimension,
                                   {memory.graph().producer(y), memory.graph().producer(square)});
        QVERIFY(fission.has_value());
        all.push_back({space.fissions().add(std::move(*fission)), 4});
    }
    const auto together = space.arrange(firstOrder, all);
    QVERIFY(together != nullptr);
    for (int i = 0; i < blocks; ++i) {
        const auto alone = space.arrange(firstOrder, {all[std::size_t(i)]});
        for (const StepIndex step : {StepIndex(2 * i), StepIndex(2 * i + 1)})
            QCOMPARE(together->seconds(together->position(step)),
                     alone->seconds(alone->position(step)));
    }
}

GRAPHLOOM_TESTS(ArrangementTest)

} // namespace graphloom::test::arrangement_test

#include "arrangement_test.moc"

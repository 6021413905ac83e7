// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory/live_tensors.h"

#include "tests/support/attribute.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::live_tensors_test {

/// Tensors of 16 x 16 floats: a KiB each.
class LiveTensorsTest : public QObject {
    Q_OBJECT

private:
    using Step = LiveTensors::StepIndex;
    using Life = LiveTensors::LifeIndex;

    static constexpr std::int64_t K = 1024;
    static TensorId turned(Sketch &s, TensorId x) // never in place
    {
        return s.call("Transpose", {x}, {ints("perm", {1, 0})});
    }
    static LiveTensors of(const Graph &graph, const Partition *blocks = nullptr)
    {
        auto live = liveTensorsOf(graph, sketchOpset, {.blocks = blocks});
        if (!live)
            qFatal("stopped");
        return *std::move(live);
    }
    static std::vector<std::int64_t> bytes(const LiveTensors &live)
    {
        std::vector<std::int64_t> bytes;
        for (const LiveTensors::Step &step : live.steps)
            bytes.push_back(step.bytes);
        return bytes;
    }
    static Partition blocksOf(const Graph &graph, const std::vector<std::size_t> &sizes)
    {
        Partition partition;
        std::size_t at = 0;
        for (const std::size_t size : sizes) {
            partition.subgraphs.emplace_back();
            for (std::size_t i = 0; i < size; ++i)
                partition.subgraphs.back().nodes.push_back(graph.order()[at++]);
        }
        partition.index(graph);
        return partition;
    }

private Q_SLOTS:
    void tensorsLiveToTheirLastReader()
    {
        Sketch s;
        const TensorId x = s.input("x", {16, 16});
        const TensorId a = turned(s, x), b = turned(s, a), c = turned(s, b);
        const Graph graph = s.finish({s.call("Concat", {c, a}, {integer("axis", 0)})});
        const LiveTensors live = of(graph);
        QCOMPARE(bytes(live), (std::vector<std::int64_t>{2 * K, 2 * K, 3 * K, 4 * K}));
        QCOMPARE(live.peakBytes, 4 * K);
        QCOMPARE(live.peakStep, Step(3));
        QCOMPARE(live.lives[Life(0)].tensor, x);
        QVERIFY(!live.lives[Life(0)].producer.valid());
        QCOMPARE(live.lives[Life(0)].last, Step(0));
        QCOMPARE(live.lives[Life(1)].tensor, a);
        QCOMPARE(live.lives[Life(1)].last, Step(3));
        QCOMPARE(live.lives[Life(1)].lastReader, graph.order()[3]);
        QVERIFY(live.lives[Life(4)].output);
    }

    void offsetsNeverOverlap()
    {
        Sketch s;
        TensorId x = s.input("x", {16, 16});
        std::vector<TensorId> kept;
        for (int i = 0; i < 9; ++i) {
            x = turned(s, x);
            if (i % 3 == 0)
                kept.push_back(x);
        }
        kept.push_back(x);
        const LiveTensors live = of(s.finish({s.call("Concat", kept, {integer("axis", 0)})}));
        QVERIFY(live.arenaBytes && *live.arenaBytes >= live.peakBytes);
        for (const Life a : live.lives.indices())
            for (const Life b : IndexRange(Life(0), a)) {
                const auto &l = live.lives[a], &m = live.lives[b];
                const bool together = l.first <= m.last && m.first <= l.last;
                QVERIFY(!together || l.takesOver == b || l.offset + l.bytes <= m.offset ||
                        m.offset + m.bytes <= l.offset);
            }
    }

    void viewsHaveNoMemory()
    {
        Sketch s;
        const TensorId a = turned(s, s.input("x", {16, 16}));
        const TensorId view = s.call("Reshape", {a, s.integers({256})});
        const LiveTensors live =
            of(s.finish({turned(s, s.call("Reshape", {view, s.integers({4, 64})}))}));
        QCOMPARE(live.steps.size(), std::size_t(2));
        QCOMPARE(live.lives.size(), std::size_t(3));
        QCOMPARE(live.lives[Life(1)].views.size(), std::size_t(2));
        QCOMPARE(live.lives[Life(1)].views[0], view);
    }

    void theLastReaderMayTakeThePlace()
    {
        Sketch s;
        const TensorId a = turned(s, s.input("x", {16, 16}));
        const LiveTensors live = of(s.finish({turned(s, s.call("Relu", {a}))}));
        QCOMPARE(bytes(live), (std::vector<std::int64_t>{2 * K, K, 2 * K}));
        QCOMPARE(live.lives[Life(2)].takesOver, Life(1));
        QCOMPARE(live.lives[Life(2)].offset, live.lives[Life(1)].offset);
    }

    void weightsAreThereAllTheTime()
    {
        Sketch s;
        const TensorId x = s.input("x", {16, 16});
        const LiveTensors live = of(s.finish({s.call("MatMul", {x, s.randomWeight({16, 8})})}));
        QCOMPARE(live.residentBytes, K / 2);
        QCOMPARE(live.weights.size(), std::size_t(1));
        QCOMPARE(bytes(live), (std::vector<std::int64_t>{2 * K}));
    }

    void whatIsInsideABlockIsNeverThere()
    {
        Sketch s;
        const TensorId x = s.input("x", {16, 16});
        TensorId y = x;
        for (int i = 0; i < 4; ++i)
            y = turned(s, y);
        const Graph graph = s.finish({y});
        const Partition blocks = blocksOf(graph, {3, 1});
        const LiveTensors live = of(graph, &blocks);
        QCOMPARE(live.steps.size(), std::size_t(2));
        QCOMPARE(live.steps[Step(0)].nodes.size(), std::size_t(3));
        QCOMPARE(live.lives.size(), std::size_t(3));
        QCOMPARE(bytes(live), (std::vector<std::int64_t>{2 * K, 2 * K}));
    }

    void outputsOfABlockAreThereToTheEnd()
    {
        Sketch s;
        const TensorId a = turned(s, s.input("x", {16, 16})), b = turned(s, a);
        const Graph graph = s.finish({b, a});
        const Partition blocks = blocksOf(graph, {2});
        const LiveTensors live = of(graph, &blocks);
        QCOMPARE(bytes(live), (std::vector<std::int64_t>{3 * K}));
    }

    void whatHasNoSizeIsSaid()
    {
        Sketch s;
        const TensorId x = s.input("x", {Dim::symbol("n"), 16});
        const TensorId y = s.call("Relu", {x});
        const LiveTensors live = of(s.finish({y}));
        QVERIFY(live.lives.empty());
        QCOMPARE(live.unsized, (std::vector<TensorId>{x, y}));
        QCOMPARE(live.steps.size(), std::size_t(1));
    }

    void stops()
    {
        Sketch s;
        const Graph graph = s.finish({turned(s, s.input("x", {16, 16}))});
        std::stop_source source;
        source.request_stop();
        QVERIFY(!liveTensorsOf(graph, sketchOpset, {.stop = source.get_token()}));
    }
};

GRAPHLOOM_TESTS(LiveTensorsTest)

} // namespace graphloom::test::live_tensors_test

#include "live_tensors_test.moc"

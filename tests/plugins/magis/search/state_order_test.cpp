// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/state_order.h"

#include "plugins/magis/variants/variants.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/random_states.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::state_order_test {

using namespace graphloom::magis;

namespace {

/// Branches of very different widths that begin and end together, several times.
Graph branches()
{
    test::Sketch s;
    TensorId x = s.input("x", {8, 64});
    for (int block = 0; block < 4; ++block) {
        std::vector<TensorId> ends;
        for (const std::int64_t width : {16, 256, 32, 512}) {
            const TensorId wide =
                s.call("Relu", {s.call("MatMul", {x, s.weight({64, width}, 0.1f)})});
            ends.push_back(s.call("MatMul", {wide, s.weight({width, 64}, 0.1f)}));
        }
        x = s.call("Sum", ends);
    }
    return s.finish({x});
}

} // namespace

class StateOrderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto made =
            variantOf("", branches(), test::sketchOpset, {findDevice("rtx-3090"), false, 4});
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        m_variant = *std::move(made);
    }

    /// Each step still reads and writes what it did, under one name or another, and what a life
    /// begins with comes before those that read it.
    void livesAreBuffers()
    {
        int lives = 0;
        forEachState([&](const State &state) {
            const StepGraph graph = stepsIn(*m_variant.space, state);
            const MemoryGraph &memory = *m_variant.memory;
            lives += int(graph.buffers().size() - memory.buffers().size());
            for (const StepIndex s : graph.steps().indices()) {
                const Step &now = graph.steps()[s], &before = memory.steps()[s];
                QCOMPARE(now.reads.size() + now.writes.size(),
                         before.reads.size() + before.writes.size());
                for (const BufferIndex b : now.reads)
                    QVERIFY(std::ranges::count(graph.buffers()[b].readers, s) == 1);
            }
            for (const Buffer &buffer : graph.buffers())
                for (const StepIndex reader : buffer.readers)
                    QVERIFY(!buffer.producer.isValid() ||
                            state.arrangement->position(buffer.producer) <
                                state.arrangement->position(reader));
        });
        QVERIFY(lives > 0);
    }

    /// Whatever is found is an order of all steps, and takes no more by the estimate.
    void ordersAreNoWorse()
    {
        int found = 0;
        forEachState([&](const State &state) {
            const auto order = reordered(*m_variant.space, state, SchedulingOptions(), nullptr);
            if (!order)
                return;
            ++found;
            QVERIFY(test::isValidOrder(*m_variant.memory, *order));
            const StepGraph graph = stepsIn(*m_variant.space, state);
            QVERIFY(peakOf(graph, *order) < peakOf(graph, state.arrangement->order()));
            // It has an index, the same each time, and states in it have hashes of their own.
            const OrderIndex index = m_variant.space->addOrder(*order);
            QCOMPARE(m_variant.space->addOrder(*order), index);
            QCOMPARE(m_variant.space->order(index), *order);
            QVERIFY(m_variant.space->hashOf(index, *state.arrangement, state.policies) !=
                    state.hash);
        });
        QVERIFY(found > 0);
    }

private:
    template <class Visit> void forEachState(Visit visit)
    {
        SearchSpace &space = const_cast<SearchSpace &>(*m_variant.space);
        Simulator simulator(*m_variant.memory, space.evictions());
        for (std::uint64_t seed = 0; seed < 200; ++seed)
            if (const auto state = test::RandomStates(space, seed).next(simulator, {2}))
                visit(*state);
    }

    Variant m_variant;
};

GRAPHLOOM_TESTS(StateOrderTest)

} // namespace graphloom::test::state_order_test

#include "state_order_test.moc"

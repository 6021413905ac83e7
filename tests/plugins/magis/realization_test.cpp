// SPDX-License-Identifier: Apache-2.0
// Graphs of states compute what the original graphs compute, whatever the states are.
#include "plugins/magis/realization.h"

#include "engine/runtime/compare.h"
#include "engine/runtime/interpreter.h"
#include "plugins/magis/realized_memory.h"
#include "plugins/magis/scheduling.h"
#include "tests/support/magis_networks.h"
#include "tests/support/random_states.h"

#include <QtTest>

using namespace graphloom;
using namespace graphloom::magis;
using test::networkOpsets;
using test::RandomStates;

namespace {

/// A graph to search, with what it gives.
struct Case {
    explicit Case(const std::string &name)
        : memory(*MemoryGraph::of(test::networks().at(name)(), networkOpsets(), device())),
          space(memory, portfolio(memory)), simulator(memory, space.evictions()),
          inputs(*randomInputs(memory.graph(), 3)),
          expected(*interpret(memory.graph(), networkOpsets(), inputs))
    {
    }

    static const Device &device() { return *findDevice("rtx-3090"); }

    /// What is wrong with a state; empty if nothing is.
    QString check(const State &state, Realized *made = nullptr)
    {
        Trace trace;
        simulator.run(*state.arrangement, state.policies, &trace);
        auto result =
            realized(memory, space.fissions(), *state.arrangement, trace, networkOpsets());
        if (!result)
            return QString::fromStdString(result.error().text());
        const auto given = interpret(result->graph, networkOpsets(), inputs);
        if (!given)
            return QString::fromStdString(given.error().text());
        for (std::size_t o = 0; o < expected.size(); ++o) {
            const Comparison comparison = compare(expected[o], (*given)[o]);
            if (comparison.maxRelError > 1e-4)
                return QString("output %1 differs: %2")
                    .arg(o)
                    .arg(QString::fromStdString(comparison.worst));
            if (result->graph.tensor(result->graph.outputs()[o]).name !=
                memory.graph().tensor(memory.graph().outputs()[o]).name)
                return QString("output %1 has another name").arg(o);
        }
        if (made)
            *made = *std::move(result);
        return {};
    }

    MemoryGraph memory;
    SearchSpace space;
    Simulator simulator;
    std::vector<TensorData> inputs, expected;
};

} // namespace

class RealizationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomStates_data();
    void randomStates();
    void peaks_data() { randomStates_data(); }
    void peaks();
};

void RealizationTest::randomStates_data()
{
    QTest::addColumn<QString>("name");
    for (const auto &[name, make] : test::networks())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void RealizationTest::randomStates()
{
    QFETCH(QString, name);
    Case network(name.toStdString());
    int states = 0, cut = 0, nested = 0, again = 0, swaps = 0, parts = 0;
    for (std::uint64_t seed = 0; states < 100 && seed < 3000; ++seed) {
        RandomStates random(network.space, seed);
        const auto state = random.next(network.simulator, {3});
        if (!state)
            continue;
        ++states;
        Realized made;
        const QString wrong = network.check(*state, &made);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(wrong)));
        cut += !state->arrangement->fissions().empty();
        swaps += int(made.swaps.size());
        for (const auto &region : state->arrangement->regions())
            nested += region.parent >= 0;
        for (const NodeId id : made.graph.order()) {
            again += made.origins[id.index].again;
            parts += !made.origins[id.index].parts.empty();
        }
    }
    qInfo("%d states, %d with fissions, %d nested; %d nodes of parts, %d again; %d swaps", states,
          cut, nested, parts, again, swaps);
    QVERIFY(states >= 100);
}

void RealizationTest::peaks()
{
    QFETCH(QString, name);
    Case network(name.toStdString());
    int states = 0, equal = 0, less = 0, more = 0;
    for (std::uint64_t seed = 0; states < 100 && seed < 3000; ++seed) {
        RandomStates random(network.space, seed);
        const auto state = random.next(network.simulator, {3, 0.3, false, false});
        if (!state)
            continue;
        ++states;
        Trace trace;
        const Outcome outcome = network.simulator.run(*state->arrangement, state->policies, &trace);
        const auto made = realized(network.memory, network.space.fissions(), *state->arrangement,
                                   trace, networkOpsets());
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const RealizedMemory memory = memoryOf(network.memory, *made);
        (memory.peak == outcome.peak ? equal : memory.peak < outcome.peak ? less : more) += 1;
        if (memory.peak > outcome.peak ||
            (state->arrangement->fissions().empty() && memory.peak != outcome.peak))
            qInfo("seed %d: %lld in place of %lld, %d fissions, at %s", int(seed),
                  (long long)memory.peak, (long long)outcome.peak,
                  int(state->arrangement->fissions().size()),
                  made->graph.node(made->graph.order()[std::size_t(memory.peakPosition)])
                      .name.c_str());
    }
    qInfo("%d equal, %d less, %d more", equal, less, more);
}

QTEST_GUILESS_MAIN(RealizationTest)
#include "realization_test.moc"

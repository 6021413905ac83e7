// SPDX-License-Identifier: Apache-2.0
// Graphs of states compute what the original graphs compute, whatever the states are.
#include "plugins/magis/realize/realization.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "plugins/magis/realize/arena_run.h"
#include "plugins/magis/realize/realized_memory.h"
#include "plugins/magis/schedule/scheduling.h"
#include "tests/plugins/magis/plan_check.h"
#include "tests/support/magis_networks.h"
#include "tests/support/random_states.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::realization_test {

using namespace graphloom::magis;
using test::networkOpsets;
using test::RandomStates;

namespace {

/// A graph to search, with what it gives.
struct RealizationCase {
    explicit RealizationCase(const std::string &name)
        : memory(*MemoryGraph::of(test::networks().at(name)(), networkOpsets(), device())),
          space(memory, portfolio(memory, scheduled(memory, {}))),
          simulator(memory, space.evictions()), inputs(*randomInputs(memory.graph(), 3)),
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
    void wholeBatch_data();
    void wholeBatch();
    void batchStatistics();
    void heads();
    void rowsOfConvolutions_data();
    void rowsOfConvolutions();
    void arenas_data() { randomStates_data(); }
    void arenas();
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
    RealizationCase network(name.toStdString());
    int states = 0, cut = 0, nested = 0, again = 0, swaps = 0, parts = 0;
    for (std::uint64_t seed = 0; states < 100 && seed < 3000; ++seed) {
        RandomStates random(network.space, seed);
        const auto state = random.next(network.simulator, {3});
        if (!state)
            continue;
        ++states;
        Realized made;
        const QString wrong = network.check(*state, &made);
        QVERIFY2(wrong.isEmpty(),
                 qPrintable(QString("seed %1: %2%3")
                                .arg(seed)
                                .arg(wrong, test::fissionsOf(network.space, *state))));
        cut += !state->arrangement->fissions().empty();
        swaps += int(made.swaps.size());
        for (const auto &region : state->arrangement->regions())
            nested += region.parent.isValid();
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
    RealizationCase network(name.toStdString());
    int states = 0, equal = 0, less = 0;
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
        const bool cut = !state->arrangement->fissions().empty();
        QVERIFY2(cut ? memory.peak <= outcome.peak : memory.peak == outcome.peak,
                 qPrintable(QString("seed %1: %2 in place of %3%4")
                                .arg(seed)
                                .arg(memory.peak)
                                .arg(outcome.peak)
                                .arg(test::fissionsOf(network.space, *state))));
        (memory.peak == outcome.peak ? equal : less) += 1;
    }
    qInfo("%d equal, %d less", equal, less);
    QVERIFY(equal > 2 * less);
}

/// The largest fission along a dimension of an input of the graph, in parts.
std::optional<State> fissionOfInput(RealizationCase &network, const std::string &input, int dim,
                                    const Cutting &cutting, bool halos = false)
{
    const Graph &graph = network.memory.graph();
    const auto tensor = std::ranges::find_if(
        graph.inputs(), [&](TensorId id) { return graph.tensor(id).name == input; });
    const auto dimension =
        std::make_shared<GraphDimension>(dimensionThrough(network.memory, *tensor, dim, halos));
    std::vector<NodeId> nodes = dimension->nodes.elements();
    // What comes last may not belong to it: a sum that is read inside.
    for (; nodes.size() > 1; nodes.pop_back())
        if (auto fission = Fission::of(network.memory, dimension, nodes)) {
            const FissionIndex added = network.space.fissions().add(*std::move(fission));
            auto arrangement =
                network.space.arrange(firstOrder, {{added, cutting.number, cutting.size}});
            if (!arrangement)
                return std::nullopt;
            return network.space.evaluate(network.simulator, firstOrder, std::move(arrangement),
                                          network.space.keepAll());
        }
    return std::nullopt;
}

int nodesOfParts(const Realized &made)
{
    std::set<NodeId> nodes;
    for (const NodeId id : made.graph.order())
        if (made.origins[id.index].role == Realized::Role::Call &&
            !made.origins[id.index].parts.empty())
            nodes.insert(made.origins[id.index].node);
    return int(nodes.size());
}

void RealizationTest::wholeBatch_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("number");
    QTest::addColumn<int>("size");
    for (const char *name :
         {"perceptron, trained", "classifier, trained", "transformer, trained"}) {
        for (const int number : {2, 3, 4})
            QTest::addRow("%s in %d", name, number) << name << number << 0;
        QTest::addRow("%s in 3 and 1", name) << name << 2 << 3;
    }
}

/// Micro-batches: forward and backward in parts, gradients of weights are summed up.
void RealizationTest::wholeBatch()
{
    QFETCH(QString, name);
    QFETCH(int, number);
    QFETCH(int, size);
    RealizationCase network(name.toStdString());
    const auto state = fissionOfInput(network, "x", 0, {number, size});
    QVERIFY(state);
    Realized made;
    const QString wrong = network.check(*state, &made);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    const int cut = nodesOfParts(made), all = int(network.memory.graph().order().size());
    qInfo("%d of %d nodes; peak %lld of %lld", cut, all,
          (long long)memoryOf(network.memory, made).peak,
          (long long)network.simulator
              .run(*network.space.arrange(firstOrder, {}), network.space.keepAll())
              .peak);
    QVERIFY(memoryOf(network.memory, made).peak <= state->outcome.peak);
    QVERIFY(3 * cut > 2 * all);
}

/// Statistics of a batch need all of it.
void RealizationTest::batchStatistics()
{
    RealizationCase network("classifier, batch statistics");
    const Graph &graph = network.memory.graph();
    const GraphDimension batch = dimensionThrough(network.memory, graph.inputs()[0], 0, false);
    int normalizations = 0;
    for (const NodeId id : graph.order())
        if (graph.node(id).op == "BatchNormalization" && graph.node(id).domain.empty()) {
            ++normalizations;
            QVERIFY(!batch.has(id));
        }
    QVERIFY(normalizations > 0);
}

void RealizationTest::heads()
{
    RealizationCase network("attention");
    const Graph &graph = network.memory.graph();
    int cut = 0;
    for (const NodeId id : graph.order()) {
        if (graph.node(id).op != "Softmax")
            continue;
        for (int dim = 0; dim < 3; ++dim) { // batch, heads, positions
            const auto dimension = std::make_shared<GraphDimension>(
                dimensionThrough(network.memory, graph.node(id).outputs[0], dim, false));
            std::vector<NodeId> nodes;
            for (const NodeId node : dimension->nodes)
                if (graph.position(node) + 2 >= graph.position(id) &&
                    graph.position(node) <= graph.position(id) + 1)
                    nodes.push_back(node);
            std::string reason;
            auto fission = Fission::of(network.memory, dimension, nodes, &reason);
            QVERIFY2(fission, reason.c_str());
            const FissionIndex added = network.space.fissions().add(*std::move(fission));
            const auto arrangement = network.space.arrange(firstOrder, {{added, 2}});
            QVERIFY(arrangement);
            const auto state = network.space.evaluate(network.simulator, firstOrder, arrangement,
                                                      network.space.keepAll());
            QVERIFY(state);
            Realized made;
            const QString wrong = network.check(*state, &made);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            cut += nodesOfParts(made) >= 3;
        }
    }
    QCOMPARE(cut, 3);
}

void RealizationTest::rowsOfConvolutions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("number");
    for (const char *name : {"convolution chain", "convolution chain, one image", "depthwise"})
        for (const int dim : {2, 3})
            for (const int number : {2, 3})
                QTest::addRow("%s, dimension %d in %d", name, dim, number) << name << dim << number;
}

/// Windows overlap; only true borders are padded.
void RealizationTest::rowsOfConvolutions()
{
    QFETCH(QString, name);
    QFETCH(int, dim);
    QFETCH(int, number);
    RealizationCase network(name.toStdString());
    const auto state = fissionOfInput(network, "x", dim, {number}, true);
    QVERIFY(state);
    Realized made;
    const QString wrong = network.check(*state, &made);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    QCOMPARE(nodesOfParts(made), int(network.memory.graph().order().size()));
}

/// Lives and places are right: every node finds its inputs in one arena.
void RealizationTest::arenas()
{
    QFETCH(QString, name);
    RealizationCase network(name.toStdString());
    int states = 0;
    std::int64_t planned = 0, needed = 0;
    for (std::uint64_t seed = 0; states < 40 && seed < 3000; ++seed) {
        RandomStates random(network.space, seed);
        const auto state = random.next(network.simulator, {3, 0.3, false, true});
        if (!state)
            continue;
        ++states;
        Trace trace;
        network.simulator.run(*state->arrangement, state->policies, &trace);
        const auto made = realized(network.memory, network.space.fissions(), *state->arrangement,
                                   trace, networkOpsets());
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const auto run = runInArena(network.memory, *made, networkOpsets(), network.inputs);
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        QVERIFY(!network.expected.empty());
        for (std::size_t o = 0; o < network.expected.size(); ++o) {
            const Comparison comparison = compare(network.expected[o], run->outputs[o]);
            QVERIFY2(comparison.maxRelError <= 1e-4,
                     qPrintable(QString("seed %1, output %2: %3%4")
                                    .arg(seed)
                                    .arg(o)
                                    .arg(QString::fromStdString(comparison.worst),
                                         test::fissionsOf(network.space, *state))));
        }
        // Places are multiples of 64 bytes.
        QVERIFY(run->usedBytes <= run->arenaBytes && run->usedBytes > run->arenaBytes - 64);
        planned += run->arenaBytes;
        needed += memoryOf(network.memory, *made).peak - network.memory.residentBytes();
    }
    qInfo("%d states; arenas take %.3f times the live bytes", states,
          double(planned) / double(needed));
}

GRAPHLOOM_TESTS(RealizationTest)

} // namespace graphloom::test::realization_test

#include "realization_test.moc"

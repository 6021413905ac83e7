// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/fission_tree.h"

#include "plugins/magis/schedule/scheduling.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::fission_tree_test {

using namespace graphloom::magis;
using test::Random;
using test::Sketch;

namespace {

/// A dimension that some nodes of a graph have, as far as dominators are concerned.
GraphDimension dimensionOf(const Graph &graph, Random &random)
{
    GraphDimension dimension;
    dimension.splitOf.assign(graph.nodeBound(), -1);
    dimension.dimOf.assign(graph.tensorBound(), -1);
    for (const NodeId id : graph.order())
        if (test::chance(random, 0.8)) {
            dimension.splitOf[id.index] = 0;
            dimension.nodes.push_back(id);
        }
    return dimension;
}

/// Some places for each place.
using Places = IndexedVector<DimensionPlace, std::set<DimensionPlace>>;

/// Places of nodes that the nodes of a dimension read.
Places readsOf(const Graph &graph, const GraphDimension &dimension)
{
    std::map<NodeId, DimensionPlace> place;
    Places reads;
    for (const NodeId id : dimension.nodes) {
        reads.emplace_back();
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            if (const auto at = place.find(graph.producer(tensor)); at != place.end())
                reads.back().insert(at->second);
        });
        place[id] = reads.lastIndex();
    }
    return reads;
}

/// The places of dominators, by their numbers; -1 for the entry.
Dominators dominatorsAt(std::initializer_list<int> numbers)
{
    Dominators places;
    for (const int number : numbers)
        places.push_back(DimensionPlace(number));
    return places;
}

/// By the definition: u dominates v when v cannot be reached from the entries without it.
Places allDominators(const Places &reads)
{
    Places dominators(reads.size());
    for (const DimensionPlace without : reads.indices()) {
        IndexedVector<DimensionPlace, bool> reached(reads.size(), false);
        for (const DimensionPlace v : reads.indices())
            reached[v] = v != without &&
                         (reads[v].empty() || std::ranges::any_of(reads[v], [&](DimensionPlace u) {
                              return reached[u];
                          }));
        for (const DimensionPlace v : reads.indices())
            if (v != without && !reached[v])
                dominators[v].insert(without);
    }
    return dominators;
}

/// A step of training as Figure 6 has it, simplified: `depth` calls forward, and as many backward,
/// each of which reads the result of one forward. All tensors are as large.
struct Hourglass {
    std::vector<TensorId> forward, backward;
    Graph graph;

    explicit Hourglass(int depth, std::int64_t extent = 256)
    {
        Sketch s;
        TensorId x = s.input("x", {extent});
        for (int i = 0; i < depth; ++i)
            forward.push_back(x = s.call("Sigmoid", {x}));
        for (int i = depth; i-- > 0;)
            backward.push_back(x = i + 1 == depth ? s.call("Tanh", {x})
                                                  : s.call("Mul", {x, forward[std::size_t(i)]}));
        graph = s.finish({x});
    }
};

std::vector<BufferIndex> buffersOf(const MemoryGraph &memory, std::span<const TensorId> tensors)
{
    std::vector<BufferIndex> buffers;
    for (const TensorId tensor : tensors)
        buffers.push_back(memory.bufferOf(tensor));
    return buffers;
}

std::set<std::string> sets(const SearchSpace &space, std::span<const FissionIndex> fissions)
{
    std::set<std::string> names;
    for (const FissionIndex f : fissions) {
        std::string name;
        for (const NodeId id : space.fissions().fission(f).nodes())
            name += std::to_string(space.memory().graph().position(id)) + " ";
        names.insert(name);
    }
    return names;
}

} // namespace

class FissionTreeTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dominatorsAreThoseOfTheDefinition();
    void heatIsWhatIsHotBelow();
    void scoreCountsInputsThatAreNotHot();
    void weightsAreNoInputs();
    void aDiamondIsDominatedByItsTop();
    void hotSpotsAreAliveAtThePeak();
    void levelsOfScoresGiveNestedCandidates();
    void theLevelsOfFigure6();
    void candidatesAreNotNestedWithoutLevels();
    void whatIsNotHotGivesTheWholeDimensionOnly();
    void aPeakIsSurroundedByCandidates();
};

void FissionTreeTest::dominatorsAreThoseOfTheDefinition()
{
    Random random(1);
    for (int round = 0; round < 60; ++round) {
        test::RandomGraphOptions options;
        options.nodes = std::uint32_t(5 + test::below(random, 40));
        options.reach = std::uint32_t(2 + test::below(random, 12));
        const Graph graph = test::randomGraph(random, options);
        const GraphDimension dimension = dimensionOf(graph, random);
        const auto immediate = dominators(graph, dimension);
        const auto all = allDominators(readsOf(graph, dimension));
        QCOMPARE(immediate.size(), all.size());
        QVERIFY(!all.empty());
        for (const DimensionPlace v : all.indices()) {
            // The immediate one has all others but itself.
            DimensionPlace closest;
            for (const DimensionPlace u : all[v])
                if (all[u].size() + 1 == all[v].size())
                    closest = u;
            QCOMPARE(immediate[v], closest);
        }
    }
}

void FissionTreeTest::heatIsWhatIsHotBelow()
{
    // a -> b -> c, d of c and a: a dominates all others, b only c.
    Sketch s;
    const TensorId x = s.input("x", {256}); // 1 KiB
    const TensorId a = s.call("Sigmoid", {x}), b = s.call("Tanh", {a}), c = s.call("Sigmoid", {b});
    const TensorId d = s.call("Mul", {c, a});
    const MemoryGraph memory = test::memoryOf(s.finish({d}));
    const GraphDimension dimension = dimensionThrough(memory, a, 0, false);
    const Dominators parents = dominators(memory.graph(), dimension);
    QCOMPARE(parents, dominatorsAt({-1, 0, 1, 0}));
    const std::array hot{a, b, c};
    const auto scores = scoresOf(memory, dimension, parents, buffersOf(memory, hot));
    QCOMPARE(scores[DimensionPlace(0)].heat, 2048.0); // b and c
    QCOMPARE(scores[DimensionPlace(1)].heat, 1024.0); // c
    QCOMPARE(scores[DimensionPlace(2)].heat, 0.0);
    QCOMPARE(scores[DimensionPlace(3)].heat, 0.0);
    // Their inputs are hot themselves: half of the heat is saved (n = 2).
    QCOMPARE(scores[DimensionPlace(0)].score, 1024.0);
    QCOMPARE(scores[DimensionPlace(1)].score, 512.0);
}

void FissionTreeTest::scoreCountsInputsThatAreNotHot()
{
    Sketch s;
    const TensorId x = s.input("x", {256}), other = s.input("other", {256});
    const TensorId a = s.call("Sigmoid", {x}), b = s.call("Mul", {a, other});
    const TensorId c = s.call("Mul", {b, other}), d = s.call("Tanh", {c});
    const MemoryGraph memory = test::memoryOf(s.finish({d}));
    const GraphDimension dimension = dimensionThrough(memory, a, 0, false);
    const Dominators parents = dominators(memory.graph(), dimension);
    QCOMPARE(parents, dominatorsAt({-1, 0, 1, 2}));
    const std::array hot{b, c};
    const auto scores = scoresOf(memory, dimension, parents, buffersOf(memory, hot));
    QCOMPARE(scores[DimensionPlace(0)].score,
             0.5 * 2048 - 2048); // a and, once, the other input have to stay
    QCOMPARE(scores[DimensionPlace(1)].score,
             0.5 * 1024 - 1024);                    // b is hot; the other input is not
    QCOMPARE(scores[DimensionPlace(2)].score, 0.0); // c is hot
}

void FissionTreeTest::weightsAreNoInputs()
{
    Sketch s;
    const TensorId x = s.input("x", {8, 32});
    const TensorId a = s.call("Sigmoid", {x}), b = s.call("MatMul", {a, s.weight({32, 32})});
    const MemoryGraph memory = test::memoryOf(s.finish({b}));
    const GraphDimension dimension = dimensionThrough(memory, a, 0, false);
    const std::array hot{a, b};
    const auto scores =
        scoresOf(memory, dimension, dominators(memory.graph(), dimension), buffersOf(memory, hot));
    QCOMPARE(scores[DimensionPlace(0)].score, 512.0);
}

void FissionTreeTest::aDiamondIsDominatedByItsTop()
{
    Sketch s;
    const TensorId a = s.call("Sigmoid", {s.input("x", {256})});
    const TensorId left = s.call("Tanh", {a}), right = s.call("Abs", {a});
    const Graph graph = s.finish({s.call("Mul", {left, right})});
    const MemoryGraph memory = test::memoryOf(graph);
    const GraphDimension dimension = dimensionThrough(memory, a, 0, false);
    QCOMPARE(dominators(graph, dimension), dominatorsAt({-1, 0, 0, 0}));
    // Two entries: nothing dominates where they meet.
    Sketch t;
    const TensorId p = t.call("Tanh", {t.input("p", {256})});
    const TensorId q = t.call("Tanh", {t.input("q", {256})});
    const MemoryGraph two = test::memoryOf(t.finish({t.call("Mul", {p, q})}));
    QCOMPARE(dominators(two.graph(), dimensionThrough(two, p, 0, false)),
             dominatorsAt({-1, -1, -1}));
}

void FissionTreeTest::hotSpotsAreAliveAtThePeak()
{
    const Hourglass model(5);
    const MemoryGraph memory = test::memoryOf(model.graph);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    const auto arrangement = space.arrange(firstOrder, {});
    Trace trace;
    Simulator simulator(memory, space.evictions());
    const Outcome outcome = simulator.run(*arrangement, space.keepAll(), &trace);
    QCOMPARE(outcome.peak, std::int64_t(5 * 1024)); // the last forward call has its input's place
    const std::vector<BufferIndex> hot = hotSpots(trace, outcome.peak);
    for (const TensorId tensor : std::span(model.forward).first(4))
        QVERIFY(std::ranges::count(hot, memory.bufferOf(tensor)) == 1);
    QVERIFY(std::ranges::count(hot, memory.bufferOf(model.backward.back())) == 0);
    QVERIFY(std::ranges::count(hot, memory.bufferOf(memory.graph().inputs()[0])) == 0);
}

void FissionTreeTest::levelsOfScoresGiveNestedCandidates()
{
    // Below the first forward call are 4 hot tensors, below the second 3…: scores of 2, 1.5, 1, 0.5
    // and 0. Four levels take one of each.
    const Hourglass model(5);
    const MemoryGraph memory = test::memoryOf(model.graph);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    const auto found = buildFissionTree(space, buffersOf(memory, model.forward), 4);
    // Nodes 0 to 4 are forward, 5 to 9 backward; the whole dimension is a candidate, too.
    QCOMPARE(sets(space, found),
             (std::set<std::string>{"0 1 2 3 4 5 6 7 8 9 ", "1 2 3 4 5 6 7 8 9 ", "2 3 4 5 6 7 8 ",
                                    "3 4 5 6 7 ", "4 5 6 "}));
    for (const FissionIndex a : found)
        for (const FissionIndex b : found) {
            const Fission &outer = space.fissions().fission(a),
                          &inner = space.fissions().fission(b);
            const auto shared = std::ranges::count_if(
                inner.nodes(), [&](NodeId node) { return outer.contains(node); });
            QCOMPARE(std::size_t(shared), std::min(outer.nodes().size(), inner.nodes().size()));
        }
}

void FissionTreeTest::theLevelsOfFigure6()
{
    // With L = 5 the intervals are [0.2, 0.4), [0.4, 0.6), [0.6, 0.8), [0.8, 1) and [1, 1]. Of 11
    // forward calls, scores fall by a tenth from call to call: each interval but the last has two,
    // and of each the lower one is taken.
    const Hourglass model(11);
    const MemoryGraph memory = test::memoryOf(model.graph);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    const auto found = buildFissionTree(space, buffersOf(memory, model.forward), 5);
    std::set<std::size_t> first;
    for (const FissionIndex f : found)
        first.insert(memory.graph().position(space.fissions().fission(f).nodes().front()));
    // The dominators are calls 0 (score 1), 2 (0.8), 4 (0.6), 6 (0.4), 8 (0.2); and the whole.
    QCOMPARE(first, (std::set<std::size_t>{0, 1, 3, 5, 7, 9}));
}

void FissionTreeTest::candidatesAreNotNestedWithoutLevels()
{
    const Hourglass model(5);
    const MemoryGraph memory = test::memoryOf(model.graph);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    const auto found = buildFissionTree(space, buffersOf(memory, model.forward), 1);
    QCOMPARE(sets(space, found),
             (std::set<std::string>{"0 1 2 3 4 5 6 7 8 9 ", "1 2 3 4 5 6 7 8 9 "}));
}

void FissionTreeTest::whatIsNotHotGivesTheWholeDimensionOnly()
{
    const Hourglass model(5);
    const MemoryGraph memory = test::memoryOf(model.graph);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    const std::array last{model.backward.back()};
    QCOMPARE(buildFissionTree(space, buffersOf(memory, last), 4).size(), std::size_t(1));
    QVERIFY(buildFissionTree(space, {}, 4).empty());
}

void FissionTreeTest::aPeakIsSurroundedByCandidates()
{
    const Hourglass model(12);
    const MemoryGraph memory = test::memoryOf(model.graph);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    Simulator simulator(memory, space.evictions());
    const auto state =
        space.evaluate(simulator, firstOrder, space.arrange(firstOrder, {}), space.keepAll());
    QVERIFY(state.has_value());
    Trace trace;
    simulator.run(*state->arrangement, state->policies, &trace);
    const auto found = fissionsAround(space, *state, trace, 40, 5);
    QVERIFY(!found.empty());
    QCOMPARE(fissionsAround(space, *state, trace, 40, 5), found); // depends on the seed alone
    for (const FissionIndex f : found) {
        const auto &nodes = space.fissions().fission(f).nodes();
        QVERIFY(nodes.size() >= 2);
        const Step &peak = memory.steps()[trace.runs[state->outcome.peakRun].step];
        QVERIFY(memory.graph().position(nodes.front()) <= memory.graph().position(peak.node));
        QVERIFY(memory.graph().position(nodes.back()) >= memory.graph().position(peak.node));
    }
}

GRAPHLOOM_TESTS(FissionTreeTest)

} // namespace graphloom::test::fission_tree_test

#include "fission_tree_test.moc"

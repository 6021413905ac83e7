// SPDX-License-Identifier: Apache-2.0
// Memory and time of small graphs, by hand. Kernels take a second each whatever they do, unless a
// test says otherwise, and weights count only where they are looked at.
#include "plugins/magis/simulation.h"

#include "engine/autodiff/training.h"
#include "plugins/magis/fission_tree.h"
#include "plugins/magis/scheduling.h"
#include "plugins/magis/search_space.h"
#include "tests/plugins/magis/random_memory.h"
#include "tests/support/synthetic_graphs.h"

#include <QTest>

using namespace graphloom;
using namespace graphloom::magis;
using test::Sketch;

namespace {

using Bytes = std::vector<std::int64_t>;
constexpr std::int64_t K = 1024;

Device device(double hostLink = 0)
{
    Device device;
    device.name = "seconds";
    device.peakFlops = device.bandwidth = device.cacheBandwidth = 1e30;
    device.launchSeconds = 1;
    device.hostLink = hostLink;
    return device;
}

/// A graph in its own order, and what becomes of its tensors.
struct Run {
    MemoryGraph memory;
    SearchSpace space;
    std::shared_ptr<const Arrangement> arrangement;
    std::vector<Policy> policies;
    Outcome outcome;
    Trace trace;

    explicit Run(const Graph &graph, double hostLink = 0, bool weights = false)
        : memory(test::memoryOf(graph, device(hostLink), weights)),
          space(memory, {test::ownOrder(memory)}), arrangement(space.arrange(0, {})),
          policies(space.evictions().size(), Policy::Keep)
    {
    }
    Run(const Run &) = delete;

    /// Evicts a tensor between its uses.
    Run &evict(TensorId tensor, Policy policy)
    {
        for (std::size_t e = 0; e < policies.size(); ++e)
            if (space.evictions()[e].buffer == memory.bufferOf(tensor))
                policies[e] = policy;
        return *this;
    }
    /// Splits the nodes that compute these tensors along a dimension of the first one.
    bool split(const std::vector<TensorId> &tensors, int dim, int number)
    {
        std::vector<NodeId> nodes;
        for (const TensorId tensor : tensors)
            nodes.push_back(memory.graph().producer(tensor));
        auto fission = Fission::of(memory,
                                   std::make_shared<const GraphDimension>(
                                       dimensionThrough(memory, tensors.front(), dim, false)),
                                   nodes);
        if (!fission)
            return false;
        arrangement = space.arrange(0, {{space.fissions().add(std::move(*fission)), number}});
        return arrangement != nullptr;
    }
    Bytes bytes()
    {
        trace = Trace();
        outcome = Simulator(memory, space.evictions()).run(*arrangement, policies, &trace);
        Bytes list;
        for (const Trace::Run &run : trace.runs)
            list.push_back(run.bytes);
        return list;
    }
    std::size_t again() const
    {
        return std::size_t(std::ranges::count_if(trace.runs, &Trace::Run::again));
    }
};

TensorId turned(Sketch &s, TensorId x)
{
    return s.call("Transpose", {x}, {test::ints("perm", {1, 0})});
}

/// x (256 bytes) -> a -> kept -> b -> wide (4 KiB) -> d -> e -> f -> f + kept; the others have 1
/// KiB.
struct Skip {
    TensorId x, a, kept, wide, out;
    Graph graph;

    Skip()
    {
        Sketch s;
        x = s.input("x", {4, 16});
        a = s.call("Concat", {x, x, x, x}, {test::integer("axis", 0)});
        kept = turned(s, a);
        const TensorId b = turned(s, kept);
        wide = s.call("Concat", {b, b, b, b}, {test::integer("axis", 0)});
        const TensorId d = s.call("MatMul", {s.weight({16, 64}), wide});
        const TensorId f = turned(s, turned(s, d));
        out = s.call("Add", {f, kept});
        graph = s.finish({out});
    }
};

/// Two products with a wide tensor between them, for 8 elements of a batch.
struct Mlp {
    TensorId x, hidden, y;
    Graph graph;

    Mlp()
    {
        Sketch s;
        x = s.input("x", {8, 16});                          // 512 bytes
        hidden = s.call("MatMul", {x, s.weight({16, 64})}); // 2 KiB
        y = s.call("MatMul", {hidden, s.weight({64, 16})}); // 512 bytes
        graph = s.finish({y});
    }
};

/// Bytes of all lives that hold a run, without those that are taken over, with weights and with
/// what fissions need besides.
std::int64_t bytesAt(const MemoryGraph &memory, const Arrangement &arrangement, const Trace &trace,
                     int run)
{
    std::int64_t bytes = memory.residentBytes();
    for (const Arrangement::Extra &extra : arrangement.extras())
        if (trace.runAt[std::size_t(extra.begin)] <= run &&
            run <= trace.runAt[std::size_t(extra.end)])
            bytes += extra.bytes;
    const Trace::Run &what = trace.runs[std::size_t(run)];
    if (what.again) // results that are there already are there twice
        for (const int b : memory.steps()[std::size_t(what.step)].writes)
            if (std::ranges::none_of(trace.lives, [&](const Trace::Life &life) {
                    return life.buffer == b && life.first == run;
                }))
                bytes += arrangement.bytes(b);
    for (const Trace::Life &life : trace.lives) {
        if (life.first > run || life.last < run)
            continue;
        bytes += life.bytes;
        if (life.takesOver >= 0 && life.first == run)
            bytes -= life.bytes;
    }
    return bytes;
}

/// Is the run the first one of a region around a step?
bool beginsRegion(const Arrangement &arrangement, const Trace &trace, int step, int run)
{
    for (int r = arrangement.regionAt(arrangement.position(step)); r >= 0;
         r = arrangement.regions()[std::size_t(r)].parent) {
        // What is computed again for its first step belongs to it.
        const int begin = arrangement.regions()[std::size_t(r)].begin;
        if (trace.runs[std::size_t(run)].position == begin)
            return true;
    }
    return false;
}

/// Each run has all it reads in memory, and each life begins with what gives it its elements: the
/// start, its producer (or the first run of a fission that hands on parts of it), or a load of what
/// was stored before. Says what is wrong.
std::string defectOf(const MemoryGraph &memory, const Arrangement &arrangement, const Trace &trace)
{
    const auto isAlive = [&](int buffer, int run) {
        return std::ranges::any_of(trace.lives, [&](const Trace::Life &life) {
            return life.buffer == buffer && life.first <= run && run <= life.last;
        });
    };
    for (int r = 0; r < int(trace.runs.size()); ++r) {
        const Step &step = memory.steps()[std::size_t(trace.runs[std::size_t(r)].step)];
        for (const int b : step.reads)
            if (!memory.buffers()[std::size_t(b)].resident && !isAlive(b, r))
                return "run " + std::to_string(r) + " reads what is not there";
        for (const int b : step.writes)
            if (!isAlive(b, r))
                return "run " + std::to_string(r) + " writes what has no memory";
        if (bytesAt(memory, arrangement, trace, r) != trace.runs[std::size_t(r)].bytes)
            return "run " + std::to_string(r) + " does not need the bytes of its lives";
    }
    for (const Trace::Life &life : trace.lives) {
        const int producer = memory.buffers()[std::size_t(life.buffer)].producer;
        const bool computed =
            producer >= 0 && (trace.runs[std::size_t(life.first)].step == producer ||
                              beginsRegion(arrangement, trace, producer, life.first));
        const bool loaded = std::ranges::any_of(trace.transfers, [&](const Trace::Transfer &load) {
            return load.load && load.buffer == life.buffer;
        });
        if (!computed && !loaded && !(producer < 0 && life.first == 0))
            return "a life begins with nothing";
    }
    for (int b = 0; b < int(memory.buffers().size()); ++b)
        if (memory.buffers()[std::size_t(b)].kept && !memory.buffers()[std::size_t(b)].resident &&
            !isAlive(b, int(trace.runs.size()) - 1))
            return "an output is not there at the end";
    for (const Trace::Transfer &load : trace.transfers)
        if (load.load && std::ranges::none_of(trace.transfers, [&](const Trace::Transfer &store) {
                return !store.load && store.buffer == load.buffer && store.end <= load.start + 1e-9;
            }))
            return "a load begins before its store has ended";
    return {};
}

} // namespace

class SimulationTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aChainNeedsTwoTensors();
    void aSkipConnectionStaysAlive();
    void inPlaceResultsHaveTheirInputsMemory();
    void whatIsReadLaterIsNotTakenOver();
    void viewsHaveNoMemory();
    void weightsAreThereAllTheTime();
    void whatIsComputedAgainLeaves();
    void whatThatNeedsIsComputedAgainToo();
    void inputsStayForWhatIsComputedAgain();
    void aSwapIsHidden();
    void aSwapThatIsNotHiddenStalls();
    void aSlowStoreKeepsItsTensor();
    void transfersShareTheLink();
    void partsOfAFissionShareMemory();
    void partsThatAreNoDivisorsCountAsTheLargest();
    void sumsOfPartsHaveAnAccumulator();
    void arrangementMakesAFissionContiguous();
    void fissionsThatOverlapAreRefused();
    void manyFissionsCostWhatEachCostsAlone();
    void updatesTakeTheirWeightsPlace();
    void statesOfAnOptimizerAreUpdatedInPlace();
    void whatReadsAWeightIsNotComputedAgainBehindItsUpdate();
    void withoutPoliciesItIsThePeakOfTheOrder();
    void tracesOfRandomStatesAreSound();
    void tracesOfRandomFissionsAreSound();
};

void SimulationTest::aChainNeedsTwoTensors()
{
    Sketch s;
    TensorId x = s.input("x", {16, 16});
    for (int i = 0; i < 3; ++i)
        x = turned(s, x);
    Run run(s.finish({x}));
    QCOMPARE(run.bytes(), (Bytes{2 * K, 2 * K, 2 * K}));
    QCOMPARE(run.outcome.peak, 2 * K);
    QCOMPARE(run.outcome.peakStep, 0);
    QCOMPARE(run.outcome.seconds, 3.0);
}

void SimulationTest::aSkipConnectionStaysAlive()
{
    Sketch s;
    const TensorId a = turned(s, s.input("x", {16, 16}));
    const TensorId c = turned(s, turned(s, a));
    Run run(s.finish({s.call("Concat", {c, a}, {test::integer("axis", 0)})}));
    // x a | a b | a b c | a c and both of them joined
    QCOMPARE(run.bytes(), (Bytes{2 * K, 2 * K, 3 * K, 4 * K}));
}

void SimulationTest::inPlaceResultsHaveTheirInputsMemory()
{
    Sketch s;
    const TensorId a = turned(s, s.input("x", {16, 16}));
    const TensorId b = turned(s, a);
    const TensorId sum = s.call("Add", {b, s.call("Relu", {b})});
    Run run(s.finish({turned(s, sum)}));
    // The Relu's input is read later; the Add takes one of both, not both.
    QCOMPARE(run.bytes(), (Bytes{2 * K, 2 * K, 2 * K, 2 * K, 2 * K}));
    const auto takeovers = std::ranges::count_if(
        run.trace.lives, [](const Trace::Life &life) { return life.takesOver >= 0; });
    QCOMPARE(takeovers, std::ptrdiff_t(1));
}

void SimulationTest::whatIsReadLaterIsNotTakenOver()
{
    Sketch s;
    const TensorId a = turned(s, s.input("x", {16, 16}));
    const TensorId r = s.call("Relu", {a});
    Run last(s.finish({turned(s, r)}));
    QCOMPARE(last.bytes(), (Bytes{2 * K, K, 2 * K}));
    Sketch t;
    const TensorId b = turned(t, t.input("x", {16, 16}));
    Run out(t.finish({t.call("Relu", {b}), b})); // an output itself
    QCOMPARE(out.bytes(), (Bytes{2 * K, 2 * K}));
}

void SimulationTest::viewsHaveNoMemory()
{
    Sketch s;
    const TensorId a = turned(s, s.input("x", {16, 16}));
    const TensorId view = s.call("Reshape", {a, s.integers({256})});
    const TensorId flat = s.call("Reshape", {view, s.integers({4, 64})});
    Run run(s.finish({turned(s, flat)}));
    QCOMPARE(run.memory.steps().size(), std::size_t(2));
    QCOMPARE(run.memory.bufferOf(flat), run.memory.bufferOf(a));
    QCOMPARE(run.bytes(), (Bytes{2 * K, 2 * K}));
    QCOMPARE(run.outcome.seconds, 2.0);
}

void SimulationTest::weightsAreThereAllTheTime()
{
    const Mlp mlp;
    Run run(mlp.graph, 0, true);
    QCOMPARE(run.memory.residentBytes(), 8 * K);
    QCOMPARE(run.bytes(), (Bytes{10 * K + 512, 10 * K + 512}));
}

void SimulationTest::whatIsComputedAgainLeaves()
{
    const Skip skip;
    Run run(skip.graph);
    // x a | a kept | kept b | kept b wide | kept wide d | kept d e | kept e f | sum in place
    QCOMPARE(run.bytes(), (Bytes{K + 256, 2 * K, 2 * K, 6 * K, 6 * K, 3 * K, 3 * K, 2 * K}));
    QCOMPARE(run.outcome.seconds, 8.0);
    run.evict(skip.kept, Policy::Recompute);
    run.bytes();
    QVERIFY(run.outcome.possible);
    QCOMPARE(run.outcome.peak, 5 * K + 256); // b, wide, and x for later
}

void SimulationTest::whatThatNeedsIsComputedAgainToo()
{
    const Skip skip;
    Run run(skip.graph);
    run.evict(skip.kept, Policy::Recompute);
    // Behind f: a of x, and the tensor of a; x is kept until then.
    QCOMPARE(run.bytes(), (Bytes{K + 256, 2 * K + 256, 2 * K + 256, 5 * K + 256, 5 * K + 256,
                                 2 * K + 256, 2 * K + 256, 2 * K + 256, 3 * K, 2 * K}));
    QCOMPARE(run.again(), std::size_t(2));
    QCOMPARE(run.outcome.seconds, 10.0);
    QCOMPARE(run.trace.runs[7].position, 7); // for the sum
    QCOMPARE(run.trace.runAt[7], 9);
}

void SimulationTest::inputsStayForWhatIsComputedAgain()
{
    const Skip skip;
    Run run(skip.graph);
    run.evict(skip.kept, Policy::Recompute).bytes();
    const int input = run.memory.bufferOf(skip.x);
    const auto life = std::ranges::find(run.trace.lives, input, &Trace::Life::buffer);
    QCOMPARE(life->first, 0);
    QCOMPARE(life->last, 7);
}

void SimulationTest::aSwapIsHidden()
{
    const Skip skip;
    Run run(skip.graph, double(K)); // a second for each of the tensors
    run.evict(skip.kept, Policy::Swap);
    // Stored while b runs, loaded while f does.
    QCOMPARE(run.bytes(), (Bytes{K + 256, 2 * K, 2 * K, 5 * K, 5 * K, 2 * K, 3 * K, 2 * K}));
    QCOMPARE(run.outcome.seconds, 8.0);
    QCOMPARE(run.again(), std::size_t(0));
    QCOMPARE(run.trace.transfers.size(), std::size_t(2));
    QCOMPARE(run.trace.transfers[0].end, 3.0);
    QVERIFY(run.trace.transfers[1].load);
    QCOMPARE(run.trace.transfers[1].start, 6.0);
    QCOMPARE(run.trace.transfers[1].end, 7.0);
}

void SimulationTest::aSwapThatIsNotHiddenStalls()
{
    const Skip skip;
    Run run(skip.graph, double(K) / 4); // four seconds each way
    run.evict(skip.kept, Policy::Swap).bytes();
    // Stored from 2 to 6, loaded from 6 to 10, and needed at 7.
    QCOMPARE(run.trace.transfers[0].end, 6.0);
    QCOMPARE(run.trace.transfers[1].start, 6.0);
    QCOMPARE(run.trace.transfers[1].end, 10.0);
    QCOMPARE(run.trace.runs[7].start, 10.0);
    QCOMPARE(run.outcome.seconds, 11.0);
}

void SimulationTest::aSlowStoreKeepsItsTensor()
{
    const Skip skip;
    Run run(skip.graph, double(K) / 2); // stored from 2 to 4, loaded from 5 to 7
    run.evict(skip.kept, Policy::Swap);
    QCOMPARE(run.bytes(), (Bytes{K + 256, 2 * K, 2 * K, 6 * K, 5 * K, 3 * K, 3 * K, 2 * K}));
    QCOMPARE(run.outcome.seconds, 8.0);
}

void SimulationTest::transfersShareTheLink()
{
    // Two tensors that are swapped at the same time: one load comes before the other.
    Sketch s;
    const TensorId x = s.input("x", {16, 16});
    const TensorId a = turned(s, x), b = turned(s, a);
    TensorId y = turned(s, b);
    for (int i = 0; i < 5; ++i)
        y = turned(s, y);
    const TensorId first = s.call("Concat", {y, a}, {test::integer("axis", 0)});
    const TensorId joined = s.call("Concat", {first, b}, {test::integer("axis", 0)});
    Run run(s.finish({joined}), double(K));
    run.evict(a, Policy::Swap).evict(b, Policy::Swap).bytes();
    std::vector<Trace::Transfer> loads;
    for (const Trace::Transfer &transfer : run.trace.transfers)
        if (transfer.load)
            loads.push_back(transfer);
    QCOMPARE(loads.size(), std::size_t(2));
    QCOMPARE(loads[0].start, 7.0); // a is needed at 8, b at 9
    QCOMPARE(loads[0].end, 8.0);
    QCOMPARE(loads[1].start, 8.0);
    QCOMPARE(run.outcome.seconds, 10.0);
}

void SimulationTest::partsOfAFissionShareMemory()
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

void SimulationTest::partsThatAreNoDivisorsCountAsTheLargest()
{
    const Mlp mlp;
    Run run(mlp.graph);
    QVERIFY(run.split({mlp.hidden, mlp.y}, 0, 3)); // 3, 3 and 2 of 8
    QCOMPARE(run.bytes(), (Bytes{K + 768, K + 768}));
    QCOMPARE(run.outcome.seconds, 6.0);
}

void SimulationTest::sumsOfPartsHaveAnAccumulator()
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

void SimulationTest::arrangementMakesAFissionContiguous()
{
    Sketch s;
    const TensorId x = s.input("x", {8, 16}), z = s.input("z", {16, 64});
    const TensorId hidden = s.call("MatMul", {x, s.weight({16, 64})});
    const TensorId apart = s.call("Sigmoid", {z}); // that nobody inside needs
    const TensorId needed = turned(s, z);          // that the last one needs
    const TensorId y = s.call("MatMul", {hidden, needed});
    Run run(s.finish({y, apart}));
    QVERIFY(run.split({hidden, y}, 0, 2));
    QCOMPARE(run.arrangement->order(), (std::vector{2, 0, 3, 1}));
    const Arrangement::Region &region = run.arrangement->regions().at(0);
    QCOMPARE(region.begin, 1);
    QCOMPARE(region.end, 2);
    QVERIFY(test::isValidOrder(run.memory, run.arrangement->order()));
}

void SimulationTest::fissionsThatOverlapAreRefused()
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
    const int outer = fissionOf(0, {a, b, c, d}), first = fissionOf(0, {a, b, c}),
              last = fissionOf(0, {b, c, d}), other = fissionOf(1, {b, c});
    QVERIFY(!space.arrange(0, {{first, 2}, {last, 2}}));
    const auto nested = space.arrange(0, {{outer, 2}, {first, 4}});
    QVERIFY(nested != nullptr);
    QCOMPARE(nested->regions().at(1).parent, 0);
    // A part of 4 elements has no 5 parts; along another dimension it has.
    QVERIFY(!space.arrange(0, {{outer, 2}, {first, 5}}));
    QVERIFY(space.arrange(0, {{outer, 2}, {other, 16}}));
}

void SimulationTest::manyFissionsCostWhatEachCostsAlone()
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
    const auto together = space.arrange(0, all);
    QVERIFY(together != nullptr);
    for (int i = 0; i < blocks; ++i) {
        const auto alone = space.arrange(0, {all[std::size_t(i)]});
        for (const int step : {2 * i, 2 * i + 1})
            QCOMPARE(together->seconds(together->position(step)),
                     alone->seconds(alone->position(step)));
    }
}

void SimulationTest::updatesTakeTheirWeightsPlace()
{
    Sketch s;
    const TensorId x = s.input("x", {16, 16}), w = s.weight({16, 16});
    const TensorId y = s.call("MatMul", {x, w});
    const TensorId updated = s.call("Sub", {w, y});
    const Graph graph = s.finish({updated});
    Run run(graph, 0, true);
    QCOMPARE(run.memory.buffers()[std::size_t(run.memory.bufferOf(updated))].updates,
             run.memory.bufferOf(w));
    QCOMPARE(run.bytes(), (Bytes{3 * K, 2 * K})); // w x y | w y
    // Of several places, that of a weight: it is there in any case.
    Sketch t;
    const TensorId g = t.input("g", {16, 16}), v = t.weight({16, 16});
    const TensorId next = t.call("Sub", {g, v});
    const MemoryGraph both = test::memoryOf(t.finish({next}));
    QCOMPARE(both.buffers()[std::size_t(both.bufferOf(next))].updates, both.bufferOf(v));
}

void SimulationTest::statesOfAnOptimizerAreUpdatedInPlace()
{
    const Mlp mlp;
    const auto training =
        trainingModel(*testing::modelOf(mlp.graph), {.optimizer = TrainingOptions::Optimizer::Adam,
                                                     .loss = TrainingOptions::Loss::SquaredError});
    QVERIFY(training.has_value());
    const Graph &graph = training->model.graph;
    const MemoryGraph memory = test::memoryOf(graph, device(), true, opsetsOf(training->model));
    std::set<int> places;
    for (const Step &step : memory.steps())
        if (memory.graph().node(step.node).op == "Adam")
            for (const int written : step.writes) {
                const int place = memory.buffers()[std::size_t(written)].updates;
                QVERIFY(place >= 0);
                QVERIFY(places.insert(place).second); // each has a place of its own
            }
    QCOMPARE(places.size(), std::size_t(6)); // two weights with two moments each
    // Weights and moments are there from the first to the last step.
    const SearchSpace space(memory, {test::ownOrder(memory)});
    Trace trace;
    const std::vector<Policy> keep(space.evictions().size(), Policy::Keep);
    Simulator(memory, space.evictions()).run(*space.arrange(0, {}), keep, &trace);
    QVERIFY(trace.runs.back().bytes >= memory.residentBytes() + 2 * 8 * K);
}

void SimulationTest::whatReadsAWeightIsNotComputedAgainBehindItsUpdate()
{
    Sketch s;
    const TensorId x = s.input("x", {16, 16}), w = s.weight({16, 16});
    const TensorId y = s.call("MatMul", {x, w});
    const TensorId updated = s.call("Sub", {w, turned(s, y)});
    TensorId z = turned(s, y);
    for (int i = 0; i < 5; ++i)
        z = turned(s, z);
    const TensorId joined = s.call("Concat", {z, y}, {test::integer("axis", 0)});
    Run run(s.finish({joined, updated}), double(K), true);
    run.evict(y, Policy::Recompute).bytes();
    QVERIFY(!run.outcome.possible);
    run.evict(y, Policy::Swap).bytes();
    QVERIFY(run.outcome.possible);
}

void SimulationTest::withoutPoliciesItIsThePeakOfTheOrder()
{
    test::Random random(1);
    for (int round = 0; round < 100; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 5 + int(test::below(random, 60)));
        const std::vector<int> order = test::randomOrder(memory, random);
        const SearchSpace space(memory, {order});
        const std::vector<Policy> keep(space.evictions().size(), Policy::Keep);
        const Outcome outcome =
            Simulator(memory, space.evictions()).run(*space.arrange(0, {}), keep);
        QVERIFY2(outcome.peak == memory.residentBytes() + peakOf(memory, order),
                 qPrintable(QString("round %1").arg(round)));
    }
}

void SimulationTest::tracesOfRandomStatesAreSound()
{
    test::Random random(2);
    int possible = 0, evicted = 0;
    for (int round = 0; round < 300; ++round) {
        Device slow = device(double(1 + test::below(random, 400)));
        const MemoryGraph memory = test::memoryOf(
            test::randomMemory(random, 10 + int(test::below(random, 60))).graph(), slow);
        const SearchSpace space(memory,
                                {test::ownOrder(memory), test::randomOrder(memory, random)});
        std::vector<Policy> policies(space.evictions().size(), Policy::Keep);
        for (Policy &policy : policies)
            if (test::chance(random, 0.4))
                policy = test::chance(random, 0.5) ? Policy::Swap : Policy::Recompute;
        const auto arrangement = space.arrange(int(test::below(random, 2)), {});
        Trace trace;
        const Outcome outcome =
            Simulator(memory, space.evictions()).run(*arrangement, policies, &trace);
        if (!outcome.possible)
            continue;
        ++possible;
        evicted += trace.runs.size() > memory.steps().size() || !trace.transfers.empty();
        const std::string defect = defectOf(memory, *arrangement, trace);
        QVERIFY2(defect.empty(), (defect + ", round " + std::to_string(round)).c_str());
        QVERIFY(outcome.seconds >= double(trace.runs.size()));
    }
    QVERIFY(possible > 150 && evicted > 100);
}

void SimulationTest::tracesOfRandomFissionsAreSound()
{
    test::Random random(3);
    Sketch s;
    TensorId x = s.input("x", {12, 4, 8, 8});
    for (int block = 0; block < 3; ++block)
        x = s.call("Add", {x, s.call("Relu", {s.conv(s.call("Sigmoid", {x}), 4, 4)})});
    const Graph model = s.finish({s.call("Flatten", {s.call("GlobalAveragePool", {x})})});
    const auto training = trainingModel(*testing::modelOf(model), {});
    QVERIFY(training.has_value());
    const MemoryGraph memory =
        test::memoryOf(training->model.graph, device(4096), true, opsetsOf(training->model));
    const SearchSpace space(memory, portfolio(memory, scheduled(memory, {})));
    std::vector<int> all(memory.buffers().size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int> candidates = buildFissionTree(space, all, 6);
    QVERIFY(candidates.size() >= 8);
    Simulator simulator(memory, space.evictions());
    int nested = 0, evicted = 0;
    for (int round = 0; round < 800; ++round) {
        std::vector<EnabledFission> fissions;
        for (std::uint64_t i = 0, count = 1 + test::below(random, 3); i < count; ++i) {
            const int fission = candidates[test::below(random, candidates.size())];
            const auto &numbers = space.fissions().fission(fission).numbers();
            if (numbers.size() > 1 &&
                std::ranges::find(fissions, fission, &EnabledFission::fission) == fissions.end())
                fissions.push_back({fission, numbers[1 + test::below(random, numbers.size() - 1)]});
        }
        const auto arrangement =
            space.arrange(int(test::below(random, space.orders().size())), fissions);
        if (!arrangement)
            continue;
        QVERIFY(test::isValidOrder(memory, arrangement->order()));
        std::vector<Policy> policies(space.evictions().size(), Policy::Keep);
        if (test::chance(random, 0.7))
            for (Policy &policy : policies)
                if (test::chance(random, 0.1))
                    policy = test::chance(random, 0.5) ? Policy::Swap : Policy::Recompute;
        Trace trace;
        if (!simulator.run(*arrangement, policies, &trace).possible)
            continue;
        nested += arrangement->regions().size() > 1;
        evicted += trace.runs.size() > memory.steps().size() || !trace.transfers.empty();
        const std::string defect = defectOf(memory, *arrangement, trace);
        QVERIFY2(defect.empty(), (defect + ", round " + std::to_string(round)).c_str());
    }
    QVERIFY(nested > 50 && evicted > 50);
}

QTEST_APPLESS_MAIN(SimulationTest)
#include "simulation_test.moc"

// SPDX-License-Identifier: Apache-2.0
// Memory and time of small graphs, by hand. Kernels take a second each whatever they do, unless a
// test says otherwise, and weights count only where they are looked at.
#include "engine/autodiff/training.h"
#include "tests/plugins/magis/simulation/simulated_run.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::simulation_test {

using namespace graphloom::magis;
using test::Bytes;
using test::K;
using test::Mlp;
using test::Run;
using test::Sketch;
using test::Skip;
using test::turned;

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
    void everyTransferCosts();
    void workspacesCount();
    void updatesTakeTheirWeightsPlace();
    void statesOfAnOptimizerAreUpdatedInPlace();
    void whatReadsAWeightIsNotComputedAgainBehindItsUpdate();
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
    QCOMPARE(run.outcome.peakRun, RunIndex(0));
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
        run.trace.lives, [](const Trace::Life &life) { return life.takesOver.isValid(); });
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
    QCOMPARE(run.trace.runs[RunIndex(7)].position, Position(7)); // for the sum
    QCOMPARE(run.trace.runAt[Position(7)], RunIndex(9));
}

void SimulationTest::inputsStayForWhatIsComputedAgain()
{
    const Skip skip;
    Run run(skip.graph);
    run.evict(skip.kept, Policy::Recompute).bytes();
    const BufferIndex input = run.memory.bufferOf(skip.x);
    const auto life = std::ranges::find(run.trace.lives, input, &Trace::Life::buffer);
    QCOMPARE(life->first, RunIndex(0));
    QCOMPARE(life->last, RunIndex(7));
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
    QCOMPARE(run.trace.transfers[0].start, 2.0);
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
    QCOMPARE(run.trace.runs[RunIndex(7)].start, 10.0);
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

void SimulationTest::everyTransferCosts()
{
    const Skip skip;
    Device device = test::secondsDevice(double(K) / 2); // two seconds each way, and one besides
    device.transferSeconds = 1;
    const MemoryGraph memory = test::memoryOf(skip.graph, device, false);
    const SearchSpace space(memory, {test::ownOrder(memory)});
    Policies policies = space.keepAll();
    for (const EvictionIndex e : space.evictionsOf(memory.bufferOf(skip.kept)))
        policies[e] = Policy::Swap;
    Trace trace;
    Simulator(memory, space.evictions()).run(*space.arrange(firstOrder, {}), policies, &trace);
    QCOMPARE(trace.transfers.size(), std::size_t(2));
    for (const Trace::Transfer &transfer : trace.transfers)
        QCOMPARE(transfer.end - transfer.start, 3.0);
}

/// Sums of a product that are cut need memory for their pieces while it runs, and only then.
void SimulationTest::workspacesCount()
{
    Sketch s;
    const TensorId x = s.input("x", {16, 512});
    const TensorId y = s.call("MatMul", {x, s.weight({512, 16})}); // 1 KiB
    const Graph graph = s.finish({turned(s, y)});
    Device device = test::secondsDevice();
    device.units = 4;
    device.tile = 16;
    device.peakFlops = 1; // so that a wave less is worth writing the pieces
    const auto runOn = [&] {
        const MemoryGraph memory = test::memoryOf(graph, device, false);
        const SearchSpace space(memory, {test::ownOrder(memory)});
        Trace trace;
        Simulator(memory, space.evictions())
            .run(*space.arrange(firstOrder, {}), space.keepAll(), &trace);
        return trace;
    };
    const Trace whole = runOn();
    device.tileDepth = 128; // four pieces
    const Trace cut = runOn();
    const RunIndex product(0), turn(1);
    QCOMPARE(whole.runs[product].workspace, std::int64_t(0));
    QCOMPARE(cut.runs[product].workspace, 4 * K);
    QCOMPARE(cut.runs[product].bytes, whole.runs[product].bytes + 4 * K);
    QCOMPARE(cut.runs[turn].bytes, whole.runs[turn].bytes);
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

void SimulationTest::updatesTakeTheirWeightsPlace()
{
    Sketch s;
    const TensorId x = s.input("x", {16, 16}), w = s.weight({16, 16});
    const TensorId y = s.call("MatMul", {x, w});
    const TensorId updated = s.call("Sub", {w, y});
    const Graph graph = s.finish({updated});
    Run run(graph, 0, true);
    QCOMPARE(run.memory.buffers()[run.memory.bufferOf(updated)].updates, run.memory.bufferOf(w));
    QCOMPARE(run.bytes(), (Bytes{3 * K, 2 * K})); // w x y | w y
    // Of several places, that of a weight: it is there in any case.
    Sketch t;
    const TensorId g = t.input("g", {16, 16}), v = t.weight({16, 16});
    const TensorId next = t.call("Sub", {g, v});
    const MemoryGraph both = test::memoryOf(t.finish({next}));
    QCOMPARE(both.buffers()[both.bufferOf(next)].updates, both.bufferOf(v));
}

void SimulationTest::statesOfAnOptimizerAreUpdatedInPlace()
{
    const Mlp mlp;
    const auto training =
        trainingModel(*test::modelOf(mlp.graph), {.optimizer = TrainingOptions::Optimizer::Adam,
                                                  .loss = TrainingOptions::Loss::SquaredError});
    QVERIFY(training.has_value());
    const Graph &graph = training->model.graph;
    const MemoryGraph memory =
        test::memoryOf(graph, test::secondsDevice(), true, opsetsOf(training->model));
    std::set<BufferIndex> places;
    for (const Step &step : memory.steps())
        if (memory.graph().node(step.node).op == "Adam")
            for (const BufferIndex written : step.writes) {
                const BufferIndex place = memory.buffers()[written].updates;
                QVERIFY(place.isValid());
                QVERIFY(places.insert(place).second); // each has a place of its own
            }
    QCOMPARE(places.size(), std::size_t(6)); // two weights with two moments each
    // Weights and moments are there from the first to the last step.
    const SearchSpace space(memory, {test::ownOrder(memory)});
    Trace trace;
    Simulator(memory, space.evictions())
        .run(*space.arrange(firstOrder, {}), space.keepAll(), &trace);
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

GRAPHLOOM_TESTS(SimulationTest)

} // namespace graphloom::test::simulation_test

#include "simulation_test.moc"

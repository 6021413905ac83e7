// SPDX-License-Identifier: Apache-2.0
// Traces of random states: nothing is read that is not there.
#include "engine/autodiff/training.h"
#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/search/fission_tree.h"
#include "tests/plugins/magis/random_memory.h"
#include "tests/plugins/magis/simulation/simulated_run.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::simulation_traces_test {

using namespace graphloom::magis;
using test::Sketch;

namespace {

/// Bytes of all lives that hold a run, without those that are taken over, with weights and with
/// what fissions need besides.
std::int64_t bytesAt(const MemoryGraph &memory, const Arrangement &arrangement, const Trace &trace,
                     RunIndex run)
{
    std::int64_t bytes = memory.residentBytes();
    for (const Arrangement::Extra &extra : arrangement.extras())
        if (trace.runAt[extra.begin] <= run && run <= trace.runAt[extra.end])
            bytes += extra.bytes;
    const Trace::Run &what = trace.runs[run];
    if (what.again) // results that are there already are there twice
        for (const BufferIndex b : memory.steps()[what.step].writes)
            if (std::ranges::none_of(trace.lives, [&](const Trace::Life &life) {
                    return life.buffer == b && life.first == run;
                }))
                bytes += arrangement.bytes(b);
    std::int64_t inFirst = 0, inOthers = 0; // parts
    for (const Trace::Life &life : trace.lives) {
        if (life.takesOver.isValid() && life.first == run)
            continue;
        if (life.firstInFirst <= run && run <= life.last)
            inFirst += life.bytes;
        if (life.first <= run && run <= life.lastLater)
            inOthers += life.bytes;
    }
    return bytes + std::max(inFirst, inOthers);
}

/// Is the run the first one of a region around a step?
bool beginsRegion(const Arrangement &arrangement, const Trace &trace, StepIndex step, RunIndex run)
{
    for (RegionIndex r = arrangement.regionAt(arrangement.position(step)); r.isValid();
         r = arrangement.regions()[r].parent) {
        // What is computed again for its first step belongs to it.
        const Position begin = arrangement.regions()[r].begin;
        if (trace.runs[run].position == begin)
            return true;
    }
    return false;
}

/// Each run has all it reads in memory, and each life begins with what gives it its elements: the
/// start, its producer (or the first run of a fission that hands on parts of it), or a load of what
/// was stored before. Says what is wrong.
std::string defectOf(const MemoryGraph &memory, const Arrangement &arrangement, const Trace &trace)
{
    const auto isAlive = [&](BufferIndex buffer, RunIndex run) {
        return std::ranges::any_of(trace.lives, [&](const Trace::Life &life) {
            return life.buffer == buffer && life.first <= run && run <= life.last;
        });
    };
    for (const RunIndex r : trace.runs.indices()) {
        const std::string run = "run " + std::to_string(r.number());
        const Step &step = memory.steps()[trace.runs[r].step];
        for (const BufferIndex b : step.reads)
            if (!memory.buffers()[b].resident && !isAlive(b, r))
                return run + " reads what is not there";
        for (const BufferIndex b : step.writes)
            if (!isAlive(b, r))
                return run + " writes what has no memory";
        if (bytesAt(memory, arrangement, trace, r) + trace.runs[r].workspace != trace.runs[r].bytes)
            return run + " does not need the bytes of its lives";
    }
    for (const Trace::Life &life : trace.lives) {
        const StepIndex producer = memory.buffers()[life.buffer].producer;
        const bool computed =
            producer.isValid() && (trace.runs[life.first].step == producer ||
                                   beginsRegion(arrangement, trace, producer, life.first));
        const bool loaded = std::ranges::any_of(trace.transfers, [&](const Trace::Transfer &load) {
            return load.load && load.buffer == life.buffer;
        });
        if (!computed && !loaded && !(!producer.isValid() && life.first == RunIndex(0)))
            return "a life begins with nothing";
    }
    for (const BufferIndex b : memory.buffers().indices())
        if (memory.buffers()[b].kept && !memory.buffers()[b].resident &&
            !isAlive(b, trace.runs.lastIndex()))
            return "an output is not there at the end";
    for (const Trace::Transfer &load : trace.transfers)
        if (load.load && std::ranges::none_of(trace.transfers, [&](const Trace::Transfer &store) {
                return !store.load && store.buffer == load.buffer && store.end <= load.start + 1e-9;
            }))
            return "a load begins before its store has ended";
    return {};
}

/// Whether what is stored is there until its store has ended, in each part of the fissions that are
/// in no other one: parts run one after the other, and a trace has their runs once. Says what is
/// not; counts the stores that end while parts run.
std::string goneTooSoon(const Arrangement &arrangement, const Trace &trace, int &during)
{
    const auto start = [&](RunIndex run) { return trace.runs[run].start; };
    for (const Trace::Transfer &store : trace.transfers) {
        if (store.load || arrangement.scope(store.buffer).isValid())
            continue;
        const Trace::Life *life = nullptr; // that is stored
        for (const Trace::Life &other : trace.lives)
            if (other.buffer == store.buffer && start(other.first) <= store.start)
                life = &other;
        for (const Arrangement::Region &region : arrangement.regions()) {
            std::vector<RunIndex> runs;
            for (const RunIndex r : trace.runs.indices())
                if (const Position at = trace.runs[r].position;
                    region.begin <= at && at <= region.end)
                    runs.push_back(r);
            const double begin = start(runs.front()),
                         all = start(runs.back()) + trace.runs[runs.back()].seconds - begin;
            if (region.parent.isValid() || store.end <= begin || store.end >= begin + all)
                continue;
            ++during;
            struct Part {
                double from, share;
                RunIndex last;
            };
            for (const auto &[from, share, last] :
                 {Part{0, region.firstShare, life->last},
                  Part{region.firstShare, region.secondShare, life->lastLater},
                  Part{1 - region.lastShare, region.lastShare, life->lastLater}})
                for (const RunIndex r : runs)
                    if (begin + from * all + share * (start(r) - begin) < store.end - 1e-6 * all &&
                        r > last)
                        return "run " + std::to_string(r.number()) +
                               " begins while what is gone is stored";
        }
    }
    return {};
}

} // namespace

class SimulationTracesTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutPoliciesItIsThePeakOfTheOrder();
    void tracesOfRandomStatesAreSound();
    void tracesOfRandomFissionsAreSound();
};

void SimulationTracesTest::withoutPoliciesItIsThePeakOfTheOrder()
{
    test::Random random(1);
    for (int round = 0; round < 100; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 5 + int(test::below(random, 60)));
        const StepOrder order = test::randomOrder(memory, random);
        const SearchSpace space(memory, {order});
        const Outcome outcome = Simulator(memory, space.evictions())
                                    .run(*space.arrange(firstOrder, {}), space.keepAll());
        QVERIFY2(outcome.peak == memory.residentBytes() + peakOf(memory, order),
                 qPrintable(QString("round %1").arg(round)));
    }
}

void SimulationTracesTest::tracesOfRandomStatesAreSound()
{
    test::Random random(2);
    int possible = 0, evicted = 0;
    for (int round = 0; round < 300; ++round) {
        Device slow = test::secondsDevice(double(1 + test::below(random, 400)));
        const MemoryGraph memory = test::memoryOf(
            test::randomMemory(random, 10 + int(test::below(random, 60))).graph(), slow);
        const SearchSpace space(memory,
                                {test::ownOrder(memory), test::randomOrder(memory, random)});
        Policies policies = space.keepAll();
        for (Policy &policy : policies)
            if (test::chance(random, 0.4))
                policy = test::chance(random, 0.5) ? Policy::Swap : Policy::Recompute;
        const auto arrangement = space.arrange(OrderIndex(test::below(random, 2)), {});
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

void SimulationTracesTest::tracesOfRandomFissionsAreSound()
{
    test::Random random(3);
    Sketch s;
    TensorId x = s.input("x", {12, 4, 8, 8});
    for (int block = 0; block < 3; ++block)
        x = s.call("Add", {x, s.call("Relu", {s.conv(s.call("Sigmoid", {x}), 4, 4)})});
    const Graph model = s.finish({s.call("Flatten", {s.call("GlobalAveragePool", {x})})});
    const auto training = trainingModel(*test::modelOf(model), {});
    QVERIFY(training.has_value());
    const MemoryGraph memory = test::memoryOf(training->model.graph, test::secondsDevice(600), true,
                                              opsetsOf(training->model));
    const SearchSpace space(memory, portfolio(memory, scheduled(memory, {})));
    std::vector<BufferIndex> all;
    for (const BufferIndex b : memory.buffers().indices())
        all.push_back(b);
    const std::vector<FissionIndex> candidates = buildFissionTree(space, all, 6);
    QVERIFY(candidates.size() >= 8);
    Simulator simulator(memory, space.evictions());
    int nested = 0, evicted = 0, during = 0;
    for (int round = 0; round < 800; ++round) {
        std::vector<EnabledFission> fissions;
        for (std::uint64_t i = 0, count = 1 + test::below(random, 3); i < count; ++i) {
            const FissionIndex fission = candidates[test::below(random, candidates.size())];
            const auto &numbers = space.fissions().fission(fission).numbers();
            if (numbers.size() > 1 &&
                std::ranges::find(fissions, fission, &EnabledFission::fission) == fissions.end())
                fissions.push_back({fission, numbers[1 + test::below(random, numbers.size() - 1)]});
        }
        const auto arrangement =
            space.arrange(OrderIndex(test::below(random, space.orders().size())), fissions);
        if (!arrangement)
            continue;
        QVERIFY(test::isValidOrder(memory, arrangement->order()));
        Policies policies = space.keepAll();
        if (test::chance(random, 0.7))
            for (Policy &policy : policies)
                if (test::chance(random, 0.1))
                    policy = test::chance(random, 0.5) ? Policy::Swap : Policy::Recompute;
        Trace trace;
        if (!simulator.run(*arrangement, policies, &trace).possible)
            continue;
        nested += arrangement->regions().size() > 1;
        evicted += trace.runs.size() > memory.steps().size() || !trace.transfers.empty();
        const std::string defect =
            defectOf(memory, *arrangement, trace) + goneTooSoon(*arrangement, trace, during);
        QVERIFY2(defect.empty(), (defect + ", round " + std::to_string(round)).c_str());
    }
    QVERIFY2(nested > 50 && evicted > 50 && during > 15, std::to_string(during).c_str());
}

GRAPHLOOM_TESTS(SimulationTracesTest)

} // namespace graphloom::test::simulation_traces_test

#include "simulation_traces_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/target/call_timing.h"

#include "engine/cost/call_work.h"
#include "engine/fusion/blocks/measured_blocks.h"
#include "engine/profile/kernel_key.h"
#include "engine/target/call_bench.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::call_timing_test {

using test::Sketch;

namespace {

/// A plan whose steps are its blocks. Each takes as many milliseconds as the longest name of its
/// operators has letters.
class LetterPlan final : public BuiltPlan {
public:
    explicit LetterPlan(const Plan &plan) : m_plan(plan)
    {
        for (const std::vector<NodeId> &block : kernelBlocksOf(plan)) {
            PlanStep step;
            step.block = std::uint32_t(m_steps.size());
            m_steps.push_back(std::move(step));
            std::size_t letters = 0;
            for (const NodeId id : block)
                letters = std::max(letters, plan.graph.node(id).op.size());
            m_seconds.push_back(1e-3 * double(letters));
        }
    }
    const std::vector<PlanStep> &steps() const override { return m_steps; }
    PlanMemory memory() const override { return {}; }
    unsigned threads() const override { return 1; }
    std::string toolchain() const override { return "none"; }
    Provenance provenance() const override { return Provenance::Emulated; }
    Result<void> setInputs(const std::vector<TensorData> &inputs) override
    {
        return inputs.size() == m_plan.graph.inputs().size()
                   ? Result<void>()
                   : fail(Error::Kind::Usage, "wrong inputs");
    }
    Result<void> runOnce() override { return {}; }
    Result<std::vector<TensorData>> outputs() const override { return std::vector<TensorData>(); }
    Result<std::vector<double>> timeSteps() override { return m_seconds; }
    Result<std::vector<TraceSlice>> trace() override { return std::vector<TraceSlice>(); }

private:
    Plan m_plan;
    std::vector<PlanStep> m_steps;
    std::vector<double> m_seconds;
};

class FakeTarget final : public Target {
public:
    std::string_view name() const override { return "fake"; }
    std::string_view help() const override { return ""; }
    std::vector<std::string> devices() const override { return {"one"}; }
    Result<Device> describe(const std::string &, std::stop_token) const override
    {
        return *findDevice("phone-cpu");
    }
    std::vector<Finding> probe() const override { return {{"compiler", true, compiler}}; }
    std::string fingerprint(const std::string &) const override { return compiler; }
    Result<std::vector<SourceFile>> generate(const Plan &, const BuildOptions &) const override
    {
        return std::vector<SourceFile>();
    }
    Result<Plan> tune(const Plan &plan, const TuneOptions &) const override
    {
        return plan;
    }
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan, const BuildOptions &) const override
    {
        ++builds;
        for (const NodeId id : plan.graph.order())
            if (plan.graph.node(id).op == broken)
                return fail(Error::Kind::Fault, "does not compile");
        return std::make_shared<LetterPlan>(plan);
    }
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override
    {
        auto measured = measureInTurns(plans, options);
        for (Measurement &measurement : *measured) {
            measurement.whole.min = between * double(measurement.steps.size());
            for (const Times &step : measurement.steps)
                measurement.whole.min += step.min;
        }
        return measured;
    }

    std::string compiler = "cc 1.0", broken;
    double between = 0; // milliseconds, at each step
    mutable int builds = 0;
};

/// Two equal convolutions, each with a Sigmoid behind it.
Graph network()
{
    Sketch s;
    TensorId x = s.input("x", {1, 8, 16, 16});
    for (int i = 0; i < 2; ++i)
        x = s.call("Sigmoid", {s.conv(x, 8, 8)});
    return s.finish({x});
}

std::vector<CallPart> callsOf(const Graph &graph)
{
    std::vector<CallPart> calls;
    for (const NodeId id : graph.order()) {
        const Call call(graph.node(id), operandsOf(graph, graph.node(id)), 17);
        calls.push_back(wholeCall(call, *describe(call)));
    }
    return calls;
}

struct Case {
    Graph graph = network();
    std::vector<CallPart> calls = callsOf(graph);
    std::shared_ptr<FakeTarget> target = std::make_shared<FakeTarget>();
    CallTimingOptions options;

    std::vector<Result<double>> times(const TimingLimits &limits = {})
    {
        return timerOn(target, options)->time(graph, test::sketchOpset, calls, limits);
    }
    void keep()
    {
        options.database = std::make_shared<ProfileDatabase>(*ProfileDatabase::inMemory());
    }
    int kept() const
    {
        int count = 0;
        (void)options.database->forEach([&](const auto &, const auto &) { ++count; });
        return count;
    }
};

} // namespace

class CallTimingTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callsGetTheTimesOfTheirSteps();
    void whatPassesBetweenStepsCounts();
    void whatIsKnownIsNotMeasuredAgain();
    void otherCompilersMeasureAnew();
    void otherVersionsMeasureAnew();
    void otherThreadsMeasureAnew();
    void oneCallThatFailsIsNoHarmToOthers();
    void callsAreMeasuredAsOftenAsWanted();
    void whatWasNotMeasuredOftenEnoughIsNotKept();
    void largeCallsAreNotRun();
    void whenTimeIsOverNothingIsRun();
    void stoppedNothingIsRun();
    void neighboursGiveTheOrderInMemory();
    void aPartReadsPartsOfWeights();
    void blocksAreTimedAsOneKernel();
    void whatStaysInABlockIsNotHandedOn();
    void timesOfBlocksAreFoundByFusion();
    void otherTargetsAreMissing();
};

void CallTimingTest::callsGetTheTimesOfTheirSteps()
{
    Case with;
    with.keep();
    const auto times = with.times();
    QCOMPARE(times.size(), 4U);
    for (int i = 0; i < 4; ++i)
        QVERIFY(times[std::size_t(i)]);
    QCOMPARE(*times[0], 4e-3); // "Conv"
    QCOMPARE(*times[1], 7e-3); // "Sigmoid"
    QCOMPARE(with.target->builds, 1);
    // Calls that are alike are one, but what is at the border of the graph has no order to choose.
    QCOMPARE(with.kept(), 4);
}

void CallTimingTest::whatPassesBetweenStepsCounts()
{
    Case with;
    with.target->between = 0.5;
    const auto times = with.times();
    QVERIFY(times[0] && times[1]);
    QCOMPARE(*times[0], 4.5e-3);
    QCOMPARE(*times[1], 7.5e-3);
}

void CallTimingTest::whatIsKnownIsNotMeasuredAgain()
{
    Case with;
    with.keep();
    with.times();
    const auto again = with.times({.seconds = 0});
    QCOMPARE(with.target->builds, 1);
    QCOMPARE(*again[1], 7e-3);
}

void CallTimingTest::otherCompilersMeasureAnew()
{
    Case with;
    with.keep();
    with.times();
    with.target->compiler = "cc 2.0";
    with.times();
    QCOMPARE(with.target->builds, 2);
}

void CallTimingTest::otherVersionsMeasureAnew()
{
    Case with;
    with.keep();
    with.times();
    with.options.version = "2";
    with.times();
    QCOMPARE(with.target->builds, 2);
}

void CallTimingTest::otherThreadsMeasureAnew()
{
    Case with;
    with.keep();
    with.options.threads = 1;
    with.times();
    with.options.threads = 2;
    with.times();
    QCOMPARE(with.target->builds, 2);
}

void CallTimingTest::oneCallThatFailsIsNoHarmToOthers()
{
    Case with;
    with.target->broken = "Sigmoid";
    const auto times = with.times();
    QVERIFY(times[0] && times[2]);
    QVERIFY(!times[1]);
    QCOMPARE(times[1].error().message, std::string("does not compile"));
}

void CallTimingTest::callsAreMeasuredAsOftenAsWanted()
{
    Case with;
    with.keep();
    with.options.times = 3;
    QCOMPARE(*with.times()[0], 4e-3);
    QCOMPARE(with.target->builds, 3);
    QCOMPARE(with.kept(), 4);
}

void CallTimingTest::whatWasNotMeasuredOftenEnoughIsNotKept()
{
    Case with;
    with.keep();
    with.options.times = 2;
    std::stop_source stop;
    const auto times =
        with.times({.stop = stop.get_token(), .progress = [&](double, std::string_view) {
                        stop.request_stop(); // after the first batch
                    }});
    QCOMPARE(with.target->builds, 1);
    QVERIFY(times[0]);
    QCOMPARE(with.kept(), 0);
}

void CallTimingTest::largeCallsAreNotRun()
{
    Case with;
    with.options.mostBytes = 1000;
    const auto times = with.times();
    QCOMPARE(with.target->builds, 0);
    QVERIFY(!times[0]);
    QVERIFY(times[0].error().message.find("MiB to measure") != std::string::npos);
    QCOMPARE(times[0].error().where, with.calls[0].node.label());
}

void CallTimingTest::whenTimeIsOverNothingIsRun()
{
    Case with;
    const auto times = with.times({.seconds = 0});
    QCOMPARE(with.target->builds, 0);
    QCOMPARE(times[0].error().message, std::string("the time for measuring is used up"));
}

void CallTimingTest::stoppedNothingIsRun()
{
    Case with;
    std::stop_source stop;
    stop.request_stop();
    const auto times = with.times({.stop = stop.get_token()});
    QCOMPARE(with.target->builds, 0);
    QVERIFY(!times[0]);
}

/// A convolution's result is channels last where it is not the graph's: so is what the second one
/// reads, from a block of its own.
void CallTimingTest::neighboursGiveTheOrderInMemory()
{
    const Case with;
    const auto layouts = kernelLayouts(with.graph, test::sketchOpset);
    const KernelCalls second(&with.calls[2], 1);
    QCOMPARE(layouts.at(second.front().node.inputs[0]), Layout::ChannelsLast);
    const auto bench = benchOf(with.graph, {&second, 1}, layouts);
    QVERIFY(bench);
    const Graph &graph = bench->plan.graph;
    QCOMPARE(graph.nodeCount(), 3U);
    const Node &call = graph.node(bench->kernels[0][0]);
    QVERIFY(graph.producer(call.inputs[0]).valid());
    QVERIFY(graph.tensor(call.inputs[1]).constant);
    QCOMPARE(bench->plan.layouts->tensors.at(call.inputs[0]), Layout::ChannelsLast);
    QCOMPARE(bench->layouts[0], std::string("ll"));
    // At the border it is as there.
    const KernelCalls first(&with.calls[0], 1);
    const auto border = benchOf(with.graph, {&first, 1}, layouts);
    QVERIFY(border);
    QVERIFY(border->plan.graph.isInput(border->plan.graph.node(border->kernels[0][0]).inputs[0]));
}

void CallTimingTest::aPartReadsPartsOfWeights()
{
    const Case with;
    const CallPart &whole = with.calls[2];
    const auto splits = CallWork(whole.description, whole.call()).splits();
    const auto channels =
        std::ranges::find_if(splits, [](const Split &split) { return split.outputs[0].dim == 1; });
    QVERIFY(channels != splits.end());
    const auto part = callPart(whole, *channels, 0, 2);
    QVERIFY(part);
    const KernelCalls one(&*part, 1);
    const auto bench = benchOf(with.graph, {&one, 1}, {});
    QVERIFY(bench);
    const Graph &graph = bench->plan.graph;
    const Tensor &weight = graph.tensor(graph.node(bench->kernels[0][0]).inputs[1]);
    QVERIFY(weight.constant);
    QCOMPARE((*weight.shape)[0], Dim(2));
}

void CallTimingTest::blocksAreTimedAsOneKernel()
{
    const Case with;
    const auto order = with.graph.order();
    const std::vector<std::vector<NodeId>> blocks = {{order[0]}, {order[0], order[1]}};
    const auto times =
        timerOn(with.target, with.options)->timeBlocks(with.graph, test::sketchOpset, blocks, {});
    QCOMPARE(with.target->builds, 1);
    QVERIFY(times[0] && times[1]);
    QCOMPARE(times[0]->seconds, 4e-3);
    QCOMPARE(times[1]->seconds, 7e-3);
    QVERIFY(times[1]->runs > 1);
    QCOMPARE(times[1]->provenance, Provenance::Emulated);
}

void CallTimingTest::whatStaysInABlockIsNotHandedOn()
{
    const Case with;
    const KernelCalls both(with.calls.data(), 2), first(with.calls.data(), 1);
    const auto bench = benchOf(with.graph, {&both, 1}, {});
    QVERIFY(bench);
    const Graph &graph = bench->plan.graph;
    QCOMPARE(bench->kernels[0].size(), 2U);
    const TensorId middle = graph.node(bench->kernels[0][0]).outputs[0];
    QCOMPARE(graph.uses(middle).size(), 1U);
    QCOMPARE(graph.uses(middle)[0].node, bench->kernels[0][1]);
    QCOMPARE(kernelBlocksOf(bench->plan).front(), bench->kernels[0]);
    // By itself, the convolution hands it on.
    const auto alone = benchOf(with.graph, {&first, 1}, {});
    QVERIFY(alone);
    const auto &convolution = alone->plan.graph.node(alone->kernels[0][0]);
    const Use reader = alone->plan.graph.uses(convolution.outputs[0])[0];
    QCOMPARE(alone->plan.graph.node(reader.node).op, std::string("Neg"));
}

void CallTimingTest::timesOfBlocksAreFoundByFusion()
{
    Case with;
    with.keep();
    const Opsets opsets = test::sketchOpset;
    const auto order = with.graph.order();
    const std::vector<std::vector<NodeId>> blocks = {{order[0], order[1]}};
    const auto timer = timerOn(with.target, with.options);
    QVERIFY(timer->timeBlocks(with.graph, opsets, blocks, {})[0]);
    const auto device = timer->device({});
    QVERIFY(device);
    const auto known =
        BlockMeasurements::of(with.options.database.get(),
                              profiledDevice(*device, with.options.threads), with.graph, opsets);
    QVERIFY(known);
    const auto found = measuredBlocks(*known).lookup(blocks[0], KernelForm::Any);
    QVERIFY(found);
    QCOMPARE(found->seconds, 7e-3);
}

void CallTimingTest::otherTargetsAreMissing()
{
    bool opened = false;
    const CallTimers timers = timersOn(
        [] {
            return std::vector<TargetPlugin>{{"fake.so", std::make_shared<FakeTarget>(), ""},
                                             {"bad.so", nullptr, "crashes"}};
        },
        {},
        [&] {
            opened = true;
            return Result<std::shared_ptr<ProfileDatabase>>(nullptr);
        });
    const auto missing = timers("host");
    QVERIFY(!missing);
    QCOMPARE(missing.error().kind, Error::Kind::Missing);
    QVERIFY(missing.error().message.find("bad.so: crashes") != std::string::npos);
    QVERIFY(!opened);
    QVERIFY(timers("fake"));
    QVERIFY(opened);
}

GRAPHLOOM_TESTS(CallTimingTest)

} // namespace graphloom::test::call_timing_test

#include "call_timing_test.moc"

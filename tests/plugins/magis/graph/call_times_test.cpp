// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/call_part.h"
#include "plugins/magis/graph/call_times.h"

#include "tests/plugins/magis/fake_timer.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::call_times_test {

using magis::CallTimes;
using test::FakeTimer;
using test::Sketch;
using Source = CallTimes::Source;

namespace {

const Device &phone()
{
    return *findDevice("phone-cpu");
}

/// Three equal layers and a wider one; each is a product and a Relu.
Graph layers()
{
    Sketch s;
    TensorId x = s.input("x", {64, 128});
    for (const std::int64_t next : {128, 128, 128, 512})
        x = s.call("Relu", {s.call("MatMul", {x, s.weight({128, next})})});
    return s.finish({x});
}

CallTimes timesOf(const Graph &graph)
{
    const std::vector<NodeId> nodes(graph.order().begin(), graph.order().end());
    auto times = CallTimes::of(graph, nodes, test::sketchOpset, phone());
    if (!times)
        qFatal("%s", times.error().text().c_str());
    return *std::move(times);
}

/// The split of the rows of a product or Relu of the layers.
int rowsOf(const Graph &graph, NodeId node)
{
    const Call call(graph.node(node), operandsOf(graph, graph.node(node)), 17);
    const std::vector<Split> splits = CallWork(*describe(call), call).splits();
    for (int s = 0; s < int(splits.size()); ++s)
        if (splits[std::size_t(s)].outputs[0].dim == 0)
            return s;
    qFatal("rows cannot be split");
}

} // namespace

class CallTimesTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callsThatAreAlikeAreTimedOnce();
    void measuredSecondsAreTaken();
    void whatCannotBeRunIsModelledAndSaid();
    void partsAreScaledLikeTheirCall();
    void measuredPartsAreTaken();
    void sharesBetweenMeasuredOnesAreInterpolated();
    void partsBelowTheSmallestKeepItsFactor();
    void partsOfCallsWithoutTimeAreNotAskedFor();
    void cutsOfOneSplitAreOneCut();
};

void CallTimesTest::callsThatAreAlikeAreTimedOnce()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    times.timeCalls(timer, {});
    QCOMPARE(timer.asked.size(), 4U); // of eight nodes
    QCOMPARE(times.measuredCalls(), 4U);
    QCOMPARE(times.kindOf(graph.order()[0]), times.kindOf(graph.order()[2]));
    QVERIFY(times.kindOf(graph.order()[0]) != times.kindOf(graph.order()[6]));
    // Those that matter most come first: time may be over before the last.
    QCOMPARE(timer.asked.front().node.outputs, graph.node(graph.order()[6]).outputs);
}

void CallTimesTest::measuredSecondsAreTaken()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    const NodeId node = graph.order()[0];
    QCOMPARE(times.sourceOf(node), Source::Modelled);
    QCOMPARE(times.seconds(node), times.modelled(node));
    FakeTimer timer(phone());
    times.timeCalls(timer, {});
    QCOMPARE(times.sourceOf(node), Source::Measured);
    QCOMPARE(times.seconds(node), 3 * times.modelled(node));
}

void CallTimesTest::whatCannotBeRunIsModelledAndSaid()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    timer.untimed = "Relu";
    times.timeCalls(timer, {});
    const NodeId relu = graph.order()[1];
    QCOMPARE(times.measuredCalls(), 2U);
    QCOMPARE(times.sourceOf(relu), Source::Modelled);
    QCOMPARE(times.seconds(relu), times.modelled(relu));
    QCOMPARE(times.problems().size(), 2U);
    QCOMPARE(times.problems()[0].reason, std::string("the time for measuring is used up"));
    QCOMPARE(graph.node(times.problems()[0].node).op, std::string("Relu"));
}

void CallTimesTest::partsAreScaledLikeTheirCall()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    times.timeCalls(timer, {});
    const NodeId node = graph.order()[0];
    const CallWork::Cut half{rowsOf(graph, node), 0.5};
    QCOMPARE(times.sourceOf(node, {&half, 1}), Source::Scaled);
    QCOMPARE(times.seconds(node, {&half, 1}), 3 * times.modelled(node, {&half, 1}));
}

void CallTimesTest::measuredPartsAreTaken()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    times.timeCalls(timer, {});
    timer.asked.clear();
    timer.factor = [](const CallPart &) { return 5.0; };
    const NodeId node = graph.order()[0];
    const CallWork::Cut half{rowsOf(graph, node), 0.5};
    // Of equal calls it is the same part.
    times.timeParts(timer,
                    std::vector<magis::PartOfCall>{{node, {half}}, {graph.order()[2], {half}}}, {});
    QCOMPARE(timer.asked.size(), 1U);
    QCOMPARE(*timer.asked[0].operands[0]->shape, (Shape{32, 128}));
    QCOMPARE(times.sourceOf(graph.order()[2], {&half, 1}), Source::Measured);
    QCOMPARE(times.seconds(node, {&half, 1}), 5 * times.modelled(node, {&half, 1}));
    QCOMPARE(times.seconds(node), 3 * times.modelled(node));
}

void CallTimesTest::sharesBetweenMeasuredOnesAreInterpolated()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    timer.factor = [](const CallPart &call) {
        return (*call.operands[0]->shape)[0] == Dim(64) ? 2.0 : 8.0;
    };
    const NodeId node = graph.order()[0];
    const int rows = rowsOf(graph, node);
    times.timeCalls(timer, {});
    const CallWork::Cut sixteenth{rows, 1.0 / 16}, quarter{rows, 0.25};
    times.timeParts(timer, std::vector<magis::PartOfCall>{{node, {sixteenth}}}, {});
    // Half way from 1 to 1/16 over the logarithm: the geometric mean of both factors.
    QCOMPARE(times.seconds(node, {&quarter, 1}), 4 * times.modelled(node, {&quarter, 1}));
}

void CallTimesTest::partsBelowTheSmallestKeepItsFactor()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    const NodeId node = graph.order()[0];
    const int rows = rowsOf(graph, node);
    times.timeCalls(timer, {});
    timer.factor = [](const CallPart &) { return 6.0; };
    const CallWork::Cut quarter{rows, 0.25}, sixteenth{rows, 1.0 / 16};
    times.timeParts(timer, std::vector<magis::PartOfCall>{{node, {quarter}}}, {});
    QCOMPARE(times.seconds(node, {&sixteenth, 1}), 6 * times.modelled(node, {&sixteenth, 1}));
}

void CallTimesTest::partsOfCallsWithoutTimeAreNotAskedFor()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    timer.untimed = "MatMul";
    times.timeCalls(timer, {});
    timer.asked.clear();
    const NodeId node = graph.order()[0];
    const CallWork::Cut half{rowsOf(graph, node), 0.5};
    times.timeParts(timer, std::vector<magis::PartOfCall>{{node, {half}}}, {});
    QVERIFY(timer.asked.empty());
    QCOMPARE(times.sourceOf(node, {&half, 1}), Source::Modelled);
}

void CallTimesTest::cutsOfOneSplitAreOneCut()
{
    const Graph graph = layers();
    CallTimes times = timesOf(graph);
    FakeTimer timer(phone());
    times.timeCalls(timer, {});
    timer.asked.clear();
    const NodeId node = graph.order()[0];
    const CallWork::Cut half{rowsOf(graph, node), 0.5}, quarter{rowsOf(graph, node), 0.25};
    times.timeParts(timer, std::vector<magis::PartOfCall>{{node, {half, half}}}, {});
    QCOMPARE(*timer.asked.at(0).operands[0]->shape, (Shape{16, 128}));
    QCOMPARE(times.sourceOf(node, {&quarter, 1}), Source::Measured);
}

GRAPHLOOM_TESTS(CallTimesTest)

} // namespace graphloom::test::call_times_test

#include "call_times_test.moc"

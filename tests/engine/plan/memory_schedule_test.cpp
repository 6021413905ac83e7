// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory_schedule.h"

#include "engine/plan/plan.h"
#include "tests/support/scheduled_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>

namespace graphloom::test::memory_schedule_test {

using test::ScheduledGraph;

class MemoryScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itHolds();
    void theFirstStepMayOverwriteItsInput();
    void thePeakIsCounted();
    void whatCannotBeIsRefused_data();
    void whatCannotBeIsRefused();
    void otherGraphsHaveOtherSchedules();
    void thePeakOfAPlanIsThatOfItsGraph();
};

void MemoryScheduleTest::itHolds()
{
    const ScheduledGraph made;
    const auto checked = checkSchedule(made.graph, made.schedule);
    QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
}

/// Both begin with the first step, whichever of them is listed first.
void MemoryScheduleTest::theFirstStepMayOverwriteItsInput()
{
    test::Sketch s;
    const TensorId x = s.input("x", {8}), y = s.call("Tanh", {x});
    const Graph graph = s.finish({y});
    MemorySchedule schedule;
    schedule.order.assign(graph.order().begin(), graph.order().end());
    schedule.graphHash = graph.hash();
    schedule.storages.push_back({32, 0, 0, false, 1, {{y, 0}}, {0}});
    schedule.storages.push_back({32, 0, 0, false, -1, {{x, 0}}, {0}});
    schedule.arenaBytes = 32;
    const auto checked = checkSchedule(graph, schedule);
    QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
    QCOMPARE(peakOf(schedule).bytes, std::int64_t(32));
}

void MemoryScheduleTest::thePeakIsCounted()
{
    ScheduledGraph made;
    QCOMPARE(peakOf(made.schedule).bytes, std::int64_t(64 + 4 + 1000)); // r and part: h is away
    QCOMPARE(peakOf(made.schedule).step, std::uint32_t(5));
    made.schedule.workspaces.clear();
    QCOMPARE(peakOf(made.schedule).bytes, std::int64_t(32 + 64 + 32)); // x, joined, b
    QCOMPARE(peakOf(made.schedule).step, std::uint32_t(2));
    made.schedule.swaps.clear(); // then h is there, too
    QCOMPARE(peakOf(made.schedule).bytes, std::int64_t(32 + 32 + 64 + 32));
    MemorySchedule::Storage weight;
    weight.bytes = 7;
    weight.resident = true;
    made.schedule.storages.push_back(weight);
    QCOMPARE(peakOf(made.schedule).bytes, std::int64_t(7 + 32 + 32 + 64 + 32));
    made.schedule.countsWeights = false;
    QCOMPARE(peakOf(made.schedule).bytes, std::int64_t(32 + 32 + 64 + 32));
}

void MemoryScheduleTest::whatCannotBeIsRefused_data()
{
    using Change = std::function<void(ScheduledGraph &)>;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const char *says, const Change &change) {
        QTest::newRow(name) << change << says;
    };
    const auto storage = [](ScheduledGraph &made, std::size_t s) -> MemorySchedule::Storage & {
        return made.schedule.storages[s];
    };
    row("order", "another order",
        [](auto &m) { std::swap(m.schedule.order[0], m.schedule.order[1]); });
    row("graph", "another graph", [](auto &m) { ++m.schedule.graphHash; });
    row("negative size", "invalid size", [=](auto &m) { storage(m, 0).bytes = -1; });
    row("overflowing sizes", "invalid size", [=](auto &m) { storage(m, 0).bytes = most; });
    row("steps beyond the end", "out of range", [=](auto &m) { storage(m, 0).last = 8; });
    row("steps backwards", "out of range", [=](auto &m) { storage(m, 3).first = 3; });
    row("too small", "larger than its place", [=](auto &m) { storage(m, 3).bytes = 31; });
    row("offset beyond", "larger than its place",
        [=](auto &m) { storage(m, 3).tensors[0].offset = most; });
    row("two places", "in two storages", [=](auto &m) {
        storage(m, 4).tensors.push_back({m.x, 0});
    });
    row("unknown tensor", "not in the graph",
        [=](auto &m) { storage(m, 4).tensors[0].tensor = TensorId{10'000}; });
    row("read too late", "is not in memory", [=](auto &m) { storage(m, 0).last = 1; });
    row("written too early", "is not in memory", [=](auto &m) { storage(m, 5).first = 6; });
    row("copied to nothing", "is not in memory", [=](auto &m) { storage(m, 2).first = 3; });
    row("copied elsewhere", "does not contain it",
        [](auto &m) { m.schedule.copies[0].into = m.r; });
    row("takes over itself", "takes over", [=](auto &m) { storage(m, 4).takesOver = 4; });
    row("takes over nothing", "takes over", [=](auto &m) { storage(m, 4).takesOver = 7; });
    row("takes over what is smaller", "cannot hold it",
        [=](auto &m) { storage(m, 4).takesOver = 3; });
    row("takes over what stays", "still live",
        [=](auto &m) { storage(m, 4).takesOver = 2, storage(m, 2).last = 5; });
    row("taken twice", "still live", [=](auto &m) {
        storage(m, 5).takesOver = 2;
        storage(m, 5).first = 4;
    });
    row("joined, but given to nobody", "is not in memory when node 8", [](auto &m) {
        GraphEditor editor(m.graph);
        Node node;
        node.op = "Concat";
        node.inputs = {m.a};
        editor.addNode(std::move(node));
        m.graph = *std::move(editor).finish();
        m.schedule.order.assign(m.graph.order().begin(), m.graph.order().end());
        m.schedule.graphHash = m.graph.hash();
    });
    row("swap of nothing", "unknown storage", [](auto &m) { m.schedule.swaps[0].storage = 7; });
    row("swap before it is", "invalid steps", [](auto &m) { m.schedule.swaps[0].awayFrom = 0; });
    row("swap without end", "invalid steps", [](auto &m) { m.schedule.swaps[0].backAt = 1; });
    row("swap beyond the end", "invalid steps",
        [](auto &m) { m.schedule.swaps[0].loadedBefore = 8; });
    row("loaded too late", "is not in memory",
        [](auto &m) { m.schedule.swaps[0].loadedBefore = 7; });
    row("swaps over each other", "invalid steps", [](auto &m) {
        m.schedule.swaps.push_back({1, 0, 3, 6, 6});
    });
    row("workspace of nothing", "workspace", [](auto &m) { m.schedule.workspaces[0].step = 8; });
    row("negative workspace", "workspace", [](auto &m) { m.schedule.workspaces[0].bytes = -8; });
    row("outside of the arena", "outside", [=](auto &m) { storage(m, 0).offsets[0] = 161; });
    row("offset that overflows", "outside", [=](auto &m) { storage(m, 0).offsets[0] = most; });
    row("negative offset", "outside", [=](auto &m) { storage(m, 0).offsets[0] = -64; });
    row("one over the other", "overlaps", [=](auto &m) { storage(m, 0).offsets[0] = 40; });
    row("too few places", "number of offsets", [=](auto &m) { storage(m, 1).offsets.pop_back(); });
}

void MemoryScheduleTest::whatCannotBeIsRefused()
{
    QFETCH(std::function<void(ScheduledGraph &)>, change);
    QFETCH(QString, says);
    ScheduledGraph made;
    change(made);
    const auto checked = checkSchedule(made.graph, made.schedule);
    QVERIFY(!checked);
    QVERIFY2(QString::fromStdString(checked.error().message).contains(says),
             checked.error().message.c_str());
}

/// A schedule that a later change has made wrong is none.
void MemoryScheduleTest::otherGraphsHaveOtherSchedules()
{
    const ScheduledGraph made;
    QVERIFY(made.schedule.isOf(made.graph));
    GraphEditor editor(made.graph);
    std::vector<NodeId> order(made.graph.order().begin(), made.graph.order().end());
    std::swap(order[0], order[1]);
    editor.setOrder(order);
    const auto moved = std::move(editor).finish();
    QVERIFY(moved && !made.schedule.isOf(*moved));
    GraphEditor another(made.graph);
    Node node = made.graph.node(order[0]);
    node.op = "Exp";
    another.replaceNode(order[0], node);
    const auto changed = std::move(another).finish();
    QVERIFY(changed && !made.schedule.isOf(*changed));
}

/// What the search assumed counts only where no graph realizes the plan.
void MemoryScheduleTest::thePeakOfAPlanIsThatOfItsGraph()
{
    const ScheduledGraph made;
    const std::int64_t realized = peakOf(made.schedule).bytes, assumed = realized + 100;
    MemoryPlan memory;
    memory.after.peakBytes = assumed;
    Plan plan;
    plan.graph = made.graph;
    plan.schedule = std::make_shared<const MemorySchedule>(made.schedule);
    plan.memory = std::make_shared<const MemoryPlan>(memory);
    QCOMPARE(peakBytesOf(plan), assumed);
    memory.realized = true;
    plan.memory = std::make_shared<const MemoryPlan>(memory);
    QCOMPARE(peakBytesOf(plan), realized);
    plan.graph = Graph(); // as a later edit leaves it
    QCOMPARE(peakBytesOf(plan), assumed);
}

GRAPHLOOM_TESTS(MemoryScheduleTest)

} // namespace graphloom::test::memory_schedule_test

#include "memory_schedule_test.moc"

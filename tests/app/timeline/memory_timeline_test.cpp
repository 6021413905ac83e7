// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/memory_timeline.h"

#include "engine/ops/derive/infer.h"
#include "engine/plan/memory/live_tensors.h"
#include "tests/support/app/made_memory.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/tiny_models.h"

namespace graphloom::test::memory_timeline_test {

class MemoryTimelineTest : public QObject {
    Q_OBJECT

private:
    /// What is alive at each step is what the step is said to have.
    static void addsUp(const MemoryTimeline &timeline)
    {
        for (std::uint32_t s = 0; s < timeline.stepCount(); ++s) {
            std::int64_t bytes = timeline.residentBytes + timeline.steps[s].extra;
            for (const MemoryTimeline::Tensor &tensor : timeline.tensors)
                if (tensor.first <= s && s <= tensor.last)
                    bytes += tensor.bytesAt(s);
            QCOMPARE(bytes, timeline.steps[s].bytes);
        }
    }
    static TimelinePointer of(const SnapshotPointer &snapshot) { return timelineOf(*snapshot, {}); }

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        QVERIFY(m_plain);
        m_fused = test::fused(m_plain);
        m_planned = test::withMemory(m_plain);
    }

    void aPlanWithoutOneHasWhatItsGraphNeeds()
    {
        const auto live = liveTensorsOf(m_plain->graph(), opsetsOf(*m_plain->plan->model));
        const auto timeline = of(m_plain);
        QCOMPARE(timeline->peakBytes, live->peakBytes);
        QCOMPARE(int(timeline->peakStep), live->peakStep.number());
        QCOMPARE(timeline->tensors.size(), live->lives.size());
        QVERIFY(!timeline->timed);
        addsUp(*timeline);
    }

    void blocksAreSteps()
    {
        const auto timeline = of(m_fused);
        QVERIFY(timeline->stepCount() <= m_fused->plan->fusion->blocks.size());
        QVERIFY(timeline->tensors.size() < of(m_plain)->tensors.size());
        QCOMPARE(timeline->steps[0].item.kind, Item::Kind::Block);
        addsUp(*timeline);
    }

    void aPassSaysWhatItMade()
    {
        const auto timeline = of(m_planned);
        QVERIFY(timeline->timed);
        QCOMPARE(timeline->stepCount(), 5U);
        QCOMPARE(timeline->peakBytes, std::int64_t(300));
        QCOMPARE(timeline->origin, QStringLiteral("scripted, made"));
        QVERIFY(timeline->notes.isEmpty());
        const auto &tensors = timeline->tensors;
        QCOMPARE(tensors[0].takenOver, std::int64_t(50));
        QVERIFY(tensors[0].swapped && !tensors[0].again);
        QVERIFY(tensors[3].swapped && tensors[3].again);
        QCOMPARE(fateOf(tensors[3]), QStringLiteral("recomputed, swapped"));
        QVERIFY(tensors[2].hot && !tensors[0].hot);
        QCOMPARE(timeline->steps[2].extra, std::int64_t(30));
        QCOMPARE(timeline->steps[4].extra, std::int64_t(150));
        QCOMPARE(timeline->transfers[1].first, 3U);
        addsUp(*timeline);
    }

    /// The steps are those of the search, which counts the greatest part for all.
    void theArenaIsThatOfWhatIsDrawn()
    {
        Plan plan = *m_planned->plan;
        MemoryPlan memory = *plan.memory;
        memory.realized = true;
        memory.arenaBytes = 280;
        MemorySchedule schedule;
        schedule.graphHash = plan.graph.hash();
        schedule.order.assign(plan.graph.order().begin(), plan.graph.order().end());
        schedule.storages.push_back({280, 0, 1, false, -1, {}, {}});
        plan.memory = std::make_shared<const MemoryPlan>(std::move(memory));
        plan.schedule = std::make_shared<const MemorySchedule>(std::move(schedule));
        const auto timeline =
            of(snapshotOf(std::make_shared<const Plan>(std::move(plan)), m_planned, {}));
        QCOMPARE(timeline->peakBytes, std::int64_t(300));
        QCOMPARE(timeline->arenaBytes.value_or(0), std::int64_t(300));
        QCOMPARE(timeline->notes,
                 QStringList{QStringLiteral("with every part a node: peak 280 B, arena 280 B")});
    }

    void beforeIsKnownToo()
    {
        const auto before = timelineBefore(*m_planned->plan);
        QCOMPARE(before->stepCount(), 4U);
        QCOMPARE(before->peakBytes, std::int64_t(400));
        QVERIFY(!timelineBefore(*m_plain->plan));
    }

    void whatCameAfterIsSaid()
    {
        Plan plan = *m_planned->plan;
        PassRecord later;
        later.pass = "later";
        plan.history.push_back(later);
        const auto timeline =
            of(snapshotOf(std::make_shared<const Plan>(std::move(plan)), m_planned, {}));
        QCOMPARE(timeline->notes.size(), qsizetype(1));
        QVERIFY(timeline->notes[0].startsWith(
            QStringLiteral("out of date: later has changed the plan")));
    }

    void whatHasNoSizeIsSaid()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("n.onnx")).toStdString();
        test::writeTinyModel(path);
        const auto timeline = of(test::snapshotOfFile(path));
        QVERIFY(timeline->tensors.empty());
        QCOMPARE(timeline->notes.size(), qsizetype(1));
        QVERIFY2(timeline->notes[0].contains(QStringLiteral("dynamic shape")),
                 qPrintable(timeline->notes[0]));
    }

    void aNodeHasTheTensorsThatItWrites()
    {
        const auto timeline = of(m_plain);
        const Graph &graph = m_plain->graph();
        for (const NodeId id : graph.order()) {
            const auto lives = timeline->of(*m_plain, Item::of(id));
            QVERIFY(!lives.empty()); // of a view those of what it is a view of
            QCOMPARE(timeline->of(*m_plain, Item::tensor(graph.node(id).outputs[0])), lives);
        }
        const auto input = timeline->of(*m_plain, Item::input(graph.inputs()[0]));
        QCOMPARE(input.size(), std::size_t(1));
        QCOMPARE(timeline->tensors[input[0]].kind, MemoryTimeline::Class::Input);
        QVERIFY(timeline->of(*m_plain, Item()).empty());
    }

    void aBlockHasThoseOfItsNodesThatAreThere()
    {
        const auto timeline = of(m_fused);
        const auto lives = timeline->of(*m_fused, Item::block(1));
        QCOMPARE(lives.size(), m_fused->plan->fusion->blocks[1].outputs.size());
    }

    void whatStandsForATensor()
    {
        const Graph &graph = m_plain->graph();
        const NodeId first = graph.order()[0];
        const Item inner = Item::tensor(graph.node(first).outputs[0]);
        QVERIFY(m_plain->contains(inner));
        QCOMPARE(m_plain->standInOf(inner), Item::of(first));
        QCOMPARE(m_plain->standInOf(Item::tensor(graph.inputs()[0])),
                 Item::input(graph.inputs()[0]));
        QCOMPARE(m_plain->standInOf(Item::tensor(graph.node(first).inputs[1])), Item());
        QCOMPARE(m_plain->standInOf(Item::of(first)), Item::of(first));
        QCOMPARE(sameItemIn(*m_fused, *m_plain, inner), inner);
    }

    void stops()
    {
        std::stop_source source;
        source.request_stop();
        QVERIFY(!timelineOf(*m_plain, source.get_token()));
        QVERIFY(!timelineOf(*m_planned, source.get_token()));
    }

private:
    SnapshotPointer m_plain, m_fused, m_planned;
};

GRAPHLOOM_WINDOW_TESTS(MemoryTimelineTest)

} // namespace graphloom::test::memory_timeline_test

#include "memory_timeline_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sides/counterparts.h"

#include "app/compare/plan_comparer.h"
#include "tests/support/app/window_driver.h"

#include <algorithm>

namespace graphloom::test::counterparts_test {

class CounterpartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Compares the original of a small transformer with the plan that `dnnfusion` makes of it.
    void initTestCase()
    {
        const SnapshotPointer opened = test::snapshotOfSample("bert_tiny.onnx");
        QVERIFY(opened);
        const auto plugin = std::ranges::find_if(test::builtPlugins(), [](const PassPlugin &built) {
            return built.pass && built.pass->name() == "dnnfusion";
        });
        QVERIFY(plugin != test::builtPlugins().end());
        Context context;
        context.settings = Settings(plugin->pass->parameters(), plugin->pass->rules());
        auto fused = runPass(*plugin->pass, *opened->plan, context);
        QVERIFY(fused);
        auto before = planBeforePasses(*opened->plan);
        QVERIFY(before);
        m_before = snapshotOf(std::make_shared<const Plan>(*std::move(before)), nullptr, {});
        m_now = snapshotOf(std::make_shared<const Plan>(*std::move(fused)), nullptr, {});
        m_both = counterpartsOf(m_before, m_now, {});
        QVERIFY(m_both);
        QVERIFY(graphs().count(Difference::Removed) > 0);
    }

    void everyPairIsFoundFromBothSides()
    {
        for (const NodeDifference &node : graphs().nodes) {
            if (!node.before.valid() || !node.now.valid())
                continue;
            const Item before = Item::of(node.before), now = Item::of(node.now);
            QVERIFY(std::ranges::count(m_both->of(Side::Before, before), now) == 1);
            QVERIFY(std::ranges::count(m_both->of(Side::Now, now), before) == 1);
        }
    }

    void aBlockIsAllOfItsOriginals()
    {
        QVERIFY(m_now->blocks);
        for (std::uint32_t b = 0; b < m_now->count(Grouping::Blocks); ++b) {
            const Item block = Item::block(b);
            std::set<Item> expected;
            for (const NodeId id : m_now->nodesOf(block))
                for (const Item &item : m_both->of(Side::Now, Item::of(id)))
                    expected.insert(item);
            const std::vector<Item> found = m_both->of(Side::Now, std::vector{block});
            QCOMPARE(std::set<Item>(found.begin(), found.end()), expected);
            QCOMPARE(found.size(), expected.size()); // each once
        }
    }

    void anOriginalLeadsToWhatDoesItsWork()
    {
        for (const NodeDifference &node : graphs().nodes) {
            if (node.kind != Difference::Removed || node.related.empty())
                continue;
            const auto found = m_both->of(Side::Before, Item::of(node.before));
            for (const NodeId id : node.related)
                QVERIFY(std::ranges::count(found, Item::of(id)) == 1);
            return;
        }
        QFAIL("nothing was merged");
    }

    void inputsAndOutputsCorrespond()
    {
        const TensorId input = m_before->graph().inputs()[0],
                       output = m_before->graph().outputs()[0];
        QCOMPARE(m_both->of(Side::Before, Item::input(input)),
                 std::vector{Item::input(m_now->graph().inputs()[0])});
        QCOMPARE(m_both->of(Side::Before, Item::output(output)),
                 std::vector{Item::output(m_now->graph().outputs()[0])});
    }

    void whatAGraphLacksHasNoCounterpart()
    {
        QVERIFY(m_both->of(Side::Now, Item::of(NodeId{1'000'000})).empty());
        QVERIFY(m_both->of(Side::Before, Item::block(0)).empty()); // there are none
        QVERIFY(m_both->of(Side::Now, Item()).empty());
    }

    void differencesAreMarkedOnTheirSides()
    {
        ViewOptions options;
        options.grouping = Grouping::None;
        const auto marked = [&](Side side, const SnapshotPointer &snapshot, MatchMeaning meaning) {
            const DrawingPointer drawing = draw(snapshot, options, {});
            for (const Marks &marks : m_both->marksOf(side, *drawing))
                if (marks.meaning == meaning)
                    return marks.items.size();
            return std::size_t(0);
        };
        QCOMPARE(marked(Side::Before, m_before, MatchMeaning::Removed),
                 graphs().count(Difference::Removed));
        QCOMPARE(marked(Side::Now, m_now, MatchMeaning::Added), graphs().count(Difference::Added));
        for (const auto &[side, snapshot] :
             {std::pair{Side::Before, m_before}, std::pair{Side::Now, m_now}})
            QCOMPARE(marked(side, snapshot, MatchMeaning::Changed),
                     graphs().count(Difference::Changed));
    }

    void aCollapsedGroupIsChangedIfSomeOfItDiffers()
    {
        ViewOptions options;
        options.grouping = Grouping::Blocks;
        options.collapsed = allGroups(*m_now);
        const DrawingPointer drawing = draw(m_now, options, {});
        std::size_t groups = 0;
        for (const Marks &marks : m_both->marksOf(Side::Now, *drawing))
            for (const Item &item : marks.items) {
                if (!item.isGroup())
                    continue;
                ++groups;
                const bool all = std::ranges::all_of(m_now->nodesOf(item), [&](NodeId id) {
                    return !graphs().alignment.before(id).valid();
                });
                QCOMPARE(marks.meaning == MatchMeaning::Added, all);
            }
        QVERIFY(groups > 0);
    }

    void figuresHaveTheirProvenance()
    {
        const auto peak = m_both->figure(Side::Before, "peak_bytes");
        QVERIFY(peak && peak->figure.value > 0);
        QCOMPARE(peak->figure.provenance, Provenance::Modelled);
        QVERIFY(!m_both->figure(Side::Before, "block_ms")); // it has no blocks
        QVERIFY(m_both->figure(Side::Now, "block_ms"));
    }

    void itStops()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!counterpartsOf(m_before, m_now, {{}, {}, stop.get_token()}));
    }

private:
    const GraphComparison &graphs() const { return m_both->comparison.graphs; }

    SnapshotPointer m_before, m_now;
    CounterpartsPointer m_both;
};

GRAPHLOOM_WINDOW_TESTS(CounterpartsTest)

} // namespace graphloom::test::counterparts_test

#include "counterparts_test.moc"

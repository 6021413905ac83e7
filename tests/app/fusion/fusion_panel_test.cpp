// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/fusion_panel.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::fusion_panel_test {

class FusionPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        m_fused = test::fused(m_plain);
        QVERIFY(m_fused);
    }

    void init()
    {
        m_selection.clear();
        m_panel = std::make_unique<FusionPanel>(m_selection);
        const auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(theme);
        m_panel->setTheme(std::make_shared<const Theme>(*theme));
        m_panel->resize(900, 260);
        m_panel->setSnapshot(m_fused);
        m_panel->show();
    }

    void hintsUntilThereAreBlocks()
    {
        QVERIFY(!m_panel->isEmpty());
        m_panel->setSnapshot(m_plain);
        QVERIFY(m_panel->isEmpty());
        QCOMPARE(m_panel->statisticsText(), QString());
    }

    void statisticsAreThoseOfTable5()
    {
        const auto blocks = m_fused->plan->fusion->blocks.size();
        const QString text = m_panel->statisticsText();
        for (const QString &part :
             {QStringLiteral("layers 10 → %1").arg(blocks),
              QStringLiteral("compute-intensive 4 → 2"),
              QStringLiteral("memory-intensive 6 → %1").arg(blocks - 2),
              QStringLiteral("intermediate results 2.00 KiB → 1.00 KiB"),
              QStringLiteral("fusion rate %1").arg(10.0 / double(blocks), 0, 'f', 2)})
            QVERIFY2(text.contains(part), qPrintable(text));
    }

    void theBaselineHasALineOfItsOwn()
    {
        Plan plan = *m_fused->plan;
        FusionPlan baseline = *plan.fusion;
        baseline.partition.method = "fixed patterns";
        plan.baselineFusion = std::make_shared<const FusionPlan>(std::move(baseline));
        m_panel->setSnapshot(snapshotOf(std::make_shared<const Plan>(plan), m_fused, {}));
        QVERIFY(m_panel->statisticsText().contains(QStringLiteral("<br><b>fixed patterns</b>")));
    }

    void rowsSelectBlocks()
    {
        m_panel->table().selectRow(2);
        QCOMPARE(m_selection.item(), Item::block(2));
    }

    void shiftSelectsSeveralBlocks()
    {
        m_panel->table().selectRow(1);
        QTest::keyClick(&m_panel->table(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(m_selection.items(), (std::vector{Item::block(1), Item::block(2)}));
    }

    void theSelectionSelectsTheRows()
    {
        const auto order = m_fused->graph().order();
        m_selection.select({Item::of(order[0]), Item::of(order[1]), Item::of(order[10])});
        std::set<int> rows;
        for (const QModelIndex &index : m_panel->table().selectionModel()->selectedRows())
            rows.insert(index.row());
        QCOMPARE(rows, (std::set{0, 3}));
        QCOMPARE(m_selection.items().size(), std::size_t(3)); // the nodes stay selected
    }

    void filteringKeepsTheSelection()
    {
        m_selection.select(Item::block(4));
        QTest::keyClicks(&m_panel->filterEdit(), QStringLiteral("head"));
        QCOMPARE(m_panel->filter().rowCount(), 1);
        QCOMPARE(m_selection.item(), Item::block(4));
    }

    void enterActivates()
    {
        QSignalSpy activated(m_panel.get(), &FusionPanel::activated);
        m_panel->table().selectRow(1);
        QTest::keyClick(&m_panel->table(), Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].value<Item>(), Item::block(1));
    }

private:
    SnapshotPointer m_plain, m_fused;
    Selection m_selection;
    std::unique_ptr<FusionPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(FusionPanelTest)

} // namespace graphloom::test::fusion_panel_test

#include "fusion_panel_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_panel.h"

#include "tests/support/app/made_memory.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_timelines.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractButton>
#include <QAction>
#include <QClipboard>
#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::memory_panel_test {

class MemoryPanelTest : public QObject {
    Q_OBJECT

private:
    void show(const SnapshotPointer &snapshot)
    {
        m_panel->setTimelines(snapshot, timelineOf(*snapshot, {}), timelineBefore(*snapshot->plan));
    }
    QAbstractButton &button(const char *name) { return *m_panel->button(QLatin1String(name)); }

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        QVERIFY(m_plain);
        m_planned = test::withMemory(m_plain);
    }

    void init()
    {
        m_selection.clear();
        m_panel = std::make_unique<MemoryPanel>(m_selection);
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        m_panel->setTheme(*theme);
        m_panel->resize(900, 320);
        m_panel->QWidget::show();
        show(m_planned);
        QTest::qWait(0);
    }

    void hintsUntilThereAreSteps()
    {
        QVERIFY(!m_panel->isEmpty());
        m_panel->setTimelines(nullptr, nullptr, nullptr);
        QVERIFY(m_panel->isEmpty());
        QCOMPARE(m_panel->summary(), QString());
    }

    void theLineTellsThePeak()
    {
        QCOMPARE(m_panel->summary(),
                 QStringLiteral("<b>Peak 300 B</b> (modelled) at step 2 of 5 · before 400 B: "
                                "<b>75.0 %</b> · without weights · arena 320 B · 4 tensors · "
                                "scripted, made"));
    }

    void aClickSelectsATensorForAllViews()
    {
        const MemoryView &view = m_panel->view();
        const QPointF place(view.picture().xOf(2.5), view.picture().yOf(200));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place.toPoint());
        const NodeId third = m_planned->graph().order()[2];
        QCOMPARE(m_selection.item(), Item::tensor(m_planned->graph().node(third).outputs[0]));
    }

    void aSelectedNodeMarksItsTensors()
    {
        // The one that is swapped has two lives.
        m_selection.select(Item::of(m_planned->graph().order()[0]));
        const auto marked = m_panel->view().scene().marked;
        QCOMPARE(marked, (std::vector<std::uint32_t>{0, 3}));
        m_selection.clear();
        QVERIFY(m_panel->view().scene().marked.empty());
    }

    void aSelectedNodeIsShownInTheTables()
    {
        m_selection.select(Item::of(m_planned->graph().order()[1]));
        m_panel->showTab(MemoryPanel::Tab::Tensors);
        QCOMPARE(m_panel->tensors().selectionModel()->selectedRows().size(), qsizetype(1));
        m_panel->showTab(MemoryPanel::Tab::Steps);
        QCOMPARE(m_panel->steps().selectionModel()->selectedRows().size(), qsizetype(1));
        QCOMPARE(m_panel->steps().currentIndex().siblingAtColumn(MemoryStepModel::Bytes).data(),
                 QVariant(QStringLiteral("200 B")));
    }

    void aRowSelectsItsTensor()
    {
        m_panel->showTab(MemoryPanel::Tab::Tensors);
        const QModelIndex first = m_panel->tensors().model()->index(0, 0); // the largest
        QTest::mouseClick(m_panel->tensors().viewport(), Qt::LeftButton, {},
                          m_panel->tensors().visualRect(first).center());
        const NodeId second = m_planned->graph().order()[1];
        QCOMPARE(m_selection.item(), Item::tensor(m_planned->graph().node(second).outputs[0]));
    }

    void aRowOfAStepMovesTheCursor()
    {
        m_panel->showTab(MemoryPanel::Tab::Steps);
        m_panel->steps().setFocus();
        const QModelIndex third = m_panel->steps().model()->index(2, 0);
        QTest::mouseClick(m_panel->steps().viewport(), Qt::LeftButton, {},
                          m_panel->steps().visualRect(third).center());
        QCOMPARE(m_panel->view().cursor(), std::optional(2U));
    }

    void buttonsChooseWhatIsDrawn()
    {
        QVERIFY(!m_panel->view().scene().look.arena);
        QTest::mouseClick(&button("arena"), Qt::LeftButton);
        QVERIFY(m_panel->view().scene().look.arena);
        QTest::mouseClick(&button("stacked"), Qt::LeftButton);
        QVERIFY(!m_panel->view().scene().look.arena);
        QTest::mouseClick(&button("time"), Qt::LeftButton);
        QVERIFY(m_panel->view().scene().look.inTime);
        QVERIFY(m_panel->view().scene().compared);
        QTest::mouseClick(&button("before"), Qt::LeftButton);
        QVERIFY(!m_panel->view().scene().compared);
    }

    void withoutAPassThereIsNoTimeAndNoBefore()
    {
        QTest::mouseClick(&button("time"), Qt::LeftButton);
        show(m_plain);
        QVERIFY(!button("time").isEnabled());
        QVERIFY(button("steps").isChecked());
        QVERIFY(!button("before").isEnabled());
        QVERIFY(!m_panel->view().scene().look.inTime);
        QVERIFY(m_panel->steps().isColumnHidden(MemoryStepModel::Time));
        QVERIFY(!m_panel->tensors().isColumnHidden(MemoryTensorModel::Offset));
    }

    void anotherPlanMayBeCompared()
    {
        const auto other = finished(test::smallTimeline());
        m_panel->setCompared(other, QStringLiteral("run 2"));
        QCOMPARE(m_panel->view().scene().compared, other);
        QCOMPARE(m_panel->view().scene().comparedName, QStringLiteral("run 2"));
        m_panel->setCompared(nullptr, {});
        QCOMPARE(m_panel->view().scene().comparedName, QStringLiteral("before"));
    }

    void previewsKeepWhatIsInView()
    {
        m_panel->view().showRange(1, 4);
        show(test::withMemory(m_plain));
        QCOMPARE(m_panel->view().scene().look.from, 1.0);
        QCOMPARE(m_panel->view().scene().look.to, 4.0);
    }

    void enterGoesToTheTensor()
    {
        QSignalSpy activated(m_panel.get(), &MemoryPanel::activated);
        m_panel->view().setCursorStep(0);
        QTest::keyClick(&m_panel->view(), Qt::Key_Up);
        QTest::keyClick(&m_panel->view(), Qt::Key_Return);
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].value<Item>(), m_selection.item());
    }

    void tablesCanBeCopied()
    {
        m_panel->showTab(MemoryPanel::Tab::Steps);
        m_panel->findChild<QAction *>(QStringLiteral("copyMemorySteps"))->trigger();
        QCOMPARE(QApplication::clipboard()->text().count('\n'), qsizetype(6));
    }

private:
    Selection m_selection;
    SnapshotPointer m_plain, m_planned;
    std::unique_ptr<MemoryPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(MemoryPanelTest)

} // namespace graphloom::test::memory_panel_test

#include "memory_panel_test.moc"

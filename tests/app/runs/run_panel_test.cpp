// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_panel.h"

#include "app/runs/search_view.h"
#include "tests/support/app/window_driver.h"

#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::run_panel_test {

namespace {

PassRun runOf(int number, std::vector<SearchRecord::Best> history)
{
    PassRun run;
    run.number = number;
    auto pass = std::make_shared<const test::ScriptedPass>(
        [](Plan plan, const Context &) -> Result<Plan> { return plan; });
    run.request = {.pass = pass, .settings = Settings(pass->parameters(), pass->rules())};
    run.seconds = 1.25;
    if (!history.empty()) {
        SearchRecord record;
        record.cost = "made ms";
        record.generated = 5000;
        record.filtered = 100;
        record.seconds = 2;
        record.history = std::move(history);
        record.refusals = {{"too wide", 3, "a with b"}, {"too deep", 9, "c"}};
        run.search = std::make_shared<const SearchRecord>(std::move(record));
    }
    return run;
}

} // namespace

class RunPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_panel = std::make_unique<RunPanel>();
        m_panel->setTheme(*loadTheme(QStringLiteral("dark")));
        m_panel->resize(1200, 300);
        m_panel->show();
    }

    void isEmptyAtFirst()
    {
        QVERIFY(m_panel->isEmpty());
        m_panel->set(runOf(1, {}));
        QVERIFY(!m_panel->isEmpty());
        m_panel->remove(1);
        QVERIFY(m_panel->isEmpty());
    }

    void aNewRunIsChosen()
    {
        m_panel->set(runOf(1, {}));
        m_panel->set(runOf(2, {}));
        QCOMPARE(m_panel->chosen(), std::vector<int>{2});
    }

    void theNewestIsOnTop()
    {
        m_panel->set(runOf(1, {}));
        m_panel->set(runOf(2, {}));
        QCOMPARE(m_panel->table().model()->index(0, RunModel::Number).data().toString(),
                 QStringLiteral("2"));
    }

    void saysHowFast()
    {
        m_panel->set(runOf(1, {{0.1, 40}, {0.5, 20}}));
        QVERIFY2(m_panel->lineText().contains(QStringLiteral("2.50 K states/s")),
                 qPrintable(m_panel->lineText()));
        QVERIFY(m_panel->lineText().contains(QStringLiteral("made ms")));
    }

    void theCurveHasSteps()
    {
        m_panel->set(runOf(1, {{0.1, 40}, {0.5, 20}}));
        QTRY_COMPARE(m_panel->search().lines().size(), std::size_t{1});
        QCOMPARE(m_panel->search().lines().front(),
                 (QList<QPointF>{{0.1, 40}, {0.5, 40}, {0.5, 20}, {2, 20}}));
    }

    void chosenRunsShareTheChart()
    {
        m_panel->set(runOf(1, {{0.1, 40}}));
        m_panel->set(runOf(2, {{0.1, 30}}));
        m_panel->table().selectAll();
        QTRY_COMPARE(m_panel->search().lines().size(), std::size_t{2});
    }

    void tellsWhyCandidatesWereRejected()
    {
        m_panel->set(runOf(1, {{0.1, 40}}));
        RefusalModel &model = m_panel->refusals();
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(1, RefusalModel::Reason).data().toString(),
                 QStringLiteral("too deep"));
        QCOMPARE(model.index(1, RefusalModel::Share).data().toString(), QStringLiteral("75.0 %"));
    }

    void enterActivatesARun()
    {
        m_panel->set(runOf(7, {}));
        QSignalSpy activated(m_panel.get(), &RunPanel::activated);
        m_panel->table().setFocus();
        QTest::keyClick(&m_panel->table(), Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].toInt(), 7);
    }

private:
    std::unique_ptr<RunPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(RunPanelTest)

} // namespace graphloom::test::run_panel_test

#include "run_panel_test.moc"

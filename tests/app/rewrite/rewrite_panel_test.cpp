// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rewrite_panel.h"

#include "app/graph/graph_canvas.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::rewrite_panel_test {

class RewritePanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::rewritten();
        QVERIFY(m_snapshot);
    }

    void init()
    {
        m_panel = std::make_unique<RewritePanel>();
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        m_panel->setTheme(std::make_shared<const Theme>(*theme));
        m_panel->resize(900, 260);
        m_panel->show();
    }

    void hintsUntilSomethingWasRewritten()
    {
        QVERIFY(m_panel->isEmpty());
        m_panel->setLog(m_snapshot->plan->rewrite);
        QVERIFY(!m_panel->isEmpty());
        m_panel->setLog(nullptr);
        QVERIFY(m_panel->isEmpty());
    }

    void saysWhatWasSaved()
    {
        m_panel->setLog(m_snapshot->plan->rewrite);
        const QString text = m_panel->statisticsText();
        QVERIFY2(text.contains(QStringLiteral("2 steps by 2 rules")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("18 → 12 (33.33 % less")), qPrintable(text));
    }

    void theFirstStepIsChosenAndThenAnyOther()
    {
        QSignalSpy chosen(m_panel.get(), &RewritePanel::stepChosen);
        m_panel->setLog(m_snapshot->plan->rewrite);
        QCOMPARE(chosen.back()[0].toInt(), 0);
        QTest::keyClick(&m_panel->steps().table(), Qt::Key_Down);
        QCOMPARE(chosen.back()[0].toInt(), 1);
    }

    void bothSidesAreShown()
    {
        m_panel->setLog(m_snapshot->plan->rewrite);
        const StepPicture picture =
            pictureOf(m_snapshot->plan->model, m_snapshot->plan->rewrite->steps.front(), {});
        m_panel->showPicture(picture);
        QCOMPARE(m_panel->before().drawing(), picture.before);
        QCOMPARE(m_panel->after().drawing(), picture.after);
    }

    void aRuleLeadsToItsSteps()
    {
        m_panel->setLog(m_snapshot->plan->rewrite);
        Q_EMIT m_panel->rules().table().activated(m_panel->rules().table().model()->index(1, 0));
        QCOMPARE(m_panel->steps().filter().rowCount(), 1);
        QCOMPARE(m_panel->steps().edit().text(), QStringLiteral("drop-relu"));
        QVERIFY(m_panel->steps().isVisible());
    }

private:
    SnapshotPointer m_snapshot;
    std::unique_ptr<RewritePanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(RewritePanelTest)

} // namespace graphloom::test::rewrite_panel_test

#include "rewrite_panel_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/tuning_panel.h"

#include "app/tuning/tuning_view.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QChart>
#include <QClipboard>
#include <QLegend>
#include <QLegendMarker>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>

namespace graphloom::test::tuning_panel_test {

/// With madeTrials(): the third of four failed.
class TuningPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fused(test::rewritten());
        QVERIFY(m_fused);
    }

    void init()
    {
        m_panel = std::make_unique<TuningPanel>();
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        m_panel->setTheme(*theme);
        m_panel->resize(500, 300);
        m_panel->show();
        m_panel->begin(m_fused->plan);
        m_panel->add(test::madeTrials());
        QTest::qWait(0);
    }

    void hintsUntilSomethingIsTuned()
    {
        QAction action(QStringLiteral("Tune"));
        m_panel->setHint(QStringLiteral("Tune first."), &action);
        QVERIFY(!m_panel->isEmpty());
        m_panel->begin(nullptr);
        QVERIFY(m_panel->isEmpty());
    }

    void candidatesArePoints()
    {
        QCOMPARE(m_panel->view().series().measured.size(), qsizetype(3));
        QCOMPARE(m_panel->view().series().failed.size(), qsizetype(1));
        for (std::size_t trial = 0; trial < 4; ++trial)
            QVERIFY(m_panel->view().placeOf(trial));
        QVERIFY(!m_panel->view().placeOf(4));
    }

    void anEarlierTuningOfTheModelStays()
    {
        QVERIFY(m_panel->view().series().earlier.isEmpty());
        const QList<QPointF> whole = m_panel->view().series().whole;
        m_panel->begin(m_fused->plan);
        m_panel->add(test::madeTrials());
        QVERIFY(whole.size() > 1);
        QCOMPARE(m_panel->view().series().earlier, whole);
    }

    void anotherModelIsNotCompared()
    {
        auto other = std::make_shared<Plan>(*m_fused->plan);
        other->model = std::make_shared<Model>(*other->model);
        m_panel->begin(other);
        m_panel->add(test::madeTrials());
        QVERIFY(m_panel->view().series().earlier.isEmpty());
    }

    void fasterIsLower()
    {
        QVERIFY(m_panel->view().placeOf(3)->y() > m_panel->view().placeOf(1)->y());
    }

    void failuresAreAbove()
    {
        QVERIFY(m_panel->view().placeOf(2)->y() < m_panel->view().placeOf(0)->y());
    }

    void theLineSaysHowFarItIs()
    {
        m_panel->setState(QStringLiteral("7 s left"));
        QCOMPARE(m_panel->summary(),
                 QStringLiteral("7 s left · 4 trials of 1 kernel, 1 failed · all kernels "
                                "<b>2.00 ×</b> (emulated)"));
    }

    void aClickChoosesTheKernelAndTheTrial()
    {
        QSignalSpy chosen(m_panel.get(), &TuningPanel::kernelChosen);
        QTest::mouseClick(m_panel->view().viewport(), Qt::LeftButton, {},
                          *m_panel->view().placeOf(1));
        QCOMPARE(chosen.size(), qsizetype(1));
        QCOMPARE(chosen[0][0].value<KernelPlace>(), KernelPlace());
        QCOMPARE(m_panel->list().currentRow(), 1);
    }

    void aClickBesideThePointsChoosesNothing()
    {
        QSignalSpy chosen(m_panel.get(), &TuningPanel::kernelChosen);
        QTest::mouseClick(m_panel->view().viewport(), Qt::LeftButton, {}, QPoint(2, 2));
        QVERIFY(chosen.isEmpty());
    }

    void thePointerTellsScheduleAndTime()
    {
        QTest::mouseMove(m_panel->view().viewport(), *m_panel->view().placeOf(3));
        QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("unroll i 2")));
        QVERIFY2(QToolTip::text().contains(QStringLiteral("1 ms, 0.500 × the default")),
                 qPrintable(QToolTip::text()));
    }

    void thePointerTellsWhyItFailed()
    {
        QTest::mouseMove(m_panel->view().viewport(), *m_panel->view().placeOf(2));
        QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("failed: crashed")));
    }

    void aRowLeadsToItsKernel()
    {
        QSignalSpy chosen(m_panel.get(), &TuningPanel::kernelChosen);
        Q_EMIT m_panel->list().table().activated(m_panel->list().table().model()->index(2, 0));
        QCOMPARE(chosen.size(), qsizetype(1));
    }

    void oneKernelIsShownAlone()
    {
        TuningTrial other = test::madeTrials().front();
        other.place.block = 7;
        m_panel->add({other});
        m_panel->showKernel(KernelPlace());
        QCOMPARE(m_panel->view().series().trials.size(), std::size_t(4));
        QVERIFY2(
            m_panel->summary().contains(QStringLiteral("default 2 ms, best 1 ms: <b>2.00 ×</b>")),
            qPrintable(m_panel->summary()));
        QSignalSpy all(m_panel.get(), &TuningPanel::allChosen);
        m_panel->findChild<QToolButton *>(QStringLiteral("allKernels"))->click();
        QCOMPARE(all.size(), qsizetype(1));
    }

    void aWholeBlockIsShownAlone()
    {
        TuningTrial whole = test::madeTrials().front();
        whole.place.nest.reset();
        m_panel->add({whole});
        m_panel->showKernel(whole.place);
        QCOMPARE(m_panel->view().series().trials, std::vector<std::size_t>{4});
        QVERIFY2(m_panel->summary().startsWith(QStringLiteral("<b>Block 0 whole</b>")),
                 qPrintable(m_panel->summary()));
    }

    void aNestWithoutTrialsIsShownByItsBlock()
    {
        TuningTrial whole = test::madeTrials().front();
        whole.place = {3, std::nullopt};
        m_panel->add({whole});
        m_panel->showKernel(KernelPlace{3, 1});
        QCOMPARE(m_panel->view().series().trials, std::vector<std::size_t>{4});
    }

    void aKernelWithoutTrialsShowsAll()
    {
        m_panel->showKernel(KernelPlace{5, 0});
        QCOMPARE(m_panel->view().series().trials.size(), std::size_t(4));
    }

    void theTableFiltersAndCopies()
    {
        m_panel->list().edit().setText(QStringLiteral("crashed"));
        QCOMPARE(m_panel->list().table().model()->rowCount(), 1);
        m_panel->list().findChild<QAction *>(QStringLiteral("copyTrials"))->trigger();
        const QStringList lines = QApplication::clipboard()->text().trimmed().split('\n');
        QCOMPARE(lines.size(), qsizetype(2));
        QVERIFY(lines[0].startsWith(QStringLiteral("Trial\tBlock\tOperators")));
        QVERIFY(lines[1].endsWith(QStringLiteral("tile i 4\tcrashed")));
    }

    void whatIsNotThereIsNotInTheLegend()
    {
        const auto isInLegend = [&](QLatin1String label) {
            return std::ranges::any_of(m_panel->view().chart()->legend()->markers(),
                                       [&](const QLegendMarker *marker) {
                                           return marker->isVisible() && marker->label() == label;
                                       });
        };
        QVERIFY(isInLegend(QLatin1String("failed")));
        m_panel->begin(m_fused->plan);
        m_panel->add({test::madeTrials().front()});
        QVERIFY(!isInLegend(QLatin1String("failed")));
    }

    void behindAnotherTabNothingIsDrawn()
    {
        m_panel->hide();
        m_panel->add(test::madeTrials());
        QCOMPARE(m_panel->view().series().trials.size(), std::size_t(4));
        m_panel->show();
        QCOMPARE(m_panel->view().series().trials.size(), std::size_t(8));
    }

private:
    SnapshotPointer m_fused;
    std::unique_ptr<TuningPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(TuningPanelTest)

} // namespace graphloom::test::tuning_panel_test

#include "tuning_panel_test.moc"

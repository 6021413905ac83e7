// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_panel.h"

#include "app/kernels/machine_code_view.h"
#include "app/kernels/roofline_view.h"
#include "app/kernels/source_view.h"
#include "app/tuning/tuning_panel.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTextBlock>
#include <QToolButton>

namespace graphloom::test::kernel_panel_test {

/// See madeRun(): the row of block b is b + 1 in the model; the last block takes longest.
class KernelPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
        m_run = test::madeRun(m_fused);
    }

    void init()
    {
        m_selection.clear();
        m_panel = std::make_unique<KernelPanel>(m_selection, &m_runAction, &m_tuneAction,
                                                &m_cancelAction);
        const auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(theme);
        m_panel->setTheme(*theme);
        m_panel->resize(1100, 400);
        m_panel->show();
        m_panel->setRun(m_run, KernelPanel::State::Current, true);
    }

    void hintsUntilThereIsARun()
    {
        QVERIFY(!m_panel->isEmpty());
        m_panel->setRun(nullptr, KernelPanel::State::Current, false);
        QVERIFY(m_panel->isEmpty());
    }

    void buttonsHaveTextBesideTheirIcons()
    {
        m_runAction.setIcon(QIcon(QStringLiteral(":/icons/machine.svg")));
        QSignalSpy run(&m_runAction, &QAction::triggered);
        QStringList texts;
        for (QToolButton *button : m_panel->findChildren<QToolButton *>())
            if (button->toolButtonStyle() == Qt::ToolButtonTextBesideIcon &&
                button->isVisibleTo(m_panel.get())) {
                texts << button->text();
                if (button->text() == QStringLiteral("Run"))
                    button->click();
            }
        QCOMPARE(texts, (QStringList{"Run", "Tune", "Cancel", "Machine code", "Copy code"}));
        QCOMPARE(run.size(), qsizetype(1));
        m_tuneAction.setEnabled(false);
        for (const QToolButton *button : m_panel->findChildren<QToolButton *>())
            if (button->text() == QStringLiteral("Tune"))
                QVERIFY(!button->isEnabled());
        m_tuneAction.setEnabled(true);
    }

    void theLongestComesFirst()
    {
        QCOMPARE(shownText(0, KernelModel::Block), QString::number(last()));
        QCOMPARE(shownText(0, KernelModel::Time), QString::number(last() + 1));
        QCOMPARE(shownText(0, KernelModel::Gflops), QStringLiteral("1"));
    }

    void sortsByNumbers()
    {
        m_panel->table().sortByColumn(KernelModel::Time, Qt::AscendingOrder);
        double before = 0;
        for (int row = 0; row < m_panel->table().model()->rowCount(); ++row) {
            const double now = shownText(row, KernelModel::Time).toDouble();
            QVERIFY(now >= before);
            before = now;
        }
    }

    void statisticsSayWhereTheyAreFrom()
    {
        const QString text = m_panel->statisticsText();
        for (const char *part : {"10 ms", "(host)", "minimum 9", "percentile 12", "noise 5.0 %",
                                 "1 interpreted", "2 threads"})
            QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
    }

    void theCompilerIsInTheToolTip()
    {
        const auto *statistics = m_panel->findChild<QLabel *>(QStringLiteral("statistics"));
        QVERIFY(statistics->toolTip().contains(QStringLiteral("Built by a compiler")));
    }

    void whatIsStaleSaysSo()
    {
        QVERIFY(!m_panel->statisticsText().contains(QStringLiteral("another plan")));
        m_panel->setRun(m_run, KernelPanel::State::Stale, false);
        QVERIFY(m_panel->statisticsText().contains(QStringLiteral("another plan")));
        m_panel->table().selectRow(0);
        QCOMPARE(m_selection.item(), Item()); // its items are not those that are shown
    }

    void rowsSelectBlocks()
    {
        m_panel->table().selectRow(1);
        QCOMPARE(m_selection.item(), Item::block(last() - 1));
    }

    void theSelectionSelectsTheRow()
    {
        m_selection.select(Item::of(m_fused->graph().order()[7])); // of block 2
        const QModelIndex current = m_panel->table().currentIndex();
        QCOMPARE(shownText(current.row(), KernelModel::Block), QStringLiteral("2"));
    }

    void filters()
    {
        QTest::keyClicks(&m_panel->filterEdit(), QStringLiteral("for a test"));
        QCOMPARE(m_panel->table().model()->rowCount(), 1);
        QCOMPARE(shownText(0, KernelModel::Interpreted), QStringLiteral("for a test"));
    }

    void theCodeOfTheRowIsShown()
    {
        m_selection.select(Item::block(2));
        const QString code = m_panel->source().edit().toPlainText();
        QVERIFY(code.contains(QStringLiteral("kernel_2(void)")));
        QCOMPARE(m_panel->source().edit().textCursor().block().text(), QStringLiteral("// y = x"));
        QVERIFY(m_panel->source().title().text().startsWith(QStringLiteral("Block 2: ")));
        m_panel->source().findChild<QToolButton *>(QStringLiteral("copySource"))->click();
        QCOMPARE(QApplication::clipboard()->text(), code);
    }

    void whatIsInterpretedHasNoCode()
    {
        m_selection.select(Item::block(0));
        QCOMPARE(m_panel->source().edit().toPlainText(),
                 QStringLiteral("// Interpreted: for a test"));
        QVERIFY(
            !m_panel->source().findChild<QToolButton *>(QStringLiteral("copySource"))->isEnabled());
    }

    void machineCodeIsMadeWhenItIsWanted()
    {
        int asked = 0;
        m_panel->source().setCompiler(
            [&asked](const PlanRun &run, const std::string &symbol, std::stop_token) {
                ++asked;
                return madeCode(run, symbol);
            });
        m_selection.select(Item::block(2));
        QCOMPARE(asked, 0);
        click("showMachineCode");
        QTRY_VERIFY(machineCode().contains(QStringLiteral("vfmadd231ps")));
        QVERIFY(machineCode().contains(QStringLiteral(
            "; Loop of 2 instructions, 1 multiply-add of vectors\n; 2 cycles a turn, 50 % of the "
            "peak\n; bounded by the pipes FP0\n")));
        QVERIFY(m_panel->source().machineCode().summary().text().contains(
            QStringLiteral("llvm-mca 19, znver4")));
        m_selection.select(Item::block(1));
        m_selection.select(Item::block(2)); // known by now
        QTRY_VERIFY(machineCode().contains(QStringLiteral("kernel_2")));
        m_selection.select(Item::block(0));
        QVERIFY(m_panel->source().machineCode().edit().placeholderText().contains(
            QStringLiteral("interpreted")));
    }

    void linesOfMachineCodeAreThoseOfTheSource()
    {
        m_panel->source().setCompiler([](const PlanRun &run, const std::string &symbol,
                                         std::stop_token) { return madeCode(run, symbol); });
        m_selection.select(Item::block(2));
        click("showMachineCode");
        QPlainTextEdit &code = m_panel->source().machineCode().edit();
        QTRY_VERIFY(machineCode().contains(QStringLiteral("vfmadd231ps")));
        QTextCursor cursor = code.document()->find(QStringLiteral("vfmadd231ps"));
        code.setTextCursor(cursor);
        QCOMPARE(m_panel->source().edit().textCursor().blockNumber(), 1); // line 2
        m_panel->source().edit().setTextCursor(
            QTextCursor(m_panel->source().edit().document()->findBlockByNumber(0)));
        QVERIFY(code.textCursor().block().text().contains(QStringLiteral("xor")));
    }

    void whyThereIsNoMachineCodeIsTold()
    {
        m_panel->source().setCompiler(
            [](const PlanRun &, const std::string &, std::stop_token) -> Result<KernelCode> {
                return fail(Error::Kind::Missing, "install llvm-19");
            });
        m_selection.select(Item::block(2));
        click("showMachineCode");
        QTRY_VERIFY(m_panel->source().machineCode().edit().placeholderText().contains(
            QStringLiteral("install llvm-19")));
    }

    void columnsWithoutFiguresAreHidden()
    {
        for (const int column : {KernelModel::Before, KernelModel::Ratio, KernelModel::Trials,
                                 KernelModel::Default, KernelModel::Best})
            QVERIFY(m_panel->table().isColumnHidden(column));
        QVERIFY(!m_panel->table().isColumnHidden(KernelModel::Schedule));
    }

    void aTunedPlanIsComparedWithTheOneBefore()
    {
        m_panel->setRun(test::madeTunedRun(m_fused), KernelPanel::State::Current, true);
        QVERIFY(!m_panel->table().isColumnHidden(KernelModel::Ratio));
        const int row = rowOf(2); // 3 ms, twice that before
        QCOMPARE(shownText(row, KernelModel::Before), QStringLiteral("6"));
        QCOMPARE(shownText(row, KernelModel::Ratio), QStringLiteral("2.00 ×"));
        QVERIFY2(m_panel->statisticsText().contains(
                     QStringLiteral("<b>2.00 × speedup from tuning</b>: 20 ms")),
                 qPrintable(m_panel->statisticsText()));
    }

    void aRatioWithinTheNoiseIsCalledSo()
    {
        PlanRun run = *test::madeTunedRun(m_fused);
        run.stepMs = 0; // planRunOf() adds them up
        run.outcome.before->whole = {9, 10.2, 12, 0.05};
        m_panel->setRun(planRunOf(run), KernelPanel::State::Current, true);
        QVERIFY(m_panel->statisticsText().contains(QStringLiteral("within the noise")));
    }

    void tunedKernelsSayWhatWasTried()
    {
        m_panel->setRun(test::madeTunedRun(m_fused), KernelPanel::State::Current, true);
        const int row = rowOf(1); // block 0 is interpreted
        QCOMPARE(shownText(row, KernelModel::Trials), QStringLiteral("4"));
        QCOMPARE(shownText(row, KernelModel::Default), QStringLiteral("2"));
        QCOMPARE(shownText(row, KernelModel::Best), QStringLiteral("1"));
        QCOMPARE(shownText(rowOf(2), KernelModel::Trials), QString());
        const QString tip = m_panel->table()
                                .model()
                                ->index(row, KernelModel::Best)
                                .data(Qt::ToolTipRole)
                                .toString();
        QVERIFY2(tip.contains(QStringLiteral("one call: 2 ms by default, 1 ms now: 2.00 ×")),
                 qPrintable(tip));
        QVERIFY(tip.startsWith(QStringLiteral("Tuned: unroll i 2")));
    }

    void theRowOfAKernelShowsItsTrialsAlone()
    {
        m_panel->setRun(test::madeTunedRun(m_fused), KernelPanel::State::Current, true);
        m_panel->beginTuning(m_fused->plan);
        auto trials = test::madeTrials();
        for (TuningTrial &trial : trials)
            trial.place.block = 1;
        m_panel->tuning().add(trials);
        m_panel->table().selectRow(rowOf(1));
        QVERIFY2(m_panel->tuning().summary().startsWith(QStringLiteral("<b>Block 1</b>")),
                 qPrintable(m_panel->tuning().summary()));
        m_panel->findChild<QToolButton *>(QStringLiteral("allKernels"))->click();
        QVERIFY(m_panel->tuning().summary().startsWith(QStringLiteral("4 trials")));
        QCOMPARE(m_selection.item(), Item());
    }

    void aTrialLeadsToItsKernel()
    {
        m_panel->beginTuning(m_fused->plan);
        Q_EMIT m_panel->tuning().kernelChosen({2, 0});
        QCOMPARE(m_selection.item(), Item::block(2));
    }

    void aTrialOfAWholeBlockLeadsToTheBlock()
    {
        m_panel->beginTuning(m_fused->plan);
        TuningTrial whole = test::madeTrials().front();
        whole.place = {2, std::nullopt};
        m_panel->tuning().add({whole, test::madeTrials().front()});
        Q_EMIT m_panel->tuning().kernelChosen(whole.place);
        QCOMPARE(m_selection.item(), Item::block(2));
        QVERIFY2(m_panel->tuning().summary().startsWith(QStringLiteral("<b>Block 2 whole</b>")),
                 qPrintable(m_panel->tuning().summary()));
    }

    void theTrialsHaveATabOnlyWhileThereAreSome()
    {
        m_panel->beginTuning(m_fused->plan);
        QVERIFY(m_panel->tuning().list().isVisible());
        m_panel->beginTuning(nullptr);
        QVERIFY(!m_panel->tuning().list().isVisible());
        QVERIFY(m_panel->table().isVisible());
    }

    void rowsAreCopied()
    {
        m_panel->activateWindow();
        m_panel->table().setFocus();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        m_panel->table().selectRow(0);
        QTest::keyClick(&m_panel->table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].startsWith(QStringLiteral("Block\tOperators\t")));
        QVERIFY(lines[1].startsWith(QString::number(last()) + '\t'));
    }

    void theWholeTableIsCopied()
    {
        m_panel->findChild<QAction *>(QStringLiteral("copyKernels"))->trigger();
        const QStringList lines = QApplication::clipboard()->text().trimmed().split('\n');
        QCOMPARE(lines.size(), qsizetype(m_run->steps().size()) + 1);
    }

    void pointsAreKernelsWithArithmetic()
    {
        QCOMPARE(m_panel->roofline().points(), m_run->steps().size() - 2);
        QVERIFY(m_panel->roofline().note().endsWith(QStringLiteral(" 2")));
        QVERIFY(!m_panel->roofline().placeOf(1)); // interpreted
    }

    void aClickOnAPointSelectsItsBlock()
    {
        m_panel->showTab(KernelPanel::Tab::Roofline);
        QTest::qWait(0);
        const std::size_t step = 2; // of block 1; those of others overlap
        const auto place = m_panel->roofline().placeOf(step);
        QVERIFY(place);
        QTest::mouseClick(m_panel->roofline().viewport(), Qt::LeftButton, {}, *place);
        QCOMPARE(m_selection.item(), Item::block(1));
    }

    void withoutPeaksTheNoteSaysWhy()
    {
        PlanRun run = *m_run;
        run.stepMs = 0; // planRunOf() adds them up
        run.device.reset();
        run.noDevice = "nobody knows";
        m_panel->setRun(planRunOf(run), KernelPanel::State::Current, true);
        QVERIFY(m_panel->roofline().note().contains(QStringLiteral("no roofline: nobody knows")));
    }

private:
    /// An instruction of line 1, and a loop of two of line 2, as of the file that is shown.
    static KernelCode madeCode(const PlanRun &run, const std::string &symbol)
    {
        KernelCode code;
        for (const SourceFile &file : run.sources)
            if (file.content.find(symbol + "(") != std::string::npos)
                code.file = file.name;
        code.instructions = {{0, "xor\teax, eax", 1},
                             {4, "vfmadd231ps\tymm0, ymm1, ymm2 " + symbol, 2},
                             {8, "jne\t0x4", 2}};
        KernelCode::Loop loop;
        loop.first = 1;
        loop.last = 2;
        loop.multiplyAdds = 1;
        loop.cycles = 2;
        loop.peakShare = 0.5;
        loop.limit = "the pipes FP0";
        code.loops = {loop};
        code.compiler = "a compiler";
        code.model = "llvm-mca 19, znver4";
        return code;
    }
    QString machineCode() const { return m_panel->source().machineCode().edit().toPlainText(); }
    void click(const char *button) const
    {
        m_panel->source().findChild<QToolButton *>(QLatin1String(button))->click();
    }

    QString shownText(int row, int column) const
    {
        return m_panel->table().model()->index(row, column).data().toString();
    }
    /// That shows the kernel of a block.
    int rowOf(std::uint32_t block) const
    {
        for (int row = 0; row < m_panel->table().model()->rowCount(); ++row)
            if (shownText(row, KernelModel::Block) == QString::number(block))
                return row;
        return -1;
    }
    std::uint32_t last() const { return std::uint32_t(m_run->blocks.size() - 1); }

    SnapshotPointer m_fused;
    PlanRunPointer m_run;
    Selection m_selection;
    QAction m_runAction, m_tuneAction, m_cancelAction;
    std::unique_ptr<KernelPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(KernelPanelTest)

} // namespace graphloom::test::kernel_panel_test

#include "kernel_panel_test.moc"

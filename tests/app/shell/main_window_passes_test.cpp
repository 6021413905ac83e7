// SPDX-License-Identifier: GPL-3.0-or-later
// The window while passes run, and what it shows of their plans.
#include "app/common/format.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/help/command_palette.h"
#include "app/nodes/node_list_panel.h"
#include "app/properties/properties_panel.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/widgets/histogram_view.h"
#include "engine/onnx_export/export.h"
#include "engine/plan/memory_plan.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>

namespace graphloom::test::main_window_passes_test {

using test::sample;
using test::WindowDriver;

class MainWindowPassesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        auto plugins = test::builtPlugins();
        plugins.push_back({{}, std::make_shared<test::ScriptedPass>(test::splitUntilStopped), {}});
        m_driver = std::make_unique<WindowDriver>(std::move(plugins));
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PassPanel>().choose("ago"));
        window().view<PassPanel>().form()->setValue("fuse", 0); // a partition alone
    }
    void cleanup() { m_driver.reset(); }

    void thePassMakesAPartition()
    {
        QVERIFY(run());
        const SnapshotPointer snapshot = window().session().snapshot();
        QVERIFY(snapshot->partition);
        QCOMPARE(window().view<PartitionPanel>().model().rowCount(),
                 int(snapshot->partition->rows.size()));
        QVERIFY(window().view<PartitionPanel>().isVisible());
        QCOMPARE(window().page().canvas().drawing()->groups.size(),
                 snapshot->partition->rows.size());
        QCOMPARE(status("planStatus"),
                 QStringLiteral("%1: %2 subgraphs")
                     .arg(QString::fromStdString(snapshot->plan->partition->method))
                     .arg(snapshot->partition->rows.size()));
        QVERIFY(window()
                    .view<PassPanel>()
                    .findChild<QLabel *>(QStringLiteral("passSummary"))
                    ->text()
                    .startsWith(QStringLiteral("ago: ")));
    }

    void thePassMakesBlocksInSubgraphs()
    {
        window().view<PassPanel>().form()->setValue("fuse", 1);
        QVERIFY(run());
        const SnapshotPointer snapshot = window().session().snapshot();
        QVERIFY(snapshot->plan->fusion && snapshot->plan->partition);
        const std::size_t blocks = snapshot->plan->fusion->blocks.size();
        QVERIFY(blocks < snapshot->graph().nodeCount());
        QVERIFY(blocks > snapshot->partition->rows.size());
        QVERIFY(!window().view<FusionPanel>().isEmpty());
        QCOMPARE(window().view<FusionPanel>().model().rowCount(), int(blocks));
        QCOMPARE(window().view<PartitionPanel>().model().rowCount(),
                 int(snapshot->partition->rows.size()));
        const auto boxes =
            std::ranges::count_if(snapshot->plan->fusion->partition.subgraphs,
                                  [](const Subgraph &block) { return block.nodes.size() > 1; });
        QCOMPARE(window().page().canvas().drawing()->groups.size(), std::size_t(boxes));
        window().actions().groupSubgraphs->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().page().canvas().drawing()->groups.size(),
                 snapshot->partition->rows.size());
    }

    void memoryIsInTheStatus()
    {
        QCOMPARE(status("planStatus"), QStringLiteral("no pass has run"));
        QVERIFY(window().view<PassPanel>().choose("magis"));
        window().view<PassPanel>().form()->setValue("seconds", 0);
        window().view<PassPanel>().form()->setValue("states", 4);
        QVERIFY(run());
        const Plan &plan = *window().session().snapshot()->plan;
        const auto &memory = plan.memory;
        QVERIFY(memory);
        const QString expected = QStringLiteral("peak %1 → %2, latency × %3 (modelled, phone-cpu)")
                                     .arg(formatBytes(double(memory->before.peakBytes)),
                                          formatBytes(double(peakBytesOf(plan))))
                                     .arg(memory->after.ms / memory->before.ms, 0, 'f', 2);
        QCOMPARE(status("planStatus"), expected);
    }

    void whatAPassReplacesIsSaid()
    {
        const auto loss = [this] {
            return window().view<PassPanel>().findChild<QLabel *>(QStringLiteral("passLoss"));
        };
        QVERIFY(!loss()->isVisible());
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QVERIFY(run());
        QVERIFY(window().view<PassPanel>().choose("ago"));
        QVERIFY(!loss()->isVisible()); // it makes a partition alone
        window().view<PassPanel>().form()->setValue("fuse", 1);
        QVERIFY(loss()->isVisible());
        QCOMPARE(loss()->text(), QStringLiteral("ago replaces these parts of the plan: fusion "
                                                "blocks, layouts"));
        QVERIFY(run());
        const QString told = m_driver->message(0);
        QVERIFY2(told.startsWith(QStringLiteral("ago replaced 5")) &&
                     told.contains(QStringLiteral(" fusion blocks of dnnfusion with ")),
                 qPrintable(told));
    }

    void theBestPlanThatIsAppliedHasItsGraph()
    {
        const std::size_t nodes = window().session().snapshot()->graph().nodeCount();
        QVERIFY(window().view<PassPanel>().choose("magis"));
        window().view<PassPanel>().form()->setValue("seconds", 600);
        QTest::keyClick(&window(), Qt::Key_F5);
        const auto hasSplit = [this] {
            const auto runs = window().session().runs().runs();
            const auto &plan = runs.empty() ? nullptr : runs.back()->latest;
            return plan && plan->memory->after.peakBytes < plan->memory->before.peakBytes &&
                   !plan->memory->fissions.empty();
        };
        QVERIFY(QTest::qWaitFor(hasSplit, test::patience));
        QTest::keyClick(&window(), Qt::Key_F8);
        QVERIFY(m_driver->settle());
        const Plan &plan = *window().session().snapshot()->plan;
        QVERIFY2(plan.memory->realized, plan.memory->unrealized.c_str());
        QVERIFY(plan.graph.nodeCount() > nodes);
        QVERIFY(scheduleOf(plan));
    }

    void changedParametersChangeThePartition()
    {
        QVERIFY(run());
        const std::size_t before = window().session().snapshot()->partition->rows.size();
        const Parameter *threshold = nullptr;
        for (const Parameter &parameter : window().view<PassPanel>().pass()->parameters())
            if (parameter.name == "threshold")
                threshold = &parameter;
        QVERIFY2(threshold, "the pass ago has no parameter \"threshold\"");
        window().view<PassPanel>().form()->setValue("threshold", threshold->initial / 8);
        QVERIFY(run());
        QVERIFY(window().session().snapshot()->partition->rows.size() > before);
        const auto &settings = window().session().snapshot()->plan->history.back().settings;
        QVERIFY(std::find(settings.begin(), settings.end(),
                          std::pair<std::string, double>("threshold", threshold->initial / 8)) !=
                settings.end());
    }

    void undoAndRedoShowTheirPlans()
    {
        QVERIFY(!window().actions().undo->isEnabled());
        QVERIFY(run());
        const SnapshotPointer after = window().session().snapshot();
        QCOMPARE(window().actions().undo->text(), QStringLiteral("&Undo ago"));
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!window().session().snapshot()->partition);
        QVERIFY(window().view<PartitionPanel>().isEmpty());
        QVERIFY(window().page().canvas().drawing()->groups.empty());
        QCOMPARE(status("planStatus"), QStringLiteral("no pass has run"));
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(window().session().snapshot(), after);
        QCOMPARE(window().page().canvas().drawing()->groups.size(), after->partition->rows.size());
    }

    void whatIsSelectedStaysSelected()
    {
        const Item item = Item::of(window().session().snapshot()->graph().order()[30]);
        window().selection().select(item);
        QVERIFY(run());
        QCOMPARE(window().selection().item(), item);
        window().selection().select(Item::subgraph(0));
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().selection().item(), Item()); // there is no such thing any more
    }

    void workCanBeCancelledFromItsStart()
    {
        QVERIFY(!window().actions().cancel->isEnabled());
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        QVERIFY(window().actions().cancel->isEnabled());
        QVERIFY(!window().actions().run->isEnabled());
        window().actions().cancel->trigger();
        QVERIFY(m_driver->settle());
        window().bench().documents.open(sample("mobilevit_s_256.onnx"));
        QVERIFY(window().actions().cancel->isEnabled());
        window().actions().cancel->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(!window().actions().cancel->isEnabled());
    }

    void snapshotsAreShownWhileThePassRuns()
    {
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().view<PartitionPanel>().model().rowCount() > 3; }, 20'000));
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->groups.size() > 3; }, 20'000));
        QVERIFY(window().session().isRunning());
        QVERIFY(!window().actions().run->isEnabled());
        QVERIFY(!window().actions().undo->isEnabled());
        QVERIFY(textsOf(window().view<PassPanel>()).contains(QStringLiteral("25 % · splitting")));
    }

    void whileThePassRunsThePlanBeforeItIsExported()
    {
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->groups.size() > 3; }, 20'000));
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        window().bench().documents.exportTo(m_driver->scratch("x.onnx"));
        QVERIFY(said.wait(20'000));
        auto model = importOnnx(m_driver->scratch("x.onnx"), {});
        QVERIFY(model);
        const auto plan = importPlan(std::make_shared<const Model>(*std::move(model)));
        QVERIFY(plan && !plan->partition); // what is in view is a preview
    }

    void cancellingKeepsTheBestPlan()
    {
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().view<PartitionPanel>().model().rowCount() > 3; }, 20'000));
        QVERIFY(window().actions().cancel->isEnabled());
        QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(window().session().snapshot()->partition);
        QVERIFY(!window().actions().cancel->isEnabled());
        QVERIFY(window().actions().run->isEnabled());
        QVERIFY(m_driver->message().contains(QStringLiteral("cancelled")));
    }

    void theCommandPaletteStaysOnTopWhenThePassEnds()
    {
        QVERIFY(!m_driver->open("/no/such/model.onnx")); // brings the messages to the front
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        window().actions().commands->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().view<PartitionPanel>().model().rowCount() > 3; }, 20'000));
        window().session().cancel();
        QVERIFY(m_driver->settle());
        CommandPalette &palette = window().view<CommandPalette>();
        QVERIFY(palette.isVisible());
        const QWidget *top = window().childAt(palette.geometry().center());
        QVERIFY2(palette.isAncestorOf(top), "something lies over it");
    }

    void openingAnotherModelEndsThePass()
    {
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().view<PartitionPanel>().model().rowCount() > 3; }, 20'000));
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(window().actions().run->isEnabled());
        QVERIFY(window().view<PassPanel>().form()->isEnabled()); // the panel does not wait for it
        QVERIFY(window().view<PartitionPanel>().isEmpty());
    }

    void closingTheModelEndsThePass()
    {
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().run->trigger();
        window().actions().close->trigger();
        QVERIFY(!window().session().isRunning());
        QTRY_VERIFY(window().view<PassPanel>().form()->isEnabled());
        QVERIFY(m_driver->settle());
        QVERIFY(!window().page().canvas().drawing());
    }

    void aRowAndTheCanvasAreLinked()
    {
        QVERIFY(run());
        window().view<PartitionPanel>().table().selectRow(3);
        QCOMPARE(window().selection().item(), Item::subgraph(3));
        GraphCanvas &canvas = window().page().canvas();
        QVERIFY(canvas.visibleScene().intersects(*canvas.drawing()->rectOf(Item::subgraph(3))));
        QVERIFY(!window().view<PropertiesPanel>().isEmpty());
        const std::uint32_t node = 5;
        canvas.centreOn(canvas.drawing()->nodes[node].center());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {},
                          canvas.mapFromScene(canvas.drawing()->nodes[node].center()));
        const auto subgraph = window().session().snapshot()->subgraphOf(
            canvas.drawing()->graph.nodes[node].item.node());
        QCOMPARE(window()
                     .view<PartitionPanel>()
                     .table()
                     .currentIndex()
                     .siblingAtColumn(PartitionModel::Index)
                     .data()
                     .toUInt(),
                 subgraph);
    }

    void aDoubleClickOnARowClosesItsSubgraph()
    {
        QVERIFY(run());
        const auto groups = window().page().canvas().drawing()->groups.size();
        window().view<PartitionPanel>().table().selectRow(0);
        QTest::keyClick(&window().view<PartitionPanel>().table(), Qt::Key_Return);
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->groups.size() == groups - 1; },
            20'000));
        window().actions().toggleGroup->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->groups.size() == groups; }, 20'000));
    }

    void aNodeInAClosedSubgraphIsOpened()
    {
        QVERIFY(run());
        window().actions().collapseAll->trigger();
        QVERIFY(QTest::qWaitFor([&] { return window().page().canvas().drawing()->groups.empty(); },
                                20'000));
        const Item item = Item::of(window().session().snapshot()->graph().order()[10]);
        window().selection().select(item);
        Q_EMIT window().view<NodeListPanel>().activated(item);
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->groups.size() == 1; }, 20'000));
        QCOMPARE(window().selection().item(), item);
    }

    void boxesCanBeSwitchedOff()
    {
        QVERIFY(run());
        window().actions().groupNone->trigger();
        QVERIFY(QTest::qWaitFor([&] { return window().page().canvas().drawing()->groups.empty(); },
                                20'000));
    }

    void nodesCanHaveTheColoursOfSubgraphs()
    {
        QVERIFY(run());
        QVERIFY(m_driver->settle());
        const QImage before = window().page().canvas().grab().toImage();
        window().actions().colourBySubgraph->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(before != window().page().canvas().grab().toImage());
    }

    void theHistogramBarSelectsASubgraph()
    {
        QVERIFY(run());
        const double weight = window().session().snapshot()->partition->rows.back().weight;
        Q_EMIT window().view<PartitionPanel>().histogram().binClicked(int(weightBin(weight)));
        QCOMPARE(window().selection().item().kind, Item::Kind::Subgraph);
        const auto chosen = window().selection().item().index;
        QCOMPARE(weightBin(window().session().snapshot()->partition->rows[chosen].weight),
                 weightBin(weight));
    }

    void graphvizLaysOutASmallView()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty())
            QSKIP("needs the program dot of Graphviz");
        const QRectF before = window().page().canvas().drawing()->bounds;
        window().actions().graphviz->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->bounds != before; }, 20'000));
        window().actions().layered->trigger();
        QVERIFY(QTest::qWaitFor(
            [&] { return window().page().canvas().drawing()->bounds == before; }, 20'000));
    }

    void withoutGraphvizOurLayoutIsShownAndItIsSaid()
    {
        QVERIFY(m_driver->open(sample("mobilevit_s_256.onnx"))); // more nodes than it is asked for
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        window().actions().graphviz->trigger();
        QVERIFY(said.wait(20'000));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Using the layered layout: ")));
        QVERIFY(m_driver->settle());
        QVERIFY(window().page().canvas().drawing());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    QString status(const char *name)
    {
        return window().findChild<QLabel *>(QLatin1String(name))->text();
    }
    /// Runs the chosen pass as F5 does.
    bool run()
    {
        QSignalSpy finished(&window().session(), &Session::passFinished);
        QTest::keyClick(&window(), Qt::Key_F5);
        return finished.wait(30'000) && finished[0][0].toBool() && m_driver->settle();
    }
    static QString textsOf(const QWidget &widget)
    {
        QStringList texts;
        for (const QLabel *label : widget.findChildren<QLabel *>())
            texts << label->text();
        return texts.join('\n');
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowPassesTest)

} // namespace graphloom::test::main_window_passes_test

#include "main_window_passes_test.moc"

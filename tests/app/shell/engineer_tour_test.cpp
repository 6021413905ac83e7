// SPDX-License-Identifier: GPL-3.0-or-later
// What an engineer does in an hour, in one window: open a model, fuse it, search for less memory
// while watching, change the plan by hand, take that back, compare, export, and go on the next day.
// Pictures of every step are left in the folder that GRAPHLOOM_TOUR_PICTURES names, if it does.
#include "app/compare/compare_panel.h"
#include "app/export/export_dialog.h"
#include "app/fission/fission_panel.h"
#include "app/fusion/fusion_panel.h"
#include "app/graph/canvas_page.h"
#include "app/memory/memory_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "app/shell/panel_docks.h"
#include "app/workbench/edit_actions.h"
#include "app/workbench/fission_actions.h"
#include "engine/onnx/import.h"
#include "engine/plan/memory_plan.h"
#include "tests/support/app/window_driver.h"

#include <QDir>
#include <QDockWidget>
#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::engineer_tour_test {

using test::sample;
using test::WindowDriver;
namespace fs = std::filesystem;

class EngineerTourTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_driver = std::make_unique<WindowDriver>(test::builtPlugins());
        window().resize(1600, 1000);
    }
    void cleanupTestCase() { m_driver.reset(); }

    void opensAModel()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QCOMPARE(plan()->graph.nodeCount(), std::size_t{152});
        picture("1-open");
    }

    /// The views follow the pass, and its result is one step of undo.
    void fusesItLive()
    {
        QSignalSpy shown(&window().session(), &Session::snapshotChanged);
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QVERIFY(plan()->fusion && plan()->fusion->blocks.size() < plan()->graph.nodeCount());
        QCOMPARE(window().session().undoStack().count(), 1);
        QVERIFY(!window().view<FusionPanel>().isEmpty());
        m_blocks = plan()->fusion->blocks.size();
        picture("2-fused");
    }

    void splitsABlockByHandAndTakesItBack()
    {
        // The last node of the first block that has several.
        const auto &parts = plan()->fusion->partition.subgraphs;
        const auto block =
            std::ranges::find_if(parts, [](const Subgraph &one) { return one.nodes.size() > 1; });
        QVERIFY(block != parts.end());
        window().selection().select(Item::of(block->nodes.back()));
        QVERIFY(m_driver->settle());
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->fusion->blocks.size(), m_blocks + 1);
        picture("3-split");
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->fusion->blocks.size(), m_blocks);
    }

    /// While it searches the curve, the archive and the timeline grow; it can be held and let go
    /// on.
    void searchesForLessMemoryWhileWatching()
    {
        QVERIFY(window().view<PassPanel>().choose("magis"));
        window().view<PassPanel>().form()->setValue("seconds", 1.5);
        QSignalSpy shown(&window().session(), &Session::snapshotChanged);
        QTest::keyClick(&window(), Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(!window().view<ParetoPanel>().isEmpty(),
                                 20'000); // while it runs, or after
        QTest::keyClick(&window(), Qt::Key_F7);
        if (window().session().isRunning()) {
            QVERIFY(window().session().isHeld());
            picture("4-held");
            QTest::keyClick(&window(), Qt::Key_F7);
        }
        QVERIFY(m_driver->settle());
        QVERIFY(plan()->memory);
        QVERIFY(plan()->memory->after.peakBytes < plan()->memory->before.peakBytes);
        QCOMPARE(window().view<RunPanel>().model().rowCount(), 2);
        QVERIFY(shown.size() > 1); // plans were shown before the last
        window().panels().dock(QStringLiteral("memory")).raise();
        picture("5-memory");
    }

    void changesTheTreeByHand()
    {
        const auto &fissions = plan()->memory->fissions;
        const auto at = std::ranges::find_if(
            fissions, [](const MemoryPlan::Fission &one) { return one.number > 1; });
        QVERIFY(at != fissions.end());
        const std::int64_t expected = at->changed.peakBytes;
        window().panels().dock(QStringLiteral("fissions")).raise();
        window().view<FissionPanel>().choose(int(at - fissions.begin()));
        window().bench().fissionEdits.disable->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->memory->after.peakBytes, expected);
        picture("6-tree");
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(plan()->memory->after.peakBytes < expected);
    }

    void comparesWithTheModelAsOpened()
    {
        QTest::keyClick(&window(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(window().view<ComparePanel>().differences().rowCount() > 0);
        QVERIFY(window().view<ComparePanel>().metrics().rowCount() > 0);
        QTest::keyClick(&window(), Qt::Key_F4);
        QVERIFY(window().view<ComparePanel>().selection().item());
        picture("7-compare");
    }

    void exportsTheModel()
    {
        const fs::path file = m_driver->scratch("optimized.onnx");
        window().bench().documents.exportTo(file);
        QTRY_VERIFY_WITH_TIMEOUT(fs::exists(file), 20'000);
        QVERIFY(m_driver->settle());
        const auto model = importOnnx(file);
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        QVERIFY(model->graph.nodeCount() > 0);
    }

    void goesOnTheNextDay()
    {
        const fs::path file = m_driver->scratch("work.gloom");
        QSignalSpy saved(&window().session(), &Session::saved);
        window().bench().documents.saveTo(file);
        QVERIFY(saved.wait(20'000));
        QVERIFY(saved[0][0].toBool());
        const auto hash = plan()->graph.hash();
        const std::int64_t peak = plan()->memory->after.peakBytes;
        const int steps = window().session().undoStack().count();
        m_driver->restart();
        window().bench().documents.open(file);
        QVERIFY(m_driver->settle());
        QCOMPARE(window().session().file(), file);
        QCOMPARE(plan()->graph.hash(), hash);
        QCOMPARE(plan()->memory->after.peakBytes, peak);
        QCOMPARE(window().session().undoStack().count(), steps);
        QCOMPARE(window().view<RunPanel>().model().rowCount(), 3); // the edit by hand was one, too
        QVERIFY(window().session().canGoOn("magis"));
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(!plan()->memory && plan()->fusion);
        picture("8-next-day");
    }

private:
    MainWindow &window() { return m_driver->window(); }
    std::shared_ptr<const Plan> plan() { return window().session().snapshot()->plan; }
    /// Something is to be seen at every step.
    void picture(const char *name)
    {
        const QImage image = window().grab().toImage();
        QVERIFY(image.width() >= 1000 && !image.isNull());
        const QString folder = qEnvironmentVariable("GRAPHLOOM_TOUR_PICTURES");
        if (!folder.isEmpty())
            QVERIFY(QDir().mkpath(folder) &&
                    image.save(QStringLiteral("%1/%2.png").arg(folder, QLatin1String(name))));
    }

    std::unique_ptr<WindowDriver> m_driver;
    std::size_t m_blocks = 0;
};

GRAPHLOOM_WINDOW_TESTS(EngineerTourTest)

} // namespace graphloom::test::engineer_tour_test

#include "engineer_tour_test.moc"

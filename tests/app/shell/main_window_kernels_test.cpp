// SPDX-License-Identifier: GPL-3.0-or-later
// The window where a plan is run on this machine.
#include "app/drawing/legend.h"
#include "app/graph/canvas_page.h"
#include "app/kernels/kernel_panel.h"
#include "app/kernels/source_view.h"
#include "app/shell/panel_docks.h"
#include "engine/codegen/build/c_compiler.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/program.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/tiny_models.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

#include <chrono>
#include <fstream>
#include <thread>

namespace graphloom::test::main_window_kernels_test {

using test::WindowDriver;

class MainWindowKernelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::rewritten(); // Relu(x) - x
        m_fused = test::fused(m_plain);
    }
    void init() { use(loadTargetPlugins(GRAPHLOOM_TARGETS)); }
    void cleanup() { m_driver.reset(); }

    void withoutAModelThereIsNothingToRun()
    {
        QVERIFY(!window().actions().runHere->isEnabled());
        QVERIFY(window().view<KernelPanel>().isEmpty());
    }

    void aRunShowsTheKernels()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY(m_driver->show(m_fused));
        QVERIFY(run());
        QVERIFY2(window().view<KernelPanel>().model().rowCount() == 1,
                 qPrintable(m_driver->message()));
        QVERIFY(window().view<KernelPanel>().statisticsText().contains(QStringLiteral("(host)")));
        QVERIFY(window().panels().dock(QStringLiteral("kernels")).isVisible());
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Ran 3 times: ")));
        window().selection().select(Item::block(0));
        QVERIFY(window().view<KernelPanel>().source().edit().toPlainText().contains(
            QStringLiteral("void kernel_")));
        QVERIFY(window().view<KernelPanel>().model().run()->device); // its peaks are known
    }

    void unfusedNodesAreKernelsOfTheirOwn()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(run());
        QCOMPARE(window().view<KernelPanel>().model().rowCount(), 2);
        window().view<KernelPanel>().table().selectRow(0);
        QCOMPARE(window().selection().item().kind, Item::Kind::Node);
    }

    void shapesThatAreNotKnownAreSaid()
    {
        const std::filesystem::path file = m_driver->scratch("tiny.onnx");
        test::writeTinyModel(file); // its first extent is a symbol
        QVERIFY(m_driver->open(file));
        QVERIFY(run());
        QVERIFY2(m_driver->message().startsWith(QStringLiteral("Cannot run on this machine: ")),
                 qPrintable(m_driver->message()));
        QVERIFY(window().view<KernelPanel>().isEmpty());
    }

    void thePlanIsExportedAsAPackage()
    {
        QVERIFY(m_driver->show(m_fused));
        const std::filesystem::path folder = m_driver->scratch("package");
        QCOMPARE(exportPackage(folder), QStringLiteral("Wrote package"));
        QVERIFY(std::filesystem::exists(folder / "CMakeLists.txt"));
        QVERIFY(std::filesystem::exists(folder / "src" / "kernels" / "block_000_relu_sub.c"));
    }

    void aPackageIsReplacedIfThatIsWanted()
    {
        QVERIFY(m_driver->show(m_fused));
        const std::filesystem::path folder = m_driver->scratch("package");
        QCOMPARE(exportPackage(folder), QStringLiteral("Wrote package"));
        std::ofstream(folder / "notes.txt") << "of the old package";
        QString question;
        QCOMPARE(exportPackage(folder,
                               [&](QMessageBox &box) {
                                   question = box.text();
                                   for (QAbstractButton *button : box.buttons())
                                       if (box.buttonRole(button) == QMessageBox::AcceptRole)
                                           button->click();
                               }),
                 QStringLiteral("Wrote package"));
        QVERIFY(question.contains(QString::fromStdString(folder.string())));
        QVERIFY(!std::filesystem::exists(folder / "notes.txt"));
    }

    void aPlanWithoutPackageSaysWhatItLacks()
    {
        const std::filesystem::path file = m_driver->scratch("tiny.onnx");
        test::writeTinyModel(file);
        QVERIFY(m_driver->open(file));
        const std::filesystem::path folder = m_driver->scratch("package");
        const QString message = exportPackage(folder);
        QVERIFY2(message.startsWith(QStringLiteral("Cannot write package: ")) &&
                     message.contains(QStringLiteral("known only at run time")),
                 qPrintable(message));
        QVERIFY(!std::filesystem::exists(folder));
    }

    void withoutATargetItSaysSo()
    {
        use({});
        QVERIFY(m_driver->show(m_plain));
        window().actions().runHere->trigger();
        QVERIFY(m_driver->message().contains(QStringLiteral("no target plugin runs kernels")));
    }

    void withoutACompilerItSaysWhatToInstall()
    {
        use(test::scripted([](const BuildOptions &) {
            return fail(Error::Kind::Missing, "install gcc or clang");
        }));
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(run());
        QCOMPARE(m_driver->message(),
                 QStringLiteral("Cannot run on this machine: install gcc or clang"));
        QVERIFY(window().panels().dock(QStringLiteral("messages")).isVisible());
    }

    /// Blocks are interpreted then, and why is said.
    void aCompilerThatFailsIsTold()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        const QTemporaryDir folder;
        const test::ScopedVariable cache("XDG_CACHE_HOME", folder.filePath("cache").toLocal8Bit()),
            compiler("CC", test::failingCompiler(folder.filePath("compiler")).toLocal8Bit());
        QVERIFY(m_driver->show(m_fused));
        QVERIFY(run()); // times would be those of the interpreter: there are none
        QVERIFY2(
            m_driver->message().contains(QStringLiteral("nothing was measured: 1 block")) &&
                m_driver->message().contains(QStringLiteral("cannot compile: exited with code 1")),
            qPrintable(m_driver->message()));
        QVERIFY(window().panels().dock(QStringLiteral("messages")).isVisible());
    }

    void buildingCanBeStopped()
    {
        use(test::scripted([](const BuildOptions &options) {
            options.progress(0.5, "compiling for ever");
            while (!options.stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return fail(Error::Kind::Fault, "stopped");
        }));
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6);
        QVERIFY(window().bench().kernels.runner().isRunning());
        QVERIFY(!window().actions().run->isEnabled()); // it would disturb
        QVERIFY(QTest::qWaitFor([&] { return status() == QLatin1String("compiling for ever"); }));
        QVERIFY(window().findChild<QProgressBar *>(QStringLiteral("runProgress"))->value() > 0);
        window().findChild<QToolButton *>(QStringLiteral("runCancel"))->click();
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Run stopped")));
        QVERIFY(window().view<KernelPanel>().isEmpty());
        QVERIFY(window().actions().runHere->isEnabled());
    }

    void stoppedWhileMeasuringKeepsWhatThereIs()
    {
        constexpr int many = 100'000; // minutes of them
        use(test::scripted(test::fakeBuild(m_log, std::chrono::milliseconds(1))));
        QVERIFY(m_driver->show(m_plain));
        window().view<KernelPanel>().setOptions({many, 1});
        QTest::keyClick(&window(), Qt::Key_F6);
        QVERIFY(QTest::qWaitFor([&] { return status() == QLatin1String("measuring"); }));
        QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->message().contains(QStringLiteral("stopped before all runs")));
        const int runs = window().view<KernelPanel>().model().run()->outcome.after->runs;
        QVERIFY(runs >= 1 && runs < many);
    }

    void theFormIsObeyedAndKept()
    {
        unsigned threads = 0;
        use(test::scripted([&](const BuildOptions &options) {
            threads = options.threads;
            return fail(Error::Kind::Missing, "enough");
        }));
        QVERIFY(m_driver->show(m_plain));
        window().view<KernelPanel>().findChild<QSpinBox *>(QStringLiteral("threads"))->setValue(3);
        QVERIFY(run());
        QCOMPARE(threads, 3U);
        m_driver->restart();
        QCOMPARE(window().view<KernelPanel>().options().threads, 3U);
        QCOMPARE(window().view<KernelPanel>().options().runs, 3);
    }

    void anotherPlanMakesARunStaleUntilItIsUndone()
    {
        useFake();
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(run());
        QVERIFY(!m_driver->isRunStale());
        window().session().edit(QStringLiteral("fuse"), [this](Plan plan) {
            plan.fusion = m_fused->plan->fusion;
            return plan;
        });
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->isRunStale());
        QVERIFY(!window().actions().heat->isEnabled());
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!m_driver->isRunStale());
        QVERIFY(window().actions().heat->isEnabled());
    }

    void anotherModelForgetsTheRuns()
    {
        useFake();
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(run());
        QVERIFY(m_driver->show(m_fused));
        QVERIFY(window().view<KernelPanel>().isEmpty());
    }

    void heatColoursTheNodes()
    {
        useFake(); // the second node takes twice as long as the first
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(run());
        QTest::keyClick(&window(), Qt::Key_H, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        const auto order = m_plain->graph().order();
        QCOMPARE(fill(order[1]), window().theme().heatOf(1));
        QCOMPARE(fill(order[0]), window().theme().heatOf(0.5));
        QVERIFY(window().page().legend().toolTip().contains(QStringLiteral("66.7 %")));
        QTest::keyClick(&window(), Qt::Key_H, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(fill(order[1]) != window().theme().heatOf(1));
    }

    void heatOfBlocksInSubgraphs()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        const SnapshotPointer both = test::fusedInSubgraphs(m_plain);
        QVERIFY(both && both->plan->partition && both->plan->fusion);
        QCOMPARE(both->plan->fusion->blocks.size(), std::size_t(1));
        QVERIFY(m_driver->show(both));
        QVERIFY(run());
        QVERIFY2(window().view<KernelPanel>().model().rowCount() == 1,
                 qPrintable(m_driver->message()));
        QTest::keyClick(&window(), Qt::Key_H, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        for (const NodeId node : both->graph().order())
            QCOMPARE(fill(node), window().theme().heatOf(1));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    void use(std::vector<TargetPlugin> targets)
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>(), ThemeChoice::Dark,
                                                  std::move(targets));
        window().view<KernelPanel>().setOptions({3, 1});
    }
    /// Its two steps are those of both nodes.
    /// Exports a package as a person does; returns the last message.
    QString exportPackage(
        const std::filesystem::path &folder,
        const std::function<void(QMessageBox &)> &answer = [](QMessageBox &) {})
    {
        window().actions().exportPackage->trigger();
        auto *dialog = window().findChild<QFileDialog *>();
        if (!dialog)
            return {};
        dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))
            ->setText(QString::fromStdString(folder.string()));
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        if (!QMetaObject::invokeMethod(dialog, "accept"))
            return QStringLiteral("the dialog cannot be accepted");
        if (auto *box = dialog->findChild<QMessageBox *>())
            answer(*box);
        if (!QTest::qWaitFor([&] { return !said.empty(); }, 20'000))
            return QStringLiteral("nothing was said");
        return m_driver->message();
    }
    void useFake() { use(test::scripted(test::fakeBuild(m_log))); }
    bool run()
    {
        QTest::keyClick(&window(), Qt::Key_F6);
        return m_driver->settle();
    }
    QString status() { return window().findChild<QLabel *>(QStringLiteral("workStatus"))->text(); }
    QColor fill(NodeId id)
    {
        const Drawing &drawing = *window().page().canvas().drawing();
        return fillOf(drawing, drawing.graph.nodeOf(Item::of(id)), window().theme(),
                      window().page().canvas().tiles().colouring());
    }

    SnapshotPointer m_plain, m_fused;
    std::vector<std::string> m_log;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowKernelsTest)

} // namespace graphloom::test::main_window_kernels_test

#include "main_window_kernels_test.moc"

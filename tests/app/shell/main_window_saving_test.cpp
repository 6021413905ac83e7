// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/canvas_page.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "engine/system/sqlite.h"
#include "tests/support/app/window_driver.h"

#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>

#include <csignal>
#include <fstream>

namespace graphloom::test::main_window_saving_test {

using test::WindowDriver;
namespace fs = std::filesystem;

namespace {

/// How many states of the plan a journal of the folder has by now.
int statesIn(const fs::path &folder)
{
    std::error_code failed;
    for (const auto &entry : fs::directory_iterator(folder, failed)) {
        if (entry.path().extension() != ".journal")
            continue;
        const auto database = sqlite::Connection::open(entry.path().string());
        const auto count = database ? (*database)->integer("SELECT count(*) FROM state") : 0;
        return count ? int(*count) : 0;
    }
    return 0;
}

} // namespace

class MainWindowSavingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(test::builtPlugins());
        QVERIFY(m_driver->open(test::sample("bert_tiny.onnx")));
        QVERIFY(window().view<PassPanel>().choose("ago"));
        window().actions().run->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(window().session().snapshot()->partition);
    }

    void theTitleTellsOfUnsavedPlans()
    {
        QCOMPARE(window().windowTitle(), QStringLiteral("bert_tiny.onnx • — Graphloom"));
        QVERIFY(save());
        QCOMPARE(window().windowTitle(), QStringLiteral("work.gloom — Graphloom"));
        window().actions().undo->trigger();
        QCOMPARE(window().windowTitle(), QStringLiteral("work.gloom • — Graphloom"));
    }

    void aSessionOpensAsItWas()
    {
        window().actions().groupNone->trigger();
        const Item item = Item::of(window().session().snapshot()->graph().order()[5]);
        window().selection().select(item);
        QVERIFY(m_driver->settle());
        QVERIFY(save());
        m_driver->restart();
        window().bench().documents.open(m_driver->scratch("work.gloom"));
        QVERIFY(m_driver->settle());
        QVERIFY(window().session().snapshot()->partition);
        QCOMPARE(window().selection().item(), item);
        QVERIFY(window().actions().groupNone->isChecked());
        QCOMPARE(window().view<RunPanel>().model().rowCount(), 1);
        window().actions().undo->trigger();
        QVERIFY(!window().session().snapshot()->partition);
    }

    void aKilledProgramLosesNothing()
    {
        const fs::path data = m_driver->scratch("data");
        const fs::path journals = data / "graphloom" / "unsaved";
        QProcess program;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), QString::fromStdString(data.string()));
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(GRAPHLOOM_BINARY),
                      {QString::fromStdString(test::sample("bert_tiny.onnx").string()),
                       QStringLiteral("--view"), QStringLiteral("partition")});
        QVERIFY(program.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return statesIn(journals) >= 2; }, test::patience));
        ::kill(pid_t(program.processId()), SIGKILL);
        QVERIFY(program.waitForFinished());

        MainWindowOptions options;
        options.plugins = test::builtPlugins();
        options.settingsFile = m_driver->settingsFile();
        options.journals = journals;
        MainWindow next(std::move(options));
        next.show();
        QVERIFY(next.actions().recover->isEnabled());
        QVERIFY(next.findChild<QPushButton *>(QStringLiteral("recoverButton"))->isVisible());
        QSignalSpy finished(&next.session(), &Session::openingFinished);
        next.actions().recover->trigger();
        QVERIFY(finished.wait(test::patience));
        QVERIFY(finished[0][0].toBool());
        QVERIFY(next.session().snapshot()->partition);
        QVERIFY(next.session().undoStack().canUndo());
        QVERIFY(!next.actions().recover->isEnabled());
        next.session().discardJournal();
    }

    void closingAsksBeforeWorkIsLost()
    {
        MainWindowOptions options;
        options.plugins = test::builtPlugins();
        options.settingsFile = m_driver->settingsFile();
        options.journals = m_driver->scratch("journals");
        MainWindow careful(std::move(options));
        careful.show();
        QSignalSpy opened(&careful.session(), &Session::openingFinished);
        careful.session().show(window().session().snapshot()->plan);
        QVERIFY(opened.wait(test::patience));
        careful.session().edit(QStringLiteral("Forget subgraphs"), [](Plan plan) {
            plan.partition = nullptr;
            return plan;
        });
        QVERIFY(QTest::qWaitFor([&] { return !careful.session().isBusy(); }, test::patience));
        QVERIFY(!careful.close());
        auto *box = careful.findChild<QMessageBox *>(QStringLiteral("unsavedBox"));
        QVERIFY(box);
        QTest::mouseClick(box->button(QMessageBox::Cancel), Qt::LeftButton);
        QVERIFY(careful.isVisible());
        QVERIFY(!careful.close());
        QTRY_COMPARE(careful.findChildren<QMessageBox *>(QStringLiteral("unsavedBox")).size(), 1);
        box = careful.findChild<QMessageBox *>(QStringLiteral("unsavedBox"));
        QTest::mouseClick(box->button(QMessageBox::Discard), Qt::LeftButton);
        QVERIFY(!careful.isVisible());
    }

    void openingAsksBeforeWorkIsLost()
    {
        MainWindowOptions options;
        options.settingsFile = m_driver->settingsFile();
        options.journals = m_driver->scratch("journals");
        MainWindow careful(std::move(options));
        careful.show();
        QSignalSpy opened(&careful.session(), &Session::openingFinished);
        careful.bench().documents.open(test::sample("bert_tiny.onnx"));
        QVERIFY(opened.wait(test::patience));
        careful.session().edit(QStringLiteral("Forget subgraphs"), [](Plan plan) {
            plan.partition = nullptr;
            return plan;
        });
        QVERIFY(QTest::qWaitFor([&] { return !careful.session().isBusy(); }, test::patience));
        const fs::path broken = m_driver->scratch("broken.onnx");
        std::ofstream(broken) << "no model";
        careful.bench().documents.open(broken);
        auto *box = careful.findChild<QMessageBox *>(QStringLiteral("unsavedBox"));
        QVERIFY(box);
        QCOMPARE(opened.size(), 1); // nothing is opened before the answer
        QTest::mouseClick(box->button(QMessageBox::Discard), Qt::LeftButton);
        QVERIFY(opened.wait(test::patience));
        // It could not be opened: the work is still there, and still not saved.
        QVERIFY(!opened.back()[0].toBool());
        QVERIFY(careful.session().undoStack().canUndo());
        QVERIFY(careful.session().isModified());
        careful.session().discardJournal();
    }

    void windowsAreIndependent()
    {
        std::unique_ptr<MainWindow> other(window().openWindow());
        QVERIFY(other->isVisible());
        QVERIFY(!other->session().snapshot());
        QVERIFY(window().session().snapshot());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    bool save()
    {
        QSignalSpy saved(&window().session(), &Session::saved);
        window().bench().documents.saveTo(m_driver->scratch("work.gloom"));
        return saved.wait(test::patience) && saved[0][0].toBool();
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowSavingTest)

} // namespace graphloom::test::main_window_saving_test

#include "main_window_saving_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The status of all background work, as a person meets it.
#include "app/graph/canvas_page.h"
#include "app/runs/pass_panel.h"
#include "app/status/job_status.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QLabel>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>

namespace graphloom::test::main_window_jobs_test {

using test::sample;
using test::WindowDriver;

class MainWindowJobsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>{
            {{}, std::make_shared<test::ScriptedPass>(test::splitUntilStopped), {}}});
        m_driver->window().view<PassPanel>().choose("scripted");
    }
    void cleanup() { m_driver.reset(); }

    void nothingGoesOnAtFirst()
    {
        QVERIFY(!button().isVisible());
        QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(popup().isVisible());
        QVERIFY(!popup().table().isVisible());
        QTest::keyClick(&popup(), Qt::Key_Escape);
        QVERIFY(!popup().isVisible());
    }

    void theListClosesWithTheLastJob()
    {
        openList();
        window().session().cancel();
        QVERIFY(m_driver->settle());
        QVERIFY(QTest::qWaitFor([&] { return !popup().isVisible(); }));
        QVERIFY(QApplication::focusWidget() && !popup().isAncestorOf(QApplication::focusWidget()));
    }

    void escapeClosesTheListWhereverTheFocusIs()
    {
        openList();
        QTest::keyClick(&popup().table(), Qt::Key_Escape);
        QVERIFY(!popup().isVisible());
        openList();
        window().page().canvas().setFocus(Qt::TabFocusReason);
        QVERIFY(popup().isVisible());
        window().selection().select(Item::of(window().session().snapshot()->graph().order()[0]));
        QTest::keyClick(&window().page().canvas(), Qt::Key_Escape);
        QVERIFY(!popup().isVisible());
        QVERIFY(window().selection().item()); // the key was for the list alone
        end();
    }

    void aClickElsewhereClosesTheList_data()
    {
        QTest::addColumn<QString>("where");
        for (const char *where :
             {"GraphCanvas", "QToolBar", "QStatusBar", "QMenuBar", "QDockWidget"})
            QTest::newRow(where) << QString::fromLatin1(where);
    }

    void aClickElsewhereClosesTheList()
    {
        QFETCH(QString, where);
        openList();
        QWidget *target = nullptr;
        for (QWidget *widget : window().findChildren<QWidget *>())
            if (!target && widget->isVisible() &&
                QString::fromLatin1(widget->metaObject()->className()).endsWith(where))
                target = widget;
        QVERIFY(target);
        if (auto *scrolled = qobject_cast<QAbstractScrollArea *>(target))
            target = scrolled->viewport();
        QTest::mouseClick(target, Qt::LeftButton, {}, QPoint(target->width() / 2, 2));
        QVERIFY(!popup().isVisible());
        end();
    }

    void aClickInsideLeavesTheListOpen()
    {
        openList();
        QTest::mouseClick(&popup(), Qt::LeftButton, {}, QPoint(3, 3));
        QTest::mouseClick(popup().table().viewport(), Qt::LeftButton, {}, QPoint(20, 10));
        QVERIFY(popup().isVisible());
        end();
    }

    void theListDoesNotComeBackWithItsWindow()
    {
        openList();
        window().hide();
        window().show();
        QVERIFY(!popup().isVisible());
        end();
    }

    void theButtonClosesTheListToo()
    {
        openList();
        QVERIFY(QTest::qWaitFor([&] { return button().isVisible(); }));
        QTest::mouseClick(&button(), Qt::LeftButton);
        QVERIFY(!popup().isVisible());
        end();
    }

    /// A popup window would get the input of the others, and could lie above other programs.
    void theListIsAPartOfTheWindow()
    {
        openList();
        QVERIFY(!popup().isWindow());
        QVERIFY(!QApplication::activePopupWidget() && !QApplication::activeModalWidget());
        QVERIFY(!QWidget::mouseGrabber() && !QWidget::keyboardGrabber());
        QVERIFY(window().rect().contains(popup().geometry()));
        end();
    }

    void aRunIsListedWithItsProgress()
    {
        start();
        QVERIFY(QTest::qWaitFor([&] { return button().isVisible(); }));
        QVERIFY(button().text().endsWith(QStringLiteral("▸")));
        QVERIFY(
            QTest::qWaitFor([&] { return row("Run 1, scripted") >= 0 && bar().value() == 250; }));
        const QLabel &text = *window().findChild<QLabel *>(QStringLiteral("workStatus"));
        QVERIFY(QTest::qWaitFor([&] { return text.text() == QLatin1String("splitting"); }));
        window().session().cancel();
        QVERIFY(m_driver->settle());
        QVERIFY(QTest::qWaitFor([&] { return row("Run 1, scripted") < 0; }));
    }

    void keysStopAJob()
    {
        start();
        window().bench().passes.runBeside();
        QVERIFY(QTest::qWaitFor([&] { return row("Run 2, scripted") >= 0; }));
        window().activateWindow();
        QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(popup().table().hasFocus());
        choose(QStringLiteral("Run 2, scripted"));
        QTest::keyClick(&popup().table(), Qt::Key_Delete);
        QVERIFY(QTest::qWaitFor([&] { return row("Run 2, scripted") < 0; }));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Run 2 (scripted")));
        QVERIFY(row("Run 1, scripted") >= 0);
        window().session().cancel();
        QVERIFY(m_driver->settle());
    }

    void theButtonOpensTheListAndStops()
    {
        start();
        QVERIFY(QTest::qWaitFor([&] { return button().isVisible(); }));
        QTest::mouseClick(&button(), Qt::LeftButton);
        QVERIFY(popup().isVisible());
        choose(QStringLiteral("Run 1, scripted"));
        QTest::mouseClick(&popup().stopButton(), Qt::LeftButton);
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->message().contains(QStringLiteral("cancelled")));
    }

    /// It may be done before it hears of it.
    void anExportCanBeStopped()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(QTest::qWaitFor([&] { return window().bench().jobs.jobs().empty(); }));
        const auto path = m_driver->scratch("x.onnx");
        window().bench().documents.exportTo(path);
        const int writing = row("Writing x.onnx");
        QVERIFY(writing >= 0);
        QVERIFY(window().bench().jobs.jobs()[std::size_t(writing)].cancel);
        window().bench().jobs.cancel(writing);
        QVERIFY(QTest::qWaitFor([&] { return window().bench().jobs.jobs().empty(); }));
        QCOMPARE(m_driver->message(), std::filesystem::exists(path)
                                          ? QStringLiteral("Wrote x.onnx")
                                          : QStringLiteral("Export of x.onnx cancelled"));
    }

    void everythingHasEndedWhenItIsSettled()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(QTest::qWaitFor([&] { return window().bench().jobs.jobs().empty(); }));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    JobPopup &popup() { return window().view<JobStatus>().popup(); }
    QToolButton &button()
    {
        return *window().findChild<QToolButton *>(QStringLiteral("jobButton"));
    }
    QProgressBar &bar()
    {
        return *window().findChild<QProgressBar *>(QStringLiteral("runProgress"));
    }
    int row(const char *what)
    {
        const auto &jobs = window().bench().jobs.jobs();
        const auto found = std::ranges::find(jobs, QString::fromUtf8(what), &JobList::Job::what);
        return found == jobs.end() ? -1 : int(found - jobs.begin());
    }
    void choose(const QString &what)
    {
        const QAbstractItemModel &rows = *popup().table().model();
        for (int i = 0; i < rows.rowCount(); ++i)
            if (const QModelIndex cell = rows.index(i, JobList::What);
                cell.data().toString() == what)
                QTest::mouseClick(popup().table().viewport(), Qt::LeftButton, {},
                                  popup().table().visualRect(cell).center());
    }
    void openList()
    {
        if (!window().session().isRunning())
            start();
        QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(popup().isVisible());
        QVERIFY(popup().table().isVisible());
    }
    void end()
    {
        window().session().cancel();
        QVERIFY(m_driver->settle());
    }
    void start()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().bench().passes.run();
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowJobsTest)

} // namespace graphloom::test::main_window_jobs_test

#include "main_window_jobs_test.moc"

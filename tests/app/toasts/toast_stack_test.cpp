// SPDX-License-Identifier: GPL-3.0-or-later
// What the window tells of files that it has written.
#include "app/toasts/toast_stack.h"

#include "app/graph/canvas_page.h"
#include "app/runs/pass_panel.h"
#include "tests/support/app/window_driver.h"

#include <QAccessible>
#include <QClipboard>
#include <QDesktopServices>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>

#include <fstream>

namespace graphloom::test::toast_stack_test {

using test::sample;
using test::WindowDriver;

class ToastStackTest : public QObject {
    Q_OBJECT

public Q_SLOTS:
    void takeUrl(const QUrl &url) { m_opened = url; }

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
    }
    void cleanup() { m_driver.reset(); }

    void anExportIsTold()
    {
        QVERIFY(exportTo("x.dot"));
        QVERIFY2(textOf(newest()).startsWith(QStringLiteral("Exported x.dot (")),
                 qPrintable(textOf(newest())));
        QVERIFY(textOf(newest()).endsWith(QStringLiteral("KiB)")));
        QCOMPARE(m_driver->message(), QStringLiteral("Wrote x.dot"));
        QVERIFY(newest().isVisible());
        const QRect canvas(window().page().canvas().mapToGlobal(QPoint()),
                           window().page().canvas().size());
        const QRect place(newest().mapToGlobal(QPoint()), newest().size());
        QVERIFY(canvas.contains(place));
        QVERIFY(place.center().x() > canvas.center().x());
        QVERIFY(place.center().y() > canvas.center().y());
    }

    void aLongNameIsElided()
    {
        const std::string name(80, 'x');
        QVERIFY(exportTo((name + ".dot").c_str()));
        QVERIFY2(textOf(newest()).contains(QChar(0x2026)), qPrintable(textOf(newest())));
        QVERIFY(textOf(newest()).size() < 80);
    }

    void theFolderIsShown()
    {
        QVERIFY(exportTo("x.dot"));
        QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "takeUrl");
        QTest::mouseClick(&newest().folderButton(), Qt::LeftButton);
        QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
        QCOMPARE(m_opened, QUrl::fromLocalFile(QString::fromStdString(
                               m_driver->scratch("x.dot").parent_path().string())));
    }

    void thePathIsCopied()
    {
        QVERIFY(exportTo("x.dot"));
        QTest::mouseClick(&newest().pathButton(), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(),
                 QString::fromStdString(m_driver->scratch("x.dot").string()));
    }

    void itGoesAwayByItself()
    {
        QVERIFY(exportTo("x.dot"));
        newest().setPatience(20);
        QTRY_VERIFY(toasts().isEmpty());
    }

    void itStaysUnderThePointer()
    {
        QVERIFY(exportTo("x.dot"));
        Toast &toast = newest();
        QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), toast.mapToGlobal(QPointF(5, 5)));
        QApplication::sendEvent(&toast, &enter);
        toast.setPatience(20);
        QTest::qWait(100);
        QCOMPARE(toasts().toasts().size(), std::size_t(1));
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&toast, &leave);
        QTRY_VERIFY(toasts().isEmpty());
    }

    void itStaysWithTheFocusWhichGoesBack()
    {
        QVERIFY(exportTo("x.dot"));
        GraphCanvas &canvas = window().page().canvas();
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_N, Qt::ControlModifier | Qt::AltModifier);
        QCOMPARE(QApplication::focusWidget(), &newest().folderButton());
        newest().setPatience(20);
        QTest::qWait(100);
        QCOMPARE(toasts().toasts().size(), std::size_t(1));
        QTest::keyClick(&newest().folderButton(), Qt::Key_Escape);
        QVERIFY(toasts().isEmpty());
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(&canvas));
    }

    void escapeOnTheCanvasClosesTheNewest()
    {
        QVERIFY(exportTo("x.dot"));
        QVERIFY(exportTo("y.dot"));
        window().page().canvas().setFocus();
        QTest::keyClick(&window().page().canvas(), Qt::Key_Escape);
        QCOMPARE(toasts().toasts().size(), std::size_t(1));
        QVERIFY(textOf(newest()).startsWith(QStringLiteral("Exported x.dot")));
    }

    void escapeInAFieldIsNotTaken()
    {
        QVERIFY(exportTo("x.dot"));
        QLineEdit edit(window().centralWidget());
        edit.show();
        edit.setFocus();
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(&edit));
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(toasts().toasts().size(), std::size_t(1));
    }

    void anErrorStaysUntilItIsClosed()
    {
        QSignalSpy failed(&window().bench(), &Workbench::fileNotWritten);
        window().bench().documents.exportTo(m_driver->scratch("no such folder") / "x.dot");
        QVERIFY(failed.wait(20'000));
        QVERIFY(textOf(newest()).startsWith(QStringLiteral("Cannot write x.dot: ")));
        QVERIFY(!newest().folderButton().isVisible());
        newest().setPatience(20);
        QTest::qWait(100);
        QCOMPARE(toasts().toasts().size(), std::size_t(1));
        QTest::mouseClick(&newest().closeButton(), Qt::LeftButton);
        QVERIFY(toasts().isEmpty());
    }

    void itHasAccessibleNames()
    {
        QVERIFY(exportTo("x.dot"));
        const QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(&newest());
        QVERIFY(accessible);
        QCOMPARE(accessible->text(QAccessible::Name), textOf(newest()));
        for (const QToolButton *button : newest().findChildren<QToolButton *>())
            QVERIFY(!button->accessibleName().isEmpty());
    }

    void aSessionSavedElsewhereIsTold()
    {
        QSignalSpy saved(&window().session(), &Session::saved);
        const auto file = m_driver->scratch("work.gloom");
        window().bench().documents.saveTo(file);
        QVERIFY(saved.wait(20'000));
        QVERIFY(textOf(newest()).startsWith(QStringLiteral("Saved session work.gloom (")));
        window().bench().documents.saveTo(file); // the file is known now
        QVERIFY(saved.wait(20'000));
        QCOMPARE(toasts().toasts().size(), std::size_t(1));
    }

    void theyFollowTheSizeOfTheWindow()
    {
        QVERIFY(exportTo("x.dot"));
        const QPoint before = newest().pos();
        window().resize(window().size() - QSize(200, 150));
        QTRY_VERIFY(newest().pos() != before);
        QVERIFY(window().centralWidget()->rect().contains(newest().geometry()));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    ToastStack &toasts() { return window().toasts(); }
    Toast &newest() { return *toasts().toasts().back(); }
    QString textOf(const Toast &toast)
    {
        return toast.findChild<QLabel *>(QStringLiteral("toastText"))->text();
    }
    bool exportTo(const std::string &name)
    {
        QSignalSpy written(&window().bench(), &Workbench::fileWritten);
        window().bench().documents.exportTo(m_driver->scratch(name));
        return written.wait(20'000);
    }

    std::unique_ptr<WindowDriver> m_driver;
    QUrl m_opened;
};

GRAPHLOOM_WINDOW_TESTS(ToastStackTest)

} // namespace graphloom::test::toast_stack_test

#include "toast_stack_test.moc"

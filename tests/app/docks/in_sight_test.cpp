// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/in_sight.h"

#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTest>

namespace graphloom::test::in_sight_test {

class InSightTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofTabsOnlyTheFrontOne()
    {
        QMainWindow window;
        auto *front = new QDockWidget(&window);
        auto *behind = new QDockWidget(&window);
        for (QDockWidget *dock : {front, behind})
            window.addDockWidget(Qt::LeftDockWidgetArea, dock);
        window.tabifyDockWidget(front, behind);
        window.show();
        front->raise();
        QTRY_VERIFY(isInSight(*front));
        QVERIFY(behind->isVisible());
        QVERIFY(!isInSight(*behind));
    }

    void evenIfAnOpaqueChildFillsIt()
    {
        QWidget window;
        auto *filled = new QWidget(&window);
        auto *child = new QWidget(filled);
        child->setAttribute(Qt::WA_OpaquePaintEvent);
        for (QWidget *widget : {&window, filled, child})
            widget->setGeometry(0, 0, 100, 100);
        window.show();
        QVERIFY(filled->visibleRegion().isEmpty());
        QVERIFY(isInSight(*filled));
    }

    void nothingOfAHiddenWindow()
    {
        QWidget window;
        const QWidget *child = new QWidget(&window);
        QVERIFY(!isInSight(window));
        QVERIFY(!isInSight(*child));
    }
};

GRAPHLOOM_WINDOW_TESTS(InSightTest)

} // namespace graphloom::test::in_sight_test

#include "in_sight_test.moc"

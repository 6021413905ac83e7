// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/panel_layout.h"

#include "tests/support/app/window_driver.h"

#include <QHBoxLayout>
#include <QTest>
#include <QToolButton>

namespace graphloom::test::panel_layout_test {

class PanelLayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatFitsIntoTheWidthItAsksForIsOneRow();
};

void PanelLayoutTest::whatFitsIntoTheWidthItAsksForIsOneRow()
{
    QWidget panel, *buttons = new QWidget;
    auto *flow = new FlowLayout;
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setSpacing(0);
    auto *first = new QToolButton, *last = new QToolButton;
    first->setText(QStringLiteral("Show original nodes"));
    last->setText(QStringLiteral("Close"));
    flow->addWidget(first);
    flow->addWidget(last);
    buttons->setLayout(flow);
    auto *row = new QHBoxLayout(&panel);
    row->addStretch(1);
    row->addWidget(buttons);
    panel.resize(600, 60);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QCOMPARE(first->y(), last->y());
}

GRAPHLOOM_WINDOW_TESTS(PanelLayoutTest)

} // namespace graphloom::test::panel_layout_test

#include "panel_layout_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/command_palette.h"

#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>

namespace graphloom::test::command_palette_test {

class CommandPaletteTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_parent = std::make_unique<QWidget>();
        m_parent->resize(800, 600);
        m_open = new QAction(QStringLiteral("&Open…"), m_parent.get());
        m_zoom = new QAction(QStringLiteral("Zoom &out"), m_parent.get());
        m_map = new QAction(QStringLiteral("&Minimap"), m_parent.get());
        m_map->setCheckable(true);
        m_off = new QAction(QStringLiteral("&Undo"), m_parent.get());
        m_off->setEnabled(false);
        m_palette = new CommandPalette(m_parent.get());
        m_palette->setActions({m_off, m_open, m_zoom, m_map});
        m_parent->show();
        m_palette->open();
    }

    void startsOfWordsCountMost()
    {
        QVERIFY(CommandPalette::score(QStringLiteral("zo"), QStringLiteral("Zoom out")) >
                CommandPalette::score(QStringLiteral("oo"), QStringLiteral("Zoom out")));
        QCOMPARE(CommandPalette::score(QStringLiteral("xyz"), QStringLiteral("Zoom out")), -1);
        QCOMPARE(CommandPalette::score(QString(), QStringLiteral("Zoom out")), 0);
    }

    void allCommandsAreListedDisabledOnesLast()
    {
        QCOMPARE(m_palette->list().count(), 4);
        QCOMPARE(m_palette->list().item(3)->text(), QStringLiteral("Undo"));
        QCOMPARE(m_palette->list().item(2)->text(), QStringLiteral("Minimap (off)"));
    }

    void typingAndEnterRuns()
    {
        QSignalSpy triggered(m_zoom, &QAction::triggered);
        QTest::keyClicks(&m_palette->edit(), QStringLiteral("zout"));
        QCOMPARE(m_palette->list().count(), 1);
        QTest::keyClick(&m_palette->edit(), Qt::Key_Return);
        QCOMPARE(triggered.size(), 1);
        QVERIFY(!m_palette->isVisible());
    }

    void arrowsChoose()
    {
        QSignalSpy triggered(m_zoom, &QAction::triggered);
        QTest::keyClick(&m_palette->edit(), Qt::Key_Down);
        QTest::keyClick(&m_palette->edit(), Qt::Key_Return);
        QCOMPARE(triggered.size(), 1);
    }

    void aDisabledCommandDoesNotRun()
    {
        QSignalSpy triggered(m_off, &QAction::triggered);
        QTest::keyClicks(&m_palette->edit(), QStringLiteral("undo\r"));
        QCOMPARE(triggered.size(), 0);
    }

    void escapeCloses()
    {
        QTest::keyClick(&m_palette->edit(), Qt::Key_Escape);
        QVERIFY(!m_palette->isVisible());
    }

    void clickRuns()
    {
        QSignalSpy triggered(m_open, &QAction::triggered);
        const QRect row = m_palette->list().visualItemRect(m_palette->list().item(0));
        QTest::mouseClick(m_palette->list().viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(triggered.size(), 1);
    }

private:
    std::unique_ptr<QWidget> m_parent;
    QAction *m_open, *m_zoom, *m_map, *m_off;
    CommandPalette *m_palette;
};

GRAPHLOOM_WINDOW_TESTS(CommandPaletteTest)

} // namespace graphloom::test::command_palette_test

#include "command_palette_test.moc"

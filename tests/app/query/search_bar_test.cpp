// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/search_bar.h"

#include "tests/support/app/window_driver.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>

namespace graphloom::test::search_bar_test {

class SearchBarTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_selection.clear();
        m_bar = std::make_unique<SearchBar>(m_selection);
        m_bar->setSnapshot(m_snapshot);
        m_bar->open();
    }

    void typingFindsAfterAMoment()
    {
        QSignalSpy found(m_bar.get(), &SearchBar::matchesChanged);
        QTest::keyClicks(&m_bar->edit(), QStringLiteral("conv"));
        QVERIFY(m_bar->matches().empty()); // not with every letter
        QVERIFY(found.wait());
        QVERIFY(m_bar->matches().size() > 50);
        QCOMPARE(count(), QStringLiteral("%1 matches").arg(m_bar->matches().size()));
        QCOMPARE(m_selection.item(), Item());
    }

    void enterRightAfterTheLastLetterFindsToo()
    {
        QTest::keyClicks(&m_bar->edit(), QStringLiteral("conv\r"));
        QCOMPARE(m_selection.item(), m_bar->matches().front().item);
    }

    void problemsAreSaidUnderTheLine()
    {
        m_bar->edit().setText(QStringLiteral("op:Conv macs>lots"));
        QTRY_VERIFY(m_bar->problem().contains(QStringLiteral("lots")));
        QVERIFY(m_bar->matches().empty());
        m_bar->edit().setText(QStringLiteral("op:Conv macs>10M"));
        QTRY_VERIFY(!m_bar->matches().empty());
        QVERIFY(m_bar->problem().isEmpty());
    }

    void allMatchesCanBeSelected()
    {
        QTest::keyClicks(&m_bar->edit(), QStringLiteral("op:Clip"));
        QTest::keyClick(&m_bar->edit(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(m_selection.items().size(), m_bar->matches().size());
        m_selection.clear();
        QTest::mouseClick(&m_bar->selectAllButton(), Qt::LeftButton);
        QCOMPARE(m_selection.items().size(), m_bar->matches().size());
    }

    void nextAndPreviousGoRound()
    {
        m_bar->edit().setText(QStringLiteral("conv"));
        m_bar->next();
        m_bar->next();
        QCOMPARE(m_selection.item(), m_bar->matches()[1].item);
        QCOMPARE(count(), QStringLiteral("2 of %1").arg(m_bar->matches().size()));
        QTest::keyClick(&m_bar->edit(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(m_selection.item(), m_bar->matches()[0].item);
        m_bar->previous();
        QCOMPARE(m_selection.item(), m_bar->matches().back().item);
        m_bar->next();
        QCOMPARE(m_selection.item(), m_bar->matches().front().item);
    }

    void goesOnFromTheSelection()
    {
        m_bar->edit().setText(QStringLiteral("conv"));
        m_bar->next();
        m_selection.select(m_bar->matches()[10].item);
        m_bar->next();
        QCOMPARE(m_selection.item(), m_bar->matches()[11].item);
    }

    void noMatch()
    {
        m_bar->edit().setText(QStringLiteral("softplus"));
        m_bar->next();
        QCOMPARE(count(), QStringLiteral("no matches"));
        QCOMPARE(m_selection.item(), Item());
    }

    void escapeClosesAndForgets()
    {
        m_bar->edit().setText(QStringLiteral("conv"));
        m_bar->next();
        QSignalSpy closed(m_bar.get(), &SearchBar::closed);
        QTest::keyClick(&m_bar->edit(), Qt::Key_Escape);
        QCOMPARE(closed.size(), 1);
        QVERIFY(!m_bar->isVisible());
        QVERIFY(m_bar->matches().empty());
    }

    void nextOpensAClosedBarWithItsText()
    {
        m_bar->edit().setText(QStringLiteral("conv"));
        m_bar->close();
        m_bar->next();
        QVERIFY(m_bar->isVisible());
        QVERIFY(!m_bar->matches().empty());
    }

    void anotherModelIsSearchedAgain()
    {
        m_bar->edit().setText(QStringLiteral("conv"));
        m_bar->next();
        m_bar->setSnapshot(nullptr);
        QVERIFY(m_bar->matches().empty());
    }

private:
    QString count() const
    {
        return m_bar->findChild<QLabel *>(QStringLiteral("searchCount"))->text();
    }

    const SnapshotPointer m_snapshot = test::mobileNet();
    Selection m_selection;
    std::unique_ptr<SearchBar> m_bar;
};

GRAPHLOOM_WINDOW_TESTS(SearchBarTest)

} // namespace graphloom::test::search_bar_test

#include "search_bar_test.moc"

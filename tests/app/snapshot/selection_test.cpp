// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/selection.h"

#include "tests/support/test_program.h"

#include <QSignalSpy>
#include <QTest>

namespace graphloom::test::selection_test {

class SelectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLastOfSeveralIsTheOneToTellAbout()
    {
        Selection selection;
        selection.select({a, b, c});
        QCOMPARE(selection.item(), c);
        QCOMPARE(selection.items(), (std::vector{a, b, c}));
        QVERIFY(selection.contains(a));
    }

    void whatIsNamedTwiceIsSelectedOnce()
    {
        Selection selection;
        selection.select({a, b, a});
        QCOMPARE(selection.items(), (std::vector{b, a}));
    }

    void toggleAddsAndTakesAway()
    {
        Selection selection;
        selection.select(a);
        selection.toggle(b);
        QCOMPARE(selection.items(), (std::vector{a, b}));
        selection.toggle(b);
        QCOMPARE(selection.items(), std::vector{a});
    }

    void theSameAgainIsNoChange()
    {
        Selection selection;
        selection.select({a, b});
        QSignalSpy changed(&selection, &Selection::changed);
        selection.select({a, b});
        QVERIFY(changed.isEmpty());
        selection.select(b); // the same to tell about, but alone
        QCOMPARE(changed.size(), 1);
    }

    void nothingIsNoItem()
    {
        Selection selection;
        selection.select(a);
        selection.clear();
        QVERIFY(selection.items().empty());
        QCOMPARE(selection.item(), Item());
    }

private:
    const Item a = Item::of(NodeId{0}), b = Item::of(NodeId{1}), c = Item::block(2);
};

GRAPHLOOM_TESTS(SelectionTest)

} // namespace graphloom::test::selection_test

#include "selection_test.moc"

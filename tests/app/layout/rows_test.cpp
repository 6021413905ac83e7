// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/rows.h"

#include "app/layout/ranking.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::layout::rows_test {

namespace {

Node nodeIn(std::uint32_t group)
{
    return {100, 30, group};
}

} // namespace

class RowsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutGroupsTheyAreRanks()
    {
        Input input;
        input.nodes.assign(4, nodeIn(none));
        input.edges = {{0, 1}, {1, 2}, {0, 3}, {3, 2}};
        QCOMPARE(rowsOf(input), rankNodes(4, input.edges));
    }

    void whatFollowsABoxStandsBelowAllOfIt()
    {
        // 0 leads to 4 over nothing, but beside the box of 1, 2, 3, which 5 follows.
        Input input;
        input.nodes = {nodeIn(none), nodeIn(0), nodeIn(0), nodeIn(0), nodeIn(none), nodeIn(none)};
        input.groups = 1;
        input.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 5}, {4, 5}, {1, 5}};
        const auto rows = rowsOf(input);
        QCOMPARE(rows[1], 1U);
        QCOMPARE(rows[3], 3U);
        QCOMPARE(rows[5], 4U); // although one edge would let it be at rank 2
    }

    void boxesInBoxesAddUp()
    {
        // Two boxes of two nodes each in one box, and a node behind it.
        Input input;
        input.nodes = {nodeIn(1), nodeIn(1), nodeIn(2), nodeIn(2), nodeIn(none)};
        input.groups = 3;
        input.parents = {none, 0, 0};
        input.edges = {{0, 1}, {2, 3}, {0, 2}, {0, 4}, {3, 4}};
        QCOMPARE(rowsOf(input), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
    }

    void anEmptyInputHasNone() { QVERIFY(rowsOf({}).empty()); }
};

GRAPHLOOM_TESTS(RowsTest)

} // namespace graphloom::layout::rows_test

#include "rows_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/base/typed_index.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

namespace graphloom::test::typed_index_test {

using Row = TypedIndex<struct RowTag>;
using Column = TypedIndex<struct ColumnTag>;

template <class List, class Key>
concept FindsBy = requires(List list, Key key)
{
    list[key];
};
template <class A, class B>
concept CanBeAssigned = requires(A a, B b)
{
    a = b;
};
template <class A, class B>
concept CanBeCompared = requires(A a, B b)
{
    a == b;
};

// What must not compile.
static_assert(FindsBy<IndexedVector<Row, int>, Row>);
static_assert(!FindsBy<IndexedVector<Row, int>, Column>);
static_assert(!FindsBy<IndexedVector<Row, int>, int>);
static_assert(!CanBeAssigned<Row &, Column> && !CanBeAssigned<Row &, int>);
static_assert(!CanBeCompared<Row, Column> && !CanBeCompared<Row, int>);
static_assert(!std::is_constructible_v<Row, Column>);
static_assert(!std::is_convertible_v<Row, int>);
static_assert(sizeof(Row) == sizeof(int));

class TypedIndexTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anIndexOfNothingIsNotValid();
    void appendedElementsAreFoundByTheirIndex();
    void indicesGoBothWays();
    void anEmptyListHasNoIndices();
};

void TypedIndexTest::anIndexOfNothingIsNotValid()
{
    QVERIFY(!Row().isValid());
    QVERIFY(Row(0).isValid());
    QVERIFY(!(IndexedVector<Row, int>{1}.contains(Row())));
    QVERIFY(!(IndexedVector<Row, int>{1}.contains(Row(1))));
}

void TypedIndexTest::appendedElementsAreFoundByTheirIndex()
{
    IndexedVector<Row, std::string> names;
    const Row first = names.append("first");
    const Row second = names.append("second");
    QCOMPARE(names[first], std::string("first"));
    QCOMPARE(names[second], std::string("second"));
    QCOMPARE(second - first, 1);
    QCOMPARE(names.span()[names.lastIndex()], std::string("second"));
}

void TypedIndexTest::indicesGoBothWays()
{
    const IndexedVector<Row, int> list{4, 5, 6};
    std::vector<int> forward, back;
    for (const Row row : list.indices())
        forward.push_back(list[row]);
    for (const Row row : list.indices().reversed())
        back.push_back(list[row]);
    QCOMPARE(forward, (std::vector{4, 5, 6}));
    QCOMPARE(back, (std::vector{6, 5, 4}));
    QVERIFY(std::ranges::any_of(list.indices(), [&](Row row) { return list[row] == 5; }));
}

void TypedIndexTest::anEmptyListHasNoIndices()
{
    const IndexedVector<Row, int> none;
    QVERIFY(none.indices().empty());
    QVERIFY(none.indices().reversed().begin() == none.indices().reversed().end());
    QVERIFY(IndexRange(Row(3), Row(1)).empty());
}

GRAPHLOOM_TESTS(TypedIndexTest)

} // namespace graphloom::test::typed_index_test

#include "typed_index_test.moc"

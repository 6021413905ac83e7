// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/storage.h"
#include "engine/codegen/storage/margin_runs.h"
#include "tests/support/index_values.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::storage_test {

namespace {

using Extents = std::vector<std::int64_t>;
using Order = std::vector<std::size_t>;

/// Every element of the tensor has a place of its own in the buffer, and the runs of the margins
/// are the other places, each once.
bool isExact(const Storage &storage, const Extents &extents)
{
    std::multiset<std::int64_t> places;
    forEachPoint(AxisExtents(extents), [&](const Point &at) {
        std::int64_t place = storage.base;
        for (std::size_t d = 0; d < at.size(); ++d)
            place += storage.strides[d] * at.elements()[d];
        places.insert(place);
    });
    for (const auto &[first, count] : marginRuns(storage, extents))
        for (std::int64_t i = 0; i < count; ++i)
            places.insert(first + i);
    std::multiset<std::int64_t> all;
    for (std::int64_t place = 0; place < storage.elements; ++place)
        all.insert(place);
    return places == all;
}

} // namespace

class StorageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowMajor();
    void scalars();
    void orders_data();
    void orders();
};

void StorageTest::rowMajor()
{
    const Storage storage = Storage::rowMajor({2, 3, 5});
    QCOMPARE(storage.strides, (Extents{15, 5, 1}));
    QCOMPARE(storage.base, std::int64_t(0));
    QCOMPARE(storage.elements, std::int64_t(30));
    QVERIFY(isExact(storage, {2, 3, 5}));
}

void StorageTest::scalars()
{
    const Storage storage = Storage::rowMajor({});
    QCOMPARE(storage.elements, std::int64_t(1));
    QVERIFY(isExact(storage, {}));
}

void StorageTest::orders_data()
{
    using Margins = std::vector<std::pair<std::int64_t, std::int64_t>>;
    QTest::addColumn<Extents>("extents");
    QTest::addColumn<Order>("order");
    QTest::addColumn<Margins>("margins");
    QTest::newRow("channels last") << Extents{1, 4, 3, 5} << Order{0, 2, 3, 1} << Margins();
    QTest::newRow("one side") << Extents{4, 5} << Order{0, 1} << Margins{{0, 0}, {2, 0}};
    QTest::newRow("all sides") << Extents{2, 3, 4, 5} << Order{0, 1, 2, 3}
                               << Margins{{0, 0}, {0, 0}, {1, 2}, {3, 1}};
    QTest::newRow("channels last, with margins")
        << Extents{1, 4, 3, 5} << Order{0, 2, 3, 1} << Margins{{0, 0}, {0, 0}, {1, 1}, {2, 0}};
    QTest::newRow("a single element") << Extents{1, 1} << Order{0, 1} << Margins{{1, 1}, {1, 1}};
    QTest::newRow("the innermost of one")
        << Extents{3, 1} << Order{0, 1} << Margins{{1, 0}, {0, 0}};
}

void StorageTest::orders()
{
    using Margins = std::vector<std::pair<std::int64_t, std::int64_t>>;
    QFETCH(Extents, extents);
    QFETCH(Order, order);
    QFETCH(Margins, margins);
    const Storage storage = Storage::dense(extents, order, margins, 7);
    QCOMPARE(storage.strides[order.back()], std::int64_t(1));
    QVERIFY(isExact(storage, extents));
}

GRAPHLOOM_TESTS(StorageTest)

} // namespace graphloom::test::storage_test

#include "storage_test.moc"

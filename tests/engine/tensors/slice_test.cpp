// SPDX-License-Identifier: Apache-2.0
// Two-dimensional slices, and their pictures in numbers.
#include "engine/tensors/slice.h"

#include "engine/tensors/value_grid.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::slice_test {

namespace {

/// Returns random extents whose product is small.
TensorData::Extents randomExtents(std::mt19937_64 &random)
{
    TensorData::Extents extents(random() % 6);
    for (std::int64_t &extent : extents)
        extent = std::int64_t(random() % 6);
    if (extents.size() == 1)
        extents[0] = std::int64_t(random() % 70);
    return extents;
}

TensorSlice randomSlice(const TensorData::Extents &extents, std::mt19937_64 &random)
{
    TensorSlice slice(extents);
    if (slice.rank() >= 2) {
        slice.setRowAxis(int(random() % extents.size()));
        slice.setColumnAxis(int(random() % extents.size()));
    }
    for (int axis = 0; axis < slice.rank(); ++axis)
        if (axis != slice.rowAxis() && axis != slice.columnAxis() && extents[std::size_t(axis)] > 0)
            slice.setIndex(axis,
                           std::int64_t(random() % std::uint64_t(extents[std::size_t(axis)])));
    return slice;
}

} // namespace

class SliceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cellsAreThoseOfTheIndices()
    {
        for (unsigned seed = 0; seed < 500; ++seed) {
            std::mt19937_64 random(seed);
            const auto extents = randomExtents(random);
            const TensorSlice slice = randomSlice(extents, random);
            if (slice.elements() == 0)
                continue;
            std::int64_t cells = 0;
            for (std::int64_t row = 0; row < slice.rows(); ++row)
                for (std::int64_t column = 0; column < slice.columns(); ++column) {
                    const auto position = slice.position(row, column);
                    if (!position)
                        continue;
                    ++cells;
                    const auto indices = slice.indicesOf(*position);
                    QCOMPARE(positionOf(extents, indices), position);
                    for (int axis = 0; axis < slice.rank() && slice.rank() > 1; ++axis)
                        QCOMPARE(indices[std::size_t(axis)], axis == slice.rowAxis() ? row
                                                             : axis == slice.columnAxis()
                                                                 ? column
                                                                 : slice.index(axis));
                    TensorSlice found = slice;
                    QCOMPARE(found.show(*position), std::pair(row, column));
                    QVERIFY2(found == slice, qPrintable(QString::number(seed)));
                }
            QCOMPARE(cells, slice.elements());
        }
    }

    void anElementElsewhereIsShownByOtherIndices()
    {
        TensorSlice slice({4, 3, 5, 7});
        QCOMPARE(slice.rowAxis(), 2);
        QCOMPARE(slice.columnAxis(), 3);
        const auto position = positionOf(slice.extents(), {2, 1, 4, 6});
        QVERIFY(position);
        QCOMPARE(slice.show(*position), std::pair(std::int64_t(4), std::int64_t(6)));
        QCOMPARE(slice.index(0), 2);
        QCOMPARE(slice.index(1), 1);
        QVERIFY(!positionOf(slice.extents(), {2, 3, 0, 0}));
        QVERIFY(!positionOf(slice.extents(), {2, 1, 0}));
    }

    void axesAreExchanged()
    {
        TensorSlice slice({4, 3, 5});
        slice.setRowAxis(2);
        QCOMPARE(slice.rowAxis(), 2);
        QCOMPARE(slice.columnAxis(), 1);
        slice.setColumnAxis(0);
        QCOMPARE(slice.rowAxis(), 2);
        QCOMPARE(slice.columnAxis(), 0);
        QCOMPARE(slice.rows(), 5);
        QCOMPARE(slice.columns(), 4);
    }

    void aVectorIsWrapped()
    {
        const TensorSlice slice(TensorData::Extents{37});
        QCOMPARE(slice.rows(), 3);
        QCOMPARE(slice.columns(), 16);
        QCOMPARE(slice.position(2, 4), std::optional<std::int64_t>(36));
        QVERIFY(!slice.position(2, 5));
        QCOMPARE(TensorSlice(TensorData::Extents{5}).columns(), 5);
        QCOMPARE(TensorSlice().elements(), 1);
        QCOMPARE(TensorSlice(TensorData::Extents{2, 0}).elements(), 0);
    }

    void gridsAreMeansOfTheElements()
    {
        for (unsigned seed = 0; seed < 300; ++seed) {
            std::mt19937_64 random(seed);
            const auto extents = randomExtents(random);
            const TensorSlice slice = randomSlice(extents, random);
            const TensorData data = randomTensor(DataType::Float, extents, random);
            SliceRange range = wholeRange(slice);
            if (range.rows > 2 && random() % 2) {
                range.row = std::int64_t(random() % 2);
                range.rows -= range.row + 1;
            }
            const auto grid = gridOf(data, slice, range, std::int64_t(1 + random() % 5),
                                     std::int64_t(1 + random() % 20));
            QVERIFY(grid);
            for (std::int64_t row = 0; row < grid->rows; ++row)
                for (std::int64_t column = 0; column < grid->columns; ++column)
                    checkCell(data, slice, *grid, row, column);
            if (QTest::currentTestFailed())
                qFatal("seed %u", seed);
        }
    }

    void meansOfLargeNumbersAreFinite()
    {
        const double most = std::numeric_limits<double>::max();
        const std::vector<double> values{most, most, 1, 3};
        const TensorSlice slice(TensorData::Extents{2, 2});
        const auto grid = gridOf(TensorData::fromValues<double>(DataType::Double, {2, 2}, values),
                                 slice, wholeRange(slice), 2, 1);
        QVERIFY(grid);
        QCOMPARE(grid->means, (std::vector<double>{most, 2}));
    }

    void aSplatHasTheSameGridAsItsElements()
    {
        const float value = 0.25F;
        const auto bytes = std::as_bytes(std::span(&value, 1));
        const TensorSlice slice(TensorData::Extents{37});
        const auto splat =
            gridOf(TensorData::splat(DataType::Float, {37}, {bytes.begin(), bytes.end()}), slice,
                   wholeRange(slice), 2, 5);
        const std::vector<float> all(37, value);
        const auto stored = gridOf(TensorData::fromValues<float>(DataType::Float, {37}, all), slice,
                                   wholeRange(slice), 2, 5);
        QVERIFY(splat && stored);
        QVERIFY(splat->means == stored->means);
        QVERIFY(splat->contents == stored->contents);
        QCOMPARE(splat->least, stored->least);
    }

private:
    static void checkCell(const TensorData &data, const TensorSlice &slice, const ValueGrid &grid,
                          std::int64_t row, std::int64_t column)
    {
        const SliceRange &range = grid.range;
        double sum = 0;
        int finite = 0, others = 0;
        for (std::int64_t r = 0; r < grid.cellRows; ++r)
            for (std::int64_t c = 0; c < grid.cellColumns; ++c) {
                const std::int64_t y = row * grid.cellRows + r, x = column * grid.cellColumns + c;
                const auto position = y < range.rows && x < range.columns
                                          ? slice.position(range.row + y, range.column + x)
                                          : std::nullopt;
                if (!position)
                    continue;
                const double value = data.real(*position);
                finite += std::isfinite(value);
                others += !std::isfinite(value);
                sum += std::isfinite(value) ? value : 0;
            }
        using Content = ValueGrid::Content;
        QCOMPARE(int(grid.content(row, column)), int(others > 0   ? Content::NotFinite
                                                     : finite > 0 ? Content::Finite
                                                                  : Content::Empty));
        if (finite > 0)
            QVERIFY(std::fabs(grid.mean(row, column) - sum / finite) < 1e-5);
    }
};

GRAPHLOOM_TESTS(SliceTest)

} // namespace graphloom::test::slice_test

#include "slice_test.moc"

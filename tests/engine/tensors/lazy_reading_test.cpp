// SPDX-License-Identifier: Apache-2.0
// A weight of a hundred megabytes never is in memory as a whole.
#include "engine/onnx/files/mapped_file.h"
#include "engine/tensors/npy.h"
#include "engine/tensors/statistics.h"
#include "engine/tensors/value_grid.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace graphloom::test::lazy_reading_test {

namespace {

constexpr std::int64_t rows = 1 << 11, columns = 1 << 14; // 128 MiB of float
constexpr std::uint64_t bytes = std::uint64_t(rows * columns) * sizeof(float);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t allowed = 8 * bytes; // sanitizers keep freed memory, and shadows of it
#else
constexpr std::uint64_t allowed = bytes / 2;
#endif

/// Bytes of the process that are in memory.
std::uint64_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

} // namespace

class LazyReadingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        const std::filesystem::path path = m_folder.filePath("weights.bin").toStdString();
        std::ofstream(path, std::ios::binary) << "begin";
        std::filesystem::resize_file(path, bytes); // a hole: takes no room on the disk
        auto file = MappedFile::open(path, bytes);
        QVERIFY(file);
        m_data = TensorData::fromMapped(DataType::Float, {rows, columns}, (*file)->bytes(), *file,
                                        (*file)->identity());
        m_before = m_peak = residentBytes();
    }

    void statisticsReadItInPieces()
    {
        const auto statistics = statisticsOf(*m_data, watched());
        QVERIFY(statistics);
        QCOMPARE(statistics->zeros, rows * columns - 2);
        QVERIFY(m_peak < m_before + allowed);
        QVERIFY(residentBytes() < m_before + allowed);
    }

    void aPictureReadsItInPieces()
    {
        TensorSlice slice(m_data->extents());
        slice.setRowAxis(1); // transposed: columns lie next to each other
        const auto grid = gridOf(*m_data, slice, wholeRange(slice), 100, 100, watched());
        QVERIFY(grid);
        QVERIFY(m_peak < m_before + allowed);
    }

    void aLineAcrossReadsOnlyItsPages()
    {
        TensorSlice slice(m_data->extents());
        const auto grid = gridOf(*m_data, slice, {0, 5, rows, 1}, rows, 1, watched());
        QVERIFY(grid);
        QVERIFY(m_peak < m_before + allowed);
    }

    void anExportReadsItInPieces()
    {
        const std::filesystem::path path = m_folder.filePath("out.npy").toStdString();
        QVERIFY(writeNpy(*m_data, path, watched()));
        QVERIFY(m_peak < m_before + allowed);
        QCOMPARE(std::filesystem::file_size(path), bytes + 128);
        // What was written is read from its file, too.
        const auto read = readNpy(path);
        QVERIFY(read && read->isMapped());
        QVERIFY(residentBytes() < m_before + allowed);
    }

private:
    ReadOptions watched()
    {
        return {{}, [this](double) { m_peak = std::max(m_peak, residentBytes()); }};
    }

    QTemporaryDir m_folder;
    std::optional<TensorData> m_data;
    std::uint64_t m_before = 0, m_peak = 0;
};

GRAPHLOOM_TESTS(LazyReadingTest)

} // namespace graphloom::test::lazy_reading_test

#include "lazy_reading_test.moc"

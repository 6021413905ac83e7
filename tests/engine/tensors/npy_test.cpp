// SPDX-License-Identifier: Apache-2.0
// Files of NumPy.
#include "engine/tensors/npy.h"

#include "tests/support/random_tensor.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <iterator>

namespace graphloom::test::npy_test {

namespace {

/// Tells whether all elements are the same numbers; of complex ones, the real parts.
bool sameNumbers(const TensorData &a, const TensorData &b)
{
    if (a.elements() != b.elements())
        return false;
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        const double x = a.real(i), y = b.real(i);
        if (x != y && !(std::isnan(x) && std::isnan(y)))
            return false;
    }
    return true;
}

} // namespace

class NpyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTypeIsReadBack_data()
    {
        QTest::addColumn<int>("type");
        for (const DataType type : numberTypes)
            QTest::newRow(nameOfRow(type).c_str()) << int(type);
    }
    void everyTypeIsReadBack()
    {
        QFETCH(int, type);
        const DataType written = npyTypeOf(DataType(type)).type;
        for (const TensorData::Extents &extents :
             {TensorData::Extents{}, {0}, {1}, {5}, {3, 0, 2}, {7, 3}, {2, 3, 4, 5}, {100, 301}}) {
            std::mt19937_64 random{std::uint64_t(type)};
            const TensorData data = randomTensor(DataType(type), extents, random);
            QVERIFY(writeNpy(data, path()));
            const auto read = readNpy(path());
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            QCOMPARE(int(read->type()), int(written));
            QVERIFY(read->extents() == extents);
            QVERIFY(sameNumbers(*read, data));
            if (written == data.type() && written != DataType::Bool)
                QVERIFY(std::ranges::equal(read->bytes(), data.bytes()));
        }
    }

    void aSplatIsWrittenInFull()
    {
        const std::vector<std::byte> two{std::byte(0), std::byte(0x40)}; // bfloat16
        QVERIFY(writeNpy(TensorData::splat(DataType::BFloat16, {3, 2}, two), path()));
        const auto read = readNpy(path());
        QVERIFY(read);
        QCOMPARE(read->elements(), 6);
        for (int i = 0; i < 6; ++i)
            QCOMPARE(read->real(i), 2.0);
    }

    void textsAreReadBack()
    {
        const std::vector<std::string> texts{"", "abc", "\xc3\xa4\xf0\x9f\x98\x80z",
                                             "\xe2\x82\xac"};
        QVERIFY(writeNpy(TensorData::fromStrings({2, 2}, texts), path()));
        const auto read = readNpy(path());
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(int(read->type()), int(DataType::String));
        QVERIFY(read->strings() == texts);
        QVERIFY(writeNpy(TensorData::fromStrings({1}, {"\xff?"}), path()));
        QCOMPARE(readNpy(path())->strings().front(), std::string("\xef\xbf\xbd?"));
    }

    void aSliceIsAnArrayOfItsOwn()
    {
        std::mt19937_64 random(4);
        for (const DataType type : {DataType::Float, DataType::Int4, DataType::Bool,
                                    DataType::Complex64, DataType::Float16}) {
            const TensorData data = randomTensor(type, {3, 5, 4, 2}, random);
            TensorSlice slice(data.extents());
            slice.setRowAxis(2);
            slice.setColumnAxis(0);
            slice.setIndex(1, 3);
            slice.setIndex(3, 1);
            QVERIFY(writeNpy(data, slice, path()));
            const auto read = readNpy(path());
            QVERIFY(read);
            QVERIFY(read->extents() == (TensorData::Extents{4, 3}));
            for (std::int64_t row = 0; row < 4; ++row)
                for (std::int64_t column = 0; column < 3; ++column) {
                    const double expected = data.real(*slice.position(row, column)),
                                 found = read->real(row * 3 + column);
                    QVERIFY(found == expected || (std::isnan(found) && std::isnan(expected)));
                }
        }
    }

    void theHeaderIsThatOfNumpy()
    {
        const std::string header = npyHeader("<f4", {2, 3});
        QCOMPARE(header.size() % 64, std::size_t(0));
        QCOMPARE(header.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
        QCOMPARE(std::size_t(static_cast<unsigned char>(header[8])) + 10, header.size());
        QVERIFY(header.substr(10).starts_with(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   "));
        QCOMPARE(header.back(), '\n');
        QVERIFY(npyHeader("<f4", {}).find("'shape': (), }") != std::string::npos);
        QVERIFY(npyHeader("<f4", {7}).find("'shape': (7,), }") != std::string::npos);
    }

    void aLongHeaderHasVersion2()
    {
        const TensorData::Extents extents(30'000, 1);
        const std::string header = npyHeader("|u1", extents);
        QCOMPARE(header[6], '\x02');
        QCOMPARE(header.size() % 64, std::size_t(0));
        std::uint32_t size = 0;
        std::memcpy(&size, header.data() + 8, sizeof size);
        QCOMPARE(std::size_t(size) + 12, header.size());
        // The limit of version 1 is not that of a tensor's rank, so a tensor needs a long type.
        save(npyHeader("<f8" + std::string(70'000, ' '), {1}));
        QVERIFY(refusal().find("type <f8 ") != std::string::npos);
    }

    void otherHeadersAreRead_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("order of keys")
            << QStringLiteral("{'shape': (2,), 'fortran_order': False, 'descr': '<i2'}");
        QTest::newRow("double quotes")
            << QStringLiteral("{\"descr\": \"<i2\", \"fortran_order\": False, \"shape\": (2,)}");
        QTest::newRow("Fortran's order of one axis")
            << QStringLiteral("{'descr': '<i2', 'fortran_order': True, 'shape': (2,), }");
        QTest::newRow("Python 2") << QStringLiteral(
            "{'descr': '<i2', 'fortran_order': False, 'shape': (2L,), }");
    }
    void otherHeadersAreRead()
    {
        QFETCH(QString, text);
        save(withHeader(text.toStdString()) + std::string("\x01\0\xff\xff", 4));
        const auto read = readNpy(path());
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->integers(), (std::vector<std::int64_t>{1, -1}));
    }

    void damagedFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char *name, const std::string &content, const char *reason) {
            QTest::newRow(name) << QByteArray::fromStdString(content) << QString(reason);
        };
        const std::string good = npyHeader("<f4", {4});
        row("empty", "", "not a NumPy file");
        row("other file", std::string(100, 'x'), "not a NumPy file");
        row("version", std::string("\x93NUMPY\x07\0\x10\0", 10) + std::string(50, ' '),
            "version 7");
        row("header cut", good.substr(0, 40), "shorter than its header");
        row("elements cut", good + std::string(15, '\0'), "shorter than its header");
        row("no dictionary", withHeader("[1, 2]"), "header that cannot be read");
        row("no shape", withHeader("{'descr': '<f4', 'fortran_order': False}"),
            "header that cannot be read");
        row("bad shape", withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}"),
            "header that cannot be read");
        row("no end", withHeader("{'descr': '<f4', 'shape': (4"), "header that cannot be read");
        row("negative",
            withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}") +
                std::string(16, '\0'),
            "-4");
        row("too large",
            withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, "
                       "4294967296)}"),
            "");
        row("Fortran",
            withHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}") +
                std::string(16, '\0'),
            "Fortran");
        row("big-endian", npyHeader(">f4", {1}) + std::string(4, '\0'), "big-endian");
        row("objects", npyHeader("|O", {1}) + std::string(8, '\0'), "type |O");
        row("texts cut", npyHeader("<U9", {1}) + std::string(8, '\0'), "shorter than its header");
        row("long texts", npyHeader("<U99999999999999999999", {1}), "shorter than its header");
    }
    void damagedFilesAreRefused()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, reason);
        save(content.toStdString());
        const std::string text = refusal();
        QVERIFY2(text.find(reason.toStdString()) != std::string::npos, text.c_str());
        QVERIFY(text.starts_with(path().string()));
    }

    void aStoppedExportLeavesTheFileAsItWas()
    {
        save("before");
        std::mt19937_64 random(1);
        const TensorData data = randomTensor(DataType::Float, {1 << 18}, random);
        std::stop_source stop;
        const ReadOptions options{stop.get_token(), [&](double part) {
                                      if (part > 0.5)
                                          stop.request_stop();
                                  }};
        const auto written = writeNpy(data, path(), options);
        QVERIFY(!written);
        QCOMPARE(int(written.error().kind), int(Error::Kind::Stopped));
        QCOMPARE(content(), std::string("before"));
        QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void aFolderThatIsNotThereIsReported()
    {
        const auto written =
            writeNpy(TensorData::scalar(1), m_folder.filePath("no/such.npy").toStdString());
        QVERIFY(!written);
        QCOMPARE(int(written.error().kind), int(Error::Kind::Missing));
    }

    void numpyReadsTheFiles()
    {
        const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (python.isEmpty() || QProcess::execute(python, {"-c", "import numpy"}) != 0)
            QSKIP("needs Python with NumPy");
        std::mt19937_64 random(9);
        for (const DataType type : numberTypes) {
            const TensorData data = randomTensor(type, {3, 4, 5}, random, true);
            QVERIFY(writeNpy(data, path()));
            double sum = 0;
            for (std::int64_t i = 0; i < data.elements(); ++i)
                sum += data.real(i) * double(i);
            QProcess process;
            process.start(python, {"-c",
                                   "import numpy, sys\n"
                                   "a = numpy.load(sys.argv[1])\n"
                                   "assert a.shape == (3, 4, 5) and a.flags.c_contiguous\n"
                                   "f = a.real.astype(float).flatten()\n"
                                   "print(repr(float((f * numpy.arange(60)).sum())))",
                                   QString::fromStdString(path().string())});
            QVERIFY(process.waitForFinished());
            QCOMPARE(process.exitCode(), 0);
            QCOMPARE(process.readAllStandardOutput().trimmed().toDouble(), sum);
        }
    }

private:
    std::filesystem::path path() const { return m_folder.filePath("a.npy").toStdString(); }
    void save(const std::string &content) const
    {
        std::ofstream(path(), std::ios::binary) << content;
    }
    std::string content() const
    {
        std::ifstream stream(path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    std::string refusal() const
    {
        const auto read = readNpy(path());
        return read ? "" : read.error().text();
    }
    static std::string withHeader(const std::string &text)
    {
        std::string header("\x93NUMPY\x01\0", 8);
        header += char(text.size() & 0xff);
        header += char(text.size() >> 8);
        return header + text;
    }

    QTemporaryDir m_folder;
};

GRAPHLOOM_TESTS(NpyTest)

} // namespace graphloom::test::npy_test

#include "npy_test.moc"

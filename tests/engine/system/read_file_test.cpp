// SPDX-License-Identifier: Apache-2.0
#include "engine/system/read_file.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sys/stat.h>

namespace graphloom::test::read_file_test {

class ReadFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allBytesAreRead()
    {
        const std::string content("a\0b\r\n\xff", 6);
        std::ofstream(place("x"), std::ios::binary) << content;
        const auto read = readFile(place("x"));
        QVERIFY(read);
        QCOMPARE(*read, content);
    }

    void anEmptyFileIsEmpty()
    {
        std::ofstream(place("empty"));
        QCOMPARE(readFile(place("empty")).value_or("?"), std::string());
    }

    void aFileThatIsTooLargeIsRefused()
    {
        std::ofstream(place("large")) << "12345";
        QVERIFY(readFile(place("large"), 5));
        const auto read = readFile(place("large"), 4);
        QVERIFY(!read);
        QCOMPARE(read.error().kind, Error::Kind::Model);
    }

    void whatIsNoFileIsRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("reason");
        QTest::newRow("nothing") << "no"
                                 << "No such file";
        QTest::newRow("folder") << "."
                                << "not a regular file";
        QTest::newRow("pipe") << "pipe"
                              << "not a regular file"; // whose end would be waited for
    }
    void whatIsNoFileIsRefused()
    {
        QFETCH(QString, name);
        QFETCH(QString, reason);
        ::mkfifo(place("pipe").c_str(), 0600);
        const auto read = readFile(place(qPrintable(name)));
        QVERIFY(!read);
        QCOMPARE(read.error().kind, Error::Kind::Missing);
        QVERIFY2(read.error().text().find(reason.toStdString()) != std::string::npos,
                 read.error().text().c_str());
    }

private:
    std::filesystem::path place(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    QTemporaryDir m_folder;
};

GRAPHLOOM_TESTS(ReadFileTest)

} // namespace graphloom::test::read_file_test

#include "read_file_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/format.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::format_test {

class FormatTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void counts_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << QStringLiteral("0");
        QTest::newRow("hundreds") << 640.0 << QStringLiteral("640");
        QTest::newRow("thousands") << 12'345.0 << QStringLiteral("12.3 K");
        QTest::newRow("millions") << 1'234'567.0 << QStringLiteral("1.23 M");
        QTest::newRow("just below a step") << 999'999.0 << QStringLiteral("1.00 M");
        QTest::newRow("billions") << 4.56e9 << QStringLiteral("4.56 G");
        QTest::newRow("beyond all units") << 5e19 << QStringLiteral("50000 P");
    }
    void counts()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(formatCount(value), text);
    }

    void bytes()
    {
        QCOMPARE(formatBytes(640), QStringLiteral("640 B"));
        QCOMPARE(formatBytes(1536), QStringLiteral("1.50 KiB"));
        QCOMPARE(formatBytes(1048575), QStringLiteral("1.00 MiB"));
    }

    void reals_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("whole") << 42.0 << QStringLiteral("42");
        QTest::newRow("four digits") << 3.14159 << QStringLiteral("3.142");
        QTest::newRow("hundreds") << 123.456 << QStringLiteral("123.5");
        QTest::newRow("small") << 0.0123456 << QStringLiteral("0.01235");
        QTest::newRow("large") << 1.5e9 << QStringLiteral("1.5e+09");
        QTest::newRow("negative") << -2.5 << QStringLiteral("-2.500");
    }
    void reals()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(formatReal(value), text);
    }

    void unknownCounts()
    {
        const Dim unknown = Dim::symbol("?");
        QCOMPARE(formatDim(unknown * Dim(4)), QStringLiteral("?"));
        QCOMPARE(formatDimBytes(unknown * unknown), QStringLiteral("?"));
    }

    void symbolicCounts()
    {
        const Dim batch = Dim::symbol("batch");
        QCOMPARE(formatDim(batch * Dim(128)), QStringLiteral("128*batch"));
        QCOMPARE(formatDim(Dim(2048)), QStringLiteral("2.05 K"));
    }

    void shapes()
    {
        Tensor tensor;
        QCOMPARE(formatShape(tensor), QStringLiteral("?"));
        tensor.shape = Shape{};
        QCOMPARE(formatShape(tensor), QStringLiteral("scalar"));
        tensor.shape = Shape{Dim(1), Dim(3), Dim::symbol("n")};
        QCOMPARE(formatShape(tensor), QStringLiteral("1x3xn"));
    }

    void longAttributesAreCut()
    {
        const AttributeValue value = std::vector<std::int64_t>(40, 7);
        QVERIFY(formatAttribute(value).contains(QStringLiteral("40 in total")));
        QVERIFY(formatAttribute(std::string(1000, 'x')).size() <= 120);
    }

    void elidedKeepsBothEnds()
    {
        QCOMPARE(elided(QStringLiteral("abcdefghij"), 10), QStringLiteral("abcdefghij"));
        QCOMPARE(elided(QStringLiteral("abcdefghijk"), 5), QStringLiteral("ab…jk"));
    }
};

GRAPHLOOM_TESTS(FormatTest)

} // namespace graphloom::test::format_test

#include "format_test.moc"

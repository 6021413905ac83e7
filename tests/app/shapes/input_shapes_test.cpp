// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shapes/input_shapes.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::input_shapes_test {

namespace {

ModelInput input(std::string name, Shape stated, Shape now)
{
    return {std::move(name), QStringLiteral("float"), std::move(stated), std::move(now)};
}

const Dim batch = Dim::symbol("batch"), length = Dim::symbol("length");

} // namespace

class InputShapesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void symbolsHaveTheValuesThatTheyHaveNow()
    {
        const auto symbols = symbolsOf({input("x", {batch, 3, 224}, {4, 3, 224}),
                                        input("y", {batch, length}, {4, length})});
        QCOMPARE(symbols.size(), std::size_t(2));
        QCOMPARE(symbols[0].symbol, std::string("batch"));
        QCOMPARE(symbols[0].value, std::int64_t(4));
        QCOMPARE(symbols[1].value, std::int64_t(0));
    }

    void shapesAreTexts()
    {
        QCOMPARE(shapeText(input("x", {batch, 3, 224}, {4, 3, 160})),
                 QStringLiteral("batch, 3, 160"));
        QCOMPARE(shapeText(input("x", {}, {})), QString());
    }

    void textsAreRead()
    {
        const ModelInput x = input("x", {batch, 3, 224}, {batch, 3, 224});
        QCOMPARE(readShape(x, QStringLiteral("batch,3, 160")).value(),
                 (std::vector<std::int64_t>{0, 0, 160}));
        QCOMPARE(readShape(x, QStringLiteral("8, 3, 224")).value(),
                 (std::vector<std::int64_t>{8, 0, 0}));
        QVERIFY(readShape(input("s", {}, {}), QString()));
    }

    void wrongTextsNameTheInput_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason");
        QTest::newRow("rank") << "1, 3" << "expected 3 extents, not 2";
        QTest::newRow("zero") << "batch, 0, 224" << "extent 1 must be";
        QTest::newRow("name") << "size, 3, 224" << "or \"batch\"";
        QTest::newRow("empty") << "" << "expected 3 extents, not 0";
    }
    void wrongTextsNameTheInput()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, reason);
        const auto read = readShape(input("x", {batch, 3, 224}, {batch, 3, 224}), text);
        QVERIFY(!read);
        const QString told = QString::fromStdString(read.error().text());
        QVERIFY2(told.startsWith(QStringLiteral("input x")) && told.contains(reason),
                 qPrintable(told));
    }

    void requestsHoldWhatDiffersFromTheFile()
    {
        const std::vector inputs = {input("x", {batch, 3}, {batch, 3}),
                                    input("y", {length, 3}, {length, 3})};
        QVERIFY(requestedShapes(inputs, {{0, 0}, {0, 0}}, symbolsOf(inputs)).empty());
        const auto shapes = requestedShapes(inputs, {{0, 0}, {0, 5}}, {{"batch", 8}});
        QCOMPARE(shapes.at("x"), (std::vector<std::int64_t>{8, 0}));
        QCOMPARE(shapes.at("y"), (std::vector<std::int64_t>{0, 5}));
    }
};

GRAPHLOOM_TESTS(InputShapesTest)

} // namespace graphloom::test::input_shapes_test

#include "input_shapes_test.moc"

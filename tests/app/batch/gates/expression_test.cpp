// SPDX-License-Identifier: Apache-2.0
#include "app/batch/gates/expression.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::expression_test {

namespace {

nlohmann::ordered_json sample()
{
    return nlohmann::ordered_json::parse(R"({
        "model": {"nodes": 569, "operators": {"Conv": 35, "com.x.Op": 2}, "macs": null},
        "passes": [{"name": "ago", "seconds": 0.25}],
        "partition": {"subgraphs": 80, "acyclic": true, "jain": 0.56, "weights": [1.5, 2]}
    })");
}

} // namespace

class ExpressionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outcome_data();
    void outcome();
    void namesTheValuesItLookedAt();
    void notEvaluable_data();
    void notEvaluable();
    void notReadable_data();
    void notReadable();
    void deepNestingIsRefused();
    void longConditionsAreRefused_data();
    void longConditionsAreRefused();
    void divisionByZeroHasNoValue();
};

void ExpressionTest::outcome_data()
{
    QTest::addColumn<bool>("holds");
    const auto row = [](const char *text, bool holds) { QTest::newRow(text) << holds; };
    row("partition.subgraphs <= 82", true);
    row("partition.subgraphs<80", false);
    row("partition.subgraphs == 80", true);
    row("partition.subgraphs != 80", false);
    row("partition.subgraphs > 79.5", true);
    row("partition.subgraphs >= 81", false);
    row("partition.acyclic", true);
    row("!partition.acyclic", false);
    row("not partition.acyclic or true", true);
    row("partition.acyclic == true", true);
    row("partition.jain >= 0.55 and partition.subgraphs <= 82", true);
    row("partition.jain >= 0.57 && partition.subgraphs <= 82", false);
    row("partition.jain >= 0.57 || partition.subgraphs <= 82", true);
    row("false and true or true", true);
    row("false and (true or true)", false);
    row("passes[0].name == 'ago'", true);
    row("passes[0].name != \"ago\"", false);
    row("partition.weights[1] == 2", true);
    row("model.operators[\"com.x.Op\"] == 2", true);
    row("model.operators.Conv * 2 + 1 == 71", true);
    row("partition.subgraphs / model.nodes < 0.2", true);
    row("10 - 2 - 3 == 5", true);
    row("-partition.jain < -0.5", true);
    row("2 + 3 * 4 == 14", true);
    row("1e-3 < .5", true);
    row("1.5k == 1500 and 2MiB == 2097152 AND 1GB == 1e9", true);
    row("!!partition.acyclic && !(partition.jain!=0.56)", true);
}

void ExpressionTest::outcome()
{
    QFETCH(bool, holds);
    const auto expression = Expression::parse(QTest::currentDataTag());
    QVERIFY2(expression.has_value(), expression ? "" : expression.error().text().c_str());
    const auto outcome = expression->evaluate(sample());
    QVERIFY2(outcome.has_value(), outcome ? "" : outcome.error().text().c_str());
    QCOMPARE(outcome->holds, holds);
}

void ExpressionTest::namesTheValuesItLookedAt()
{
    const auto expression = Expression::parse("partition.jain > 0.9 or passes[0].name == 'x'");
    QVERIFY(expression.has_value());
    const auto outcome = expression->evaluate(sample());
    QVERIFY(outcome.has_value());
    QVERIFY(!outcome->holds);
    QCOMPARE(outcome->values, std::string("partition.jain is 0.56, passes[0].name is \"ago\""));
}

void ExpressionTest::notEvaluable_data()
{
    QTest::addColumn<QString>("named");
    const auto row = [](const char *text, const char *named) {
        QTest::newRow(text) << QString(named);
    };
    row("partition.subgrahps <= 82", "partition.subgrahps is not in the report");
    row("memory.ratio < 1", "memory.ratio is not in the report");
    row("true or memory.ratio < 1", "memory.ratio is not in the report");
    row("passes[1].seconds < 1", "passes[1].seconds is not in the report");
    row("passes.seconds < 1", "not in the report");
    row("partition[0] < 1", "not in the report");
    row("model.macs < 1", "model.macs has no value");
    row("partition.weights < 1", "is not a single value");
    row("partition.subgraphs", "not a condition");
    row("partition.acyclic < 1", "cannot be applied");
    row("partition.subgraphs and true", "cannot be applied");
    row("partition.subgraphs == 'ago'", "cannot be applied");
    row("-partition.acyclic == 1", "cannot be applied");
}

void ExpressionTest::notEvaluable()
{
    QFETCH(QString, named);
    const auto expression = Expression::parse(QTest::currentDataTag());
    QVERIFY2(expression.has_value(), expression ? "" : expression.error().text().c_str());
    const auto outcome = expression->evaluate(sample());
    QVERIFY(!outcome);
    QVERIFY2(QString::fromStdString(outcome.error().text()).contains(named),
             outcome.error().text().c_str());
}

void ExpressionTest::notReadable_data()
{
    QTest::addColumn<int>("character");
    const auto row = [](const char *text, int character) { QTest::newRow(text) << character; };
    row("", 1);
    row("partition.subgraphs <=", 23);
    row("partition. <= 3", 11);
    row("a[b] == 1", 3);
    row("a[1 == 1", 4);
    row("(a == 1", 8);
    row("a == 1)", 7);
    row("a = 1", 3);
    row("a == 'x", 6);
    row("a == 1 nand b == 2", 8);
    row("1 < a < 3", 7);
}

void ExpressionTest::notReadable()
{
    QFETCH(int, character);
    const auto expression = Expression::parse(QTest::currentDataTag());
    QVERIFY(!expression);
    QCOMPARE(int(expression.error().kind), int(Error::Kind::Usage));
    const QString text = QString::fromStdString(expression.error().text());
    QVERIFY2(text.contains("character " + QString::number(character)), qPrintable(text));
}

void ExpressionTest::deepNestingIsRefused()
{
    for (const char *opening : {"(", "-", "!", "not "}) {
        std::string text;
        for (int i = 0; i < 100'000; ++i)
            text += opening;
        const auto expression = Expression::parse(text + "1 == 1");
        QVERIFY(!expression);
        QVERIFY(expression.error().text().find("nested") != std::string::npos);
    }
}

void ExpressionTest::longConditionsAreRefused_data()
{
    QTest::addColumn<QString>("op");
    for (const char *op : {" + ", " * ", " / ", " and ", " or "})
        QTest::newRow(op) << QString(op);
}

/// A chain of operators is a tree as deep as it is long.
void ExpressionTest::longConditionsAreRefused()
{
    QFETCH(QString, op);
    const auto chain = [&](int terms) {
        const QString term = op.contains('d') || op.contains('r') ? "true" : "1";
        return QStringList(QList<QString>(terms, term)).join(op).toStdString() +
               (term == "1" ? " > 0" : "");
    };
    QVERIFY(Expression::parse(chain(900))->evaluate(sample()));
    const auto refused = Expression::parse(chain(20'000));
    QVERIFY(!refused);
    QCOMPARE(int(refused.error().kind), int(Error::Kind::Usage));
    QVERIFY2(refused.error().text().find("more than 1000 operators") != std::string::npos,
             refused.error().text().c_str());
    QVERIFY(refused.error().text().size() < 1000); // it does not repeat all of them
}

void ExpressionTest::divisionByZeroHasNoValue()
{
    const auto literal = Expression::parse("1/0 > 0");
    QVERIFY(!literal);
    QVERIFY2(literal.error().text().find("--assert 1/0 > 0: division by zero") != std::string::npos,
             literal.error().text().c_str());
    for (const char *text : {"1 / (1 - 1) > 0", "partition.subgraphs / (model.nodes - 569) > 1",
                             "1e308 * model.nodes > 0", "-1e308 * 10 < 0"}) {
        const auto expression = Expression::parse(text);
        QVERIFY2(expression, text);
        const auto outcome = expression->evaluate(sample());
        QVERIFY2(!outcome, text);
        QCOMPARE(int(outcome.error().kind), int(Error::Kind::Usage));
    }
}

GRAPHLOOM_TESTS(ExpressionTest)

} // namespace graphloom::test::expression_test

#include "expression_test.moc"

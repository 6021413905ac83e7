// SPDX-License-Identifier: Apache-2.0
#include "app/batch/arguments/tolerance.h"
#include "app/batch/report/metric_rules.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::tolerance_test {

class ToleranceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsShareAndAmount();
    void refused_data();
    void refused();
    void patterns_data();
    void patterns();
    void tolerancesThatBelongToSomething();
};

void ToleranceTest::readsShareAndAmount()
{
    const auto share = toleranceOf("latency.*=5%");
    QVERIFY(share.has_value());
    QCOMPARE(share->pattern, std::string("latency.*"));
    QVERIFY(share->relative);
    QCOMPARE(share->slackAt(-200), 10.0);
    QCOMPARE(share->text(), std::string("5 %"));
    const auto amount = toleranceOf("a=b=1.5e3"); // the last = counts
    QVERIFY(amount.has_value());
    QCOMPARE(amount->pattern, std::string("a=b"));
    QVERIFY(!amount->relative);
    QCOMPARE(amount->slackAt(7), 1500.0);
    QCOMPARE(amount->text(), std::string("1500"));
}

void ToleranceTest::refused_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text :
         {"", "latency", "=5%", "latency=", "latency=%", "latency=5 %", "latency=many",
          "latency=-1", "latency=nan%", "latency=inf", "latency=5%%"})
        QTest::newRow(text) << QString(text);
}

void ToleranceTest::refused()
{
    QFETCH(QString, text);
    const auto tolerance = toleranceOf(text.toStdString());
    QVERIFY(!tolerance);
    QCOMPARE(int(tolerance.error().kind), int(Error::Kind::Usage));
    QVERIFY(tolerance.error().text().find("--tolerance " + text.toStdString()) == 0);
}

void ToleranceTest::patterns_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("matches");
    const auto row = [](const char *pattern, const char *text, bool matches) {
        QTest::addRow("%s on %s", pattern, text) << QString(pattern) << QString(text) << matches;
    };
    row("a.b", "a.b", true);
    row("a.b", "a.bc", false);
    row("a.b", "axb", false);
    row("", "", true);
    row("", "a", false);
    row("*", "", true);
    row("*", "a.b.c", true);
    row("a.*", "a.b.c", true);
    row("a.*", "a", false);
    row("*_ms", "a.after_ms", true);
    row("*_ms", "a.after_ms2", false);
    row("a*b*c", "aXbYbZc", true);
    row("a*b*c", "aXcYb", false);
    row("**a", "bca", true);
}

void ToleranceTest::patterns()
{
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QTEST(matchesPattern(pattern.toStdString(), text.toStdString()), "matches");
}

void ToleranceTest::tolerancesThatBelongToSomething()
{
    for (const char *pattern : {"*", "fusion.layers_after", "latency.*", "memory.plan.arena_bytes",
                                "memory.arena_bytes", "*bytes*"})
        QVERIFY2(matchesSomeMetric(pattern), pattern);
    for (const char *pattern :
         {"fusion.layers", "latncy.*", "search.seconds", "verify.passed", "model.nodes", ""})
        QVERIFY2(!matchesSomeMetric(pattern), pattern);
}

GRAPHLOOM_TESTS(ToleranceTest)

} // namespace graphloom::test::tolerance_test

#include "tolerance_test.moc"

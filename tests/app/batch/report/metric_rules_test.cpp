// SPDX-License-Identifier: Apache-2.0
#include "app/batch/report/comparison.h"
#include "app/batch/report/report_figures.h"
#include "tests/app/html/full_report.h"
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::metric_rules_test {

using Json = nlohmann::ordered_json;

/// Which figures of reports are compared with a baseline.
class MetricRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void directions_data();
    void directions();
    void everyFigureOfAReportHasARule_data();
    void everyFigureOfAReportHasARule();
    void figuresKnowWhereTheyAreFrom();
};

void MetricRulesTest::directions_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("better"); // empty: not compared
    const auto row = [](const char *path, const char *better) {
        QTest::newRow(path) << QString(path) << QString(better);
    };
    row("fusion.layers_after", "less");
    row("fusion.irs_bytes_after", "less");
    row("fusion.modelled_ms", "less");
    row("fusion.fusion_rate", "more");
    row("fusion.layers_before", "");
    row("fusion.baseline.layers_after", "");
    row("rewrite.flops_after", "less");
    row("rewrite.flops_before", "");
    row("partition.subgraphs", "less");
    row("partition.jain", "more");
    row("partition.baseline.jain", "");
    row("memory.peak_bytes_after", "less");
    row("memory.plan.peak_bytes_after", "less");
    row("memory.arena_bytes", "less");
    row("memory.arena_bytes_before", "");
    row("memory.latency_ms_after", "less");
    row("memory.limits_met", "true");
    row("schedule.peak_bytes", "less");
    row("schedule.swaps", "");
    row("latency.after_ms", "less");
    row("latency.before_ms", "");
    row("latency.ratio", "less");
    row("build.interpreted", "less");
    row("build.seconds", "");
    row("search.states_per_second", "");
    row("verify.passed", "true");
    row("verify.max_abs_error", "");
    row("test_data.a/b.c.passed", "true");
    row("model.nodes", "");
}

void MetricRulesTest::directions()
{
    QFETCH(QString, path);
    QFETCH(QString, better);
    const MetricRule *rule = metricRuleOf(path.toStdString());
    QVERIFY(rule);
    const QString said = rule->better ? QString::fromUtf8(nameOf(*rule->better).data()) : QString();
    QCOMPARE(said, better);
}

void MetricRulesTest::everyFigureOfAReportHasARule_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("fused, built and measured")
        << QStringList{"--passes", "dnnfusion,ago", "--measure", "2", "--verify"};
    QTest::newRow("training in less memory")
        << QStringList{"--training", "--passes", "magis", "--set", "magis.seconds=1"};
}

/// A figure that somebody adds to the report is compared, or it is said here why not.
void MetricRulesTest::everyFigureOfAReportHasARule()
{
    QFETCH(QStringList, options);
    const QTemporaryDir folder;
    const QString report = folder.filePath("r.json");
    const auto outcome = test::runProgram(
        QStringList{"--batch", test::sampleFile("bert_tiny.onnx"), "--report", report} + options);
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const auto figures = figuresOf(test::readJson(report));
    QVERIFY(figures.size() > 20);
    for (const ReportFigure &figure : figures)
        QVERIFY2(metricRuleOf(figure.path), figure.path.c_str());
}

void MetricRulesTest::figuresKnowWhereTheyAreFrom()
{
    int found = 0;
    for (const ReportFigure &figure : figuresOf(test::fullReport())) {
        const bool latency = figure.path == "latency.after.min_ms";
        if (!latency && figure.path != "environment.threads")
            continue;
        ++found;
        QCOMPARE(figure.origin.size(), latency ? std::size_t(4) : std::size_t(0));
        if (latency) {
            QCOMPARE(figure.origin.at("provenance"), std::string("host"));
            QCOMPARE(figure.origin.at("threads"), std::string("2"));
        }
    }
    QCOMPARE(found, 2);
}

GRAPHLOOM_TESTS(MetricRulesTest)

} // namespace graphloom::test::metric_rules_test

#include "metric_rules_test.moc"

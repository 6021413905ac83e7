// SPDX-License-Identifier: Apache-2.0
#include "app/batch/report/baseline.h"
#include "app/batch/report/comparison.h"
#include "app/batch/report/report_figures.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

namespace graphloom::test::comparison_test {

using Json = nlohmann::ordered_json;
using Outcome = FigureComparison::Outcome;

namespace {

Json report(int subgraphs, double jain)
{
    return {
        {"schema", 1},
        {"model",
         {{"nodes", 569}, {"parameters", 5}, {"macs", nullptr}, {"opset", 17}, {"hash", "ab"}}},
        {"partition",
         {{"subgraphs", subgraphs}, {"trivial", 3}, {"jain", jain}, {"provenance", "modelled"}}},
        {"verify", {{"passed", true}}}};
}

/// As measured on a machine.
Json measured(double ms)
{
    return {{"latency",
             {{"before_ms", 20.0},
              {"after_ms", ms},
              {"provenance", "host"},
              {"target", "host"},
              {"device", "cpu"},
              {"instruction_set", "AVX2"},
              {"threads", 2}}},
            {"environment", {{"cpu", "Abacus 3"}, {"threads", 2}}}};
}

const FigureComparison *find(const std::vector<FigureComparison> &comparisons,
                             const std::string &metric)
{
    const auto found = std::ranges::find(comparisons, metric, &FigureComparison::metric);
    return found == comparisons.end() ? nullptr : &*found;
}

Outcome outcomeOf(const Json &before, const Json &now, const std::string &metric,
                  const std::vector<Tolerance> &tolerances = {})
{
    const auto comparisons = compareWithBaseline(before, now, tolerances);
    const FigureComparison *compared = find(comparisons, metric);
    return compared ? compared->outcome : Outcome::Missing;
}

} // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalReportsPass();
    void betterPassesWorseFails();
    void lastDigitsDoNotCount();
    void tolerancesAreRelativeOrAbsolute();
    void theLastToleranceThatMatchesCounts();
    void measuredTimesHaveATolerance();
    void modelledTimesHaveNone();
    void otherOriginsAreNotCompared_data();
    void otherOriginsAreNotCompared();
    void withoutAnInstructionSetTimesAreCompared();
    void whatIsGoneFails();
    void whatIsNoNumberAnyMoreFails();
    void failedVerificationFails();
    void testDataIsComparedByFolder();
    void searchFiguresAreNotCompared();
    void tableHasARowForEachFigure();
    void sectionOfTheReport();
    void modelDifferencesAreNamed();
    void readsReportsOnly();
};

void ComparisonTest::equalReportsPass()
{
    const auto comparisons = compareWithBaseline(report(80, 0.56), report(80, 0.56));
    QCOMPARE(comparisons.size(), std::size_t(4));
    for (const FigureComparison &compared : comparisons)
        QVERIFY2(compared.outcome == Outcome::Same, compared.metric.c_str());
    QCOMPARE(countsOf(comparisons), std::string("4 figures: 4 same"));
}

void ComparisonTest::betterPassesWorseFails()
{
    const Json before = report(80, 0.56), better = report(79, 0.6), worse = report(81, 0.55);
    QCOMPARE(outcomeOf(before, better, "partition.subgraphs"), Outcome::Better);
    QCOMPARE(outcomeOf(before, better, "partition.jain"), Outcome::Better);
    QCOMPARE(outcomeOf(before, worse, "partition.subgraphs"), Outcome::Worse);
    QCOMPARE(outcomeOf(before, worse, "partition.jain"), Outcome::Worse);
    QCOMPARE(outcomeOf(before, worse, "partition.trivial"), Outcome::Same);
    const auto gates = gatesOf(compareWithBaseline(before, worse));
    const auto gate = std::ranges::find(gates, "partition.subgraphs", &Gate::text);
    QVERIFY(!gate->passed);
    QCOMPARE(gate->message, std::string("81, was 80 (+1.25 %); tolerance 0"));
}

void ComparisonTest::lastDigitsDoNotCount()
{
    QCOMPARE(outcomeOf(report(80, 0.56), report(80, 0.56 - 1e-15), "partition.jain"),
             Outcome::Same);
}

void ComparisonTest::tolerancesAreRelativeOrAbsolute()
{
    const Json before = report(80, 0.5);
    const Tolerance percent{"partition.subgraphs", 0.05, true},
        four{"partition.subgraphs", 4, false}, jain{"partition.jain", 0.1, true};
    for (const Tolerance &tolerance : {percent, four}) {
        QCOMPARE(outcomeOf(before, report(84, 0.5), "partition.subgraphs", {tolerance}),
                 Outcome::Within);
        QCOMPARE(outcomeOf(before, report(85, 0.5), "partition.subgraphs", {tolerance}),
                 Outcome::Worse);
    }
    QCOMPARE(outcomeOf(before, report(80, 0.45), "partition.jain", {jain}), Outcome::Within);
    QCOMPARE(outcomeOf(before, report(80, 0.44), "partition.jain", {jain}), Outcome::Worse);
    QCOMPARE(outcomeOf(before, report(81, 0.5), "partition.subgraphs", {jain}), Outcome::Worse);
}

void ComparisonTest::theLastToleranceThatMatchesCounts()
{
    const Tolerance all{"*", 0.5, true}, none{"partition.s*", 0, false};
    const Json before = report(80, 0.56), now = report(81, 0.56);
    QCOMPARE(outcomeOf(before, now, "partition.subgraphs", {none, all}), Outcome::Within);
    QCOMPARE(outcomeOf(before, now, "partition.subgraphs", {all, none}), Outcome::Worse);
}

void ComparisonTest::measuredTimesHaveATolerance()
{
    QCOMPARE(outcomeOf(measured(10), measured(10.9), "latency.after_ms"), Outcome::Within);
    QCOMPARE(outcomeOf(measured(10), measured(11.1), "latency.after_ms"), Outcome::Worse);
    QCOMPARE(outcomeOf(measured(10), measured(8), "latency.after_ms"), Outcome::Better);
    QVERIFY(!find(compareWithBaseline(measured(10), measured(10)), "latency.before_ms"));
}

void ComparisonTest::modelledTimesHaveNone()
{
    const auto fusion = [](double ms, const char *device) {
        return Json{
            {"fusion", {{"modelled_ms", ms}, {"device", device}, {"provenance", "modelled"}}}};
    };
    QCOMPARE(outcomeOf(fusion(10, "phone"), fusion(10.1, "phone"), "fusion.modelled_ms"),
             Outcome::Worse);
    // The sum of calls that were measured here.
    QCOMPARE(outcomeOf(fusion(10, "host"), fusion(10.1, "host"), "fusion.modelled_ms"),
             Outcome::Within);
}

void ComparisonTest::otherOriginsAreNotCompared_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("reason");
    QTest::newRow("provenance") << "/latency/provenance"
                                << "provenance is \"other\", was \"host\"";
    QTest::newRow("target") << "/latency/target"
                            << "target is \"other\", was \"host\"";
    QTest::newRow("device") << "/latency/device"
                            << "device is \"other\", was \"cpu\"";
    QTest::newRow("instruction set") << "/latency/instruction_set"
                                     << "instruction_set is \"other\", was \"AVX2\"";
    QTest::newRow("threads") << "/latency/threads"
                             << "threads is \"other\", was \"2\"";
    QTest::newRow("processor") << "/environment/cpu"
                               << "processor is \"other\", was \"Abacus 3\"";
}

void ComparisonTest::otherOriginsAreNotCompared()
{
    QFETCH(QString, pointer);
    QFETCH(QString, reason);
    Json now = measured(5);
    now[Json::json_pointer(pointer.toStdString())] = "other";
    const auto comparisons = compareWithBaseline(measured(10), now);
    const FigureComparison *compared = find(comparisons, "latency.after_ms");
    QCOMPARE(compared->outcome, Outcome::Incomparable);
    QVERIFY(!compared->passed());
    QCOMPARE(QString::fromStdString(compared->reason), reason);
    QVERIFY(compared->message().find("not comparable") != std::string::npos);
}

/// Reports of earlier versions do not say it.
void ComparisonTest::withoutAnInstructionSetTimesAreCompared()
{
    Json before = measured(10);
    before["latency"].erase("instruction_set");
    const auto comparisons = compareWithBaseline(before, measured(5));
    QVERIFY(find(comparisons, "latency.after_ms")->outcome != Outcome::Incomparable);
}

void ComparisonTest::whatIsGoneFails()
{
    Json now = report(80, 0.56);
    now.erase("partition");
    const auto comparisons = compareWithBaseline(report(80, 0.56), now);
    QCOMPARE(find(comparisons, "partition.subgraphs")->outcome, Outcome::Missing);
    QVERIFY(!find(comparisons, "partition.subgraphs")->passed());
    QVERIFY(find(comparisons, "verify.passed")->passed());
    // What only the new report has is not compared.
    QCOMPARE(compareWithBaseline(now, report(80, 0.56)).size(), std::size_t(1));
}

void ComparisonTest::whatIsNoNumberAnyMoreFails()
{
    Json now = report(80, 0.56);
    now["partition"]["jain"] = nullptr;
    QVERIFY(!find(compareWithBaseline(report(80, 0.56), now), "partition.jain")->passed());
    now["partition"]["jain"] = true;
    QVERIFY(!find(compareWithBaseline(report(80, 0.56), now), "partition.jain")->passed());
}

void ComparisonTest::failedVerificationFails()
{
    Json now = report(80, 0.56);
    now["verify"]["passed"] = false;
    QCOMPARE(outcomeOf(report(80, 0.56), now, "verify.passed"), Outcome::Worse);
    QCOMPARE(outcomeOf(now, now, "verify.passed"), Outcome::Same);
    // No tolerance makes it pass.
    QCOMPARE(outcomeOf(report(80, 0.56), now, "verify.passed", {{"*", 9, true}}), Outcome::Worse);
}

void ComparisonTest::testDataIsComparedByFolder()
{
    const auto data = [](bool second) {
        return Json{{"test_data",
                     {{{"folder", "set/0"}, {"passed", true}, {"max_abs_error", 0.5}},
                      {{"folder", "set/1"}, {"passed", second}, {"max_abs_error", 0.5}}}}};
    };
    const auto comparisons = compareWithBaseline(data(true), data(false));
    QCOMPARE(comparisons.size(), std::size_t(2));
    QCOMPARE(find(comparisons, "test_data.set/0.passed")->outcome, Outcome::Same);
    QCOMPARE(find(comparisons, "test_data.set/1.passed")->outcome, Outcome::Worse);
}

void ComparisonTest::searchFiguresAreNotCompared()
{
    const Json before = {{"search", {{"states_generated", 100}, {"seconds", 1.0}}},
                         {"tuning", {{"trials", 5}}},
                         {"gates", Json::array()}};
    QVERIFY(compareWithBaseline(before, Json::object()).empty());
}

void ComparisonTest::tableHasARowForEachFigure()
{
    const std::string table =
        tableOf(compareWithBaseline(report(80, 0.56), report(84, 0.57), {{"*", 0.01, true}}));
    const QStringList lines = QString::fromStdString(table).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 6);
    for (const QString &line : lines) {
        QCOMPARE(line.size(), lines[0].size());
        QCOMPARE(line.count('|'), 8);
    }
    QVERIFY(lines[2].contains("partition.subgraphs") && lines[2].contains("+5.00 %") &&
            lines[2].contains("**worse**"));
    QVERIFY(table.find("| better ") != std::string::npos);
}

void ComparisonTest::sectionOfTheReport()
{
    const Json section =
        reportOf(compareWithBaseline(report(80, 0.5), report(88, 0.5), {{"*", 0.2, true}}));
    QCOMPARE(section.size(), std::size_t(4));
    const Json &row = section[0];
    QCOMPARE(row["metric"], Json("partition.subgraphs"));
    QCOMPARE(row["better"], Json("less"));
    QCOMPARE(row["before"], Json(80));
    QCOMPARE(row["now"], Json(88));
    QCOMPARE(row["change"], Json(0.1));
    QCOMPARE(row["tolerance"], Json(0.2));
    QCOMPARE(row["outcome"], Json("tolerated"));
    // A report that was compared is a baseline as good as any.
    Json compared = report(80, 0.5);
    compared["comparison"] = section;
    QCOMPARE(compareWithBaseline(compared, compared).size(), std::size_t(4));
}

void ComparisonTest::modelDifferencesAreNamed()
{
    Json other = report(80, 0.56);
    QCOMPARE(modelDifferences(other, report(80, 0.56)), std::string());
    other["model"]["nodes"] = 570;
    other["model"]["macs"] = 12;
    other["model"]["hash"] = "cd";
    QCOMPARE(modelDifferences(other, report(80, 0.56)),
             std::string("nodes 569, was 570, macs null, was 12, hash \"ab\", was \"cd\""));
    other = report(80, 0.56);
    other["model"].erase("hash");
    QCOMPARE(modelDifferences(other, report(80, 0.56)), std::string());
}

void ComparisonTest::readsReportsOnly()
{
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.filePath("r.json").toStdString());
    const auto refused = [&](const std::string &content) {
        std::ofstream(path) << content;
        const auto read = readBaseline(path);
        return !read && read.error().kind == Error::Kind::Usage &&
               read.error().text().find("r.json") != std::string::npos;
    };
    QVERIFY(!readBaseline(path));
    QVERIFY(refused(""));
    QVERIFY(refused("{\"schema\": 1"));
    QVERIFY(refused("[1]"));
    QVERIFY(refused("{\"model\": {}}"));
    QVERIFY(refused("{\"schema\": 2}"));
    std::ofstream(path) << report(80, 0.5).dump();
    const auto read = readBaseline(path);
    QVERIFY(read.has_value());
    QCOMPARE((*read)["partition"]["subgraphs"].get<int>(), 80);
}

GRAPHLOOM_TESTS(ComparisonTest)

} // namespace graphloom::test::comparison_test

#include "comparison_test.moc"

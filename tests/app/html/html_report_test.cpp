// SPDX-License-Identifier: Apache-2.0
#include "app/html/html_report.h"
#include "tests/app/html/full_report.h"
#include "tests/support/test_program.h"

#include <QRegularExpression>
#include <QTest>

namespace graphloom::test::html_report_test {

using test::fullReport;
using Json = nlohmann::ordered_json;

namespace {

QString pageOf(const Json &report, std::vector<Check> checks = {},
               std::vector<std::string> messages = {}, std::vector<HtmlPicture> pictures = {})
{
    return QString::fromStdString(htmlOf({report,
                                          "/models/m<1>.onnx",
                                          "9.9",
                                          {},
                                          std::move(checks),
                                          std::move(messages),
                                          std::move(pictures)}));
}

QStringList matchesOf(const QString &text, const char *expression)
{
    QStringList found;
    for (auto match = QRegularExpression(expression).globalMatch(text); match.hasNext();)
        found << match.next().captured(1);
    return found;
}

} // namespace

class HtmlReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySectionIsThere();
    void sectionsWithoutContentAreLeftOut();
    void contentsLeadToSections();
    void needsNothingBesideItself();
    void namesAreEscaped();
    void elementsAreClosed();
    void tablesHaveHeadings();
    void chartsHaveTablesBehindThem();
    void outcomesAreWords();
    void theStatusCountsChecks_data();
    void theStatusCountsChecks();
    void verificationNamesItsInputs();
    void figuresHaveTheirProvenance();
    void aPlanBeforeTuningIsNotTheOriginal();
    void aPlanMeasuredAloneHasNoAlternation();
    void picturesStandInTheirSections();
    void followsTheReadersTheme();
};

void HtmlReportTest::everySectionIsThere()
{
    const QStringList ids =
        matchesOf(pageOf(fullReport(), {{"pass", "ago", Check::Outcome::Passed, {}}}, {"careful"}),
                  "<section id=\"([a-z]+)\"");
    QCOMPARE(ids, (QStringList{"checks", "baseline", "messages", "model", "passes", "rewriting",
                               "fusion", "partition", "memory", "pareto", "search", "kernels",
                               "verification", "environment"}));
}

void HtmlReportTest::sectionsWithoutContentAreLeftOut()
{
    const Json report = {{"schema", 1}, {"model", {{"nodes", 1}}}};
    QCOMPARE(matchesOf(pageOf(report), "<section id=\"([a-z]+)\""),
             (QStringList{"model", "environment"}));
}

void HtmlReportTest::contentsLeadToSections()
{
    const QString page = pageOf(fullReport());
    QCOMPARE(matchesOf(page, "href=\"#([a-z]+)\""), matchesOf(page, "<section id=\"([a-z]+)\""));
}

void HtmlReportTest::needsNothingBesideItself()
{
    const QString page = pageOf(fullReport());
    for (const char *word : {"<script", "<link", "<img", "<iframe", "http:", "https:", "@import",
                             "url(", " src=", " onload="})
        QVERIFY2(!page.contains(word), word);
}

void HtmlReportTest::namesAreEscaped()
{
    const QString page =
        pageOf(fullReport(), {{"assert", "a < b & c", Check::Outcome::Failed, "<i>"}},
               {"<script>alert(1)</script>"});
    QVERIFY(page.contains("m&lt;1&gt;.onnx") && !page.contains("m<1>"));
    QVERIFY(page.contains("&lt;b&gt;") && !page.contains("<b>"));
    QVERIFY(page.contains("a &lt; b &amp; c") && !page.contains("<i>"));
    QVERIFY(!page.contains("<script"));
}

void HtmlReportTest::elementsAreClosed()
{
    const QString page =
        pageOf(fullReport(), {{"pass", "ago", Check::Outcome::Passed, {}}}, {"careful"});
    for (const char *name :
         {"html",    "head",  "body",  "header", "nav", "main",   "section", "h2",
          "table",   "thead", "tbody", "tr",     "th",  "td",     "caption", "details",
          "summary", "svg",   "g",     "text",   "div", "footer", "style",   "p"}) {
        const QRegularExpression open(QStringLiteral("<%1[ >]").arg(name)),
            close(QStringLiteral("</%1>").arg(name));
        QVERIFY2(page.count(open) == page.count(close), name);
    }
}

void HtmlReportTest::tablesHaveHeadings()
{
    const QString page = pageOf(fullReport());
    const auto tables = page.count("<table>");
    QVERIFY(tables > 10);
    QCOMPARE(page.count("<caption>"), tables);
    QCOMPARE(page.count("<thead>"), tables);
    QVERIFY(page.count("scope=\"row\"") >= tables);
    // A row has as many cells as there are headings.
    for (const QString &table : matchesOf(page, "<table>(.*?)</table>")) {
        const auto columns = table.count("scope=\"col\"");
        for (const QString &row : matchesOf(table, "<tr>(<th scope=\"row\".*?)</tr>"))
            QCOMPARE(row.count("<th") + row.count("<td"), columns);
    }
}

void HtmlReportTest::chartsHaveTablesBehindThem()
{
    const QString page = pageOf(fullReport());
    for (const char *caption : {"Subgraphs by weight", "Memory at each step", "Best cost so far"})
        QVERIFY2(page.contains(QStringLiteral("<summary>%1 (").arg(QLatin1String(caption))),
                 caption);
    QVERIFY(page.contains("512 to 1024")); // where the weight 900 is
}

void HtmlReportTest::outcomesAreWords()
{
    const QString page = pageOf(fullReport(), {{"assert", "a", Check::Outcome::Failed, "why"},
                                               {"output", "export", Check::Outcome::Skipped, "w"}});
    QVERIFY(page.contains(QStringLiteral("\u2717 FAILED")));
    QVERIFY(page.contains(QStringLiteral("\u2717 worse")));
}

void HtmlReportTest::theStatusCountsChecks_data()
{
    QTest::addColumn<int>("passed");
    QTest::addColumn<int>("failed");
    QTest::addColumn<int>("skipped");
    QTest::addColumn<QString>("status");
    QTest::newRow("one") << 1 << 0 << 0 << QStringLiteral(">\u2713 1 check passed<");
    QTest::newRow("some") << 3 << 0 << 0 << QStringLiteral(">\u2713 All 3 checks passed<");
    QTest::newRow("one left") << 1 << 0 << 2
                              << QStringLiteral(">\u2713 1 check passed, 2 skipped<");
    QTest::newRow("skipped") << 0 << 0 << 1 << QStringLiteral(">\u2013 1 check skipped<");
    QTest::newRow("failed") << 0 << 1 << 1
                            << QStringLiteral(">\u2717 1 of 1 check failed, 1 skipped<");
    QTest::newRow("some failed") << 1 << 2 << 0 << QStringLiteral(">\u2717 2 of 3 checks failed<");
}

void HtmlReportTest::theStatusCountsChecks()
{
    QFETCH(int, passed);
    QFETCH(int, failed);
    QFETCH(int, skipped);
    QFETCH(QString, status);
    std::vector<Check> checks;
    using Outcome = Check::Outcome;
    for (const auto &[count, outcome] : {std::pair(passed, Outcome::Passed),
                                         {failed, Outcome::Failed},
                                         {skipped, Outcome::Skipped}})
        checks.insert(checks.end(), std::size_t(count), Check{"assert", "a", outcome, {}});
    const QString page = pageOf(fullReport(), checks);
    QVERIFY2(page.contains(status), qPrintable(page.section("class=\"status", 1).left(100)));
}

void HtmlReportTest::verificationNamesItsInputs()
{
    QVERIFY(pageOf(fullReport()).contains("the original model, on random inputs"));
    Json report = fullReport();
    report["verify"]["run_on"] = "cat.png";
    QVERIFY(pageOf(report).contains("the original model, on cat.png"));
}

void HtmlReportTest::figuresHaveTheirProvenance()
{
    const QString page = pageOf(fullReport());
    QVERIFY(page.contains("modelled for gpu"));
    QVERIFY(page.contains("modelled for phone-cpu"));
    QVERIFY(page.contains("0.5 (host)"));
    QVERIFY(page.contains("swaps cannot be nodes"));
    QVERIFY(page.contains("infinite")); // an error that is no number
}

void HtmlReportTest::aPlanBeforeTuningIsNotTheOriginal()
{
    QVERIFY(pageOf(fullReport()).contains("original, without fusion"));
    Json report = fullReport();
    report["latency"]["compared_with"] = "before tuning";
    const QString page = pageOf(report);
    QVERIFY(page.contains("before tuning"));
    QVERIFY(!page.contains("original, without fusion"));
}

void HtmlReportTest::aPlanMeasuredAloneHasNoAlternation()
{
    QVERIFY(pageOf(fullReport()).contains("runs, in alternation"));
    Json report = fullReport();
    report["latency"].erase("before");
    QVERIFY(!pageOf(report).contains("runs, in alternation"));
}

void HtmlReportTest::picturesStandInTheirSections()
{
    const QString page =
        pageOf(fullReport(), {}, {},
               {{"memory", "Memory <1>", {"a & b"}, "<svg id=\"x\"></svg>", ".a0{fill:red}", false},
                {"graph", "The graph", {}, "<svg id=\"y\"></svg>", {}, true}});
    const auto section = [&](const char *id) {
        return matchesOf(page, qPrintable(QStringLiteral("(?s)<section id=\"%1\"(.*?)</section>")
                                              .arg(QLatin1String(id))))
            .value(0);
    };
    const QString memory = section("memory");
    QVERIFY(memory.contains("<svg role=\"img\" id=\"x\"></svg>"));
    QVERIFY(memory.contains("<style>.a0{fill:red}</style>"));
    QVERIFY(memory.contains("<figcaption><strong>Memory &lt;1&gt;</strong><br>a &amp; b<"));
    QVERIFY(memory.indexOf("<figure>") < memory.indexOf("<table>"));
    QVERIFY(section("graph").contains("full size"));
    QVERIFY(!memory.contains("full size"));
}

void HtmlReportTest::followsTheReadersTheme()
{
    QVERIFY(pageOf(fullReport()).contains("prefers-color-scheme:dark"));
}

GRAPHLOOM_TESTS(HtmlReportTest)

} // namespace graphloom::test::html_report_test

#include "html_report_test.moc"

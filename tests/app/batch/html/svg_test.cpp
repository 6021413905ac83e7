// SPDX-License-Identifier: Apache-2.0
#include "app/batch/html/figures.h"
#include "app/batch/html/svg_plot.h"
#include "app/batch/html/themed_svg.h"

#include <QXmlStreamReader>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace graphloom;
using Json = nlohmann::ordered_json;

namespace {

bool isXml(const std::string &text)
{
    QXmlStreamReader reader(QByteArray::fromStdString(text));
    while (!reader.atEnd())
        reader.readNext();
    return !reader.hasError();
}

constexpr const char *file =
    "<?xml version=\"1.0\"?>\n"
    "<svg width=\"10mm\" viewBox=\"0 0 10 10\" version=\"1.2\" baseProfile=\"tiny\">\n"
    "<g fill=\"%1\" stroke=\"black\" transform=\"matrix(1,0,0,1,0,0)\"\n"
    "font-size=\"12\" font-family=\"Sans Serif\" >\n"
    "<path vector-effect=\"none\" fill-rule=\"evenodd\" d=\"M0,0 L1,1\"/>\n"
    "<text fill=\"%1\" xml:space=\"preserve\" x=\"3\">a &lt; b</text>\n</g></svg>";

std::string fileWith(const char *colour)
{
    return QString(file).replace("%1", colour).toStdString();
}

} // namespace

class SvgTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoThemesAreOneDrawing();
    void otherDrawingsAreTheFirstOne();
    void ticks_data();
    void ticks();
    void figuresAreXml();
    void figuresOfNothing();
    void aLongTimelineIsThinnedOut();
};

void SvgTest::twoThemesAreOneDrawing()
{
    const ThemedSvg themed = themedSvg(fileWith("#ffffff"), fileWith("#000000"), "p");
    QVERIFY(isXml(themed.svg));
    QVERIFY(themed.svg.find("fill=") == std::string::npos);
    QVERIFY(themed.svg.find("<text x=\"3\" class=\"p") != std::string::npos);
    QVERIFY(themed.svg.find("a &lt; b</text>") != std::string::npos);
    QVERIFY(themed.svg.find("transform=\"matrix(1,0,0,1,0,0)\"") != std::string::npos);
    const auto dark = themed.style.find("prefers-color-scheme:dark");
    QVERIFY(themed.style.find("fill:#ffffff") < dark);
    QVERIFY(themed.style.find("fill:#000000") > dark);
    QVERIFY(themed.style.find("font-size:12px") != std::string::npos);
}

void SvgTest::otherDrawingsAreTheFirstOne()
{
    const ThemedSvg themed =
        themedSvg(fileWith("#ffffff"), "<svg><g fill=\"#000000\"/></svg>", "p");
    QVERIFY(isXml(themed.svg));
    QVERIFY(themed.svg.find("a &lt; b") != std::string::npos);
    QVERIFY(themed.style.find("prefers-color-scheme") == std::string::npos);
    QVERIFY(themedSvg("no picture", "", "p").svg.empty());
}

void SvgTest::ticks_data()
{
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::addColumn<bool>("binary");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("0 to 10") << 0.0 << 10.0 << false << QList<double>{0, 2, 4, 6, 8, 10};
    QTest::newRow("below 1") << 0.0 << 0.07 << false << QList<double>{0, 0.02, 0.04, 0.06};
    QTest::newRow("around 0") << -1.0 << 1.0 << false << QList<double>{-1, -0.5, 0, 0.5, 1};
    QTest::newRow("bytes") << 0.0 << 5000.0 << true << QList<double>{0, 1024, 2048, 3072, 4096};
    QTest::newRow("nothing") << 3.0 << 3.0 << false << QList<double>{3};
    QTest::newRow("infinite") << 0.0 << std::numeric_limits<double>::infinity() << false
                              << QList<double>{0};
}

void SvgTest::ticks()
{
    QFETCH(double, least);
    QFETCH(double, most);
    QFETCH(bool, binary);
    QFETCH(QList<double>, expected);
    const std::vector<double> made = ticksBetween(least, most, binary);
    QCOMPARE(made.size(), std::size_t(expected.size()));
    for (std::size_t i = 0; i < made.size(); ++i) {
        QVERIFY(std::abs(made[i] - expected[qsizetype(i)]) < 1e-9);
        QVERIFY(made[i] != 0 || !std::signbit(made[i]));
    }
}

void SvgTest::figuresAreXml()
{
    const Json step = {{"start_ms", 0}, {"ms", 1}, {"bytes", 5}},
               point = {{"latency_ms", 1.5}, {"peak_bytes", 100}};
    const Json memory = {{"timeline", {step}},
                         {"timeline_before", {step, step}},
                         {"latency_ms_before", 2},
                         {"peak_bytes_before", 50},
                         {"baselines", {{{"name", "a < b"}, {"points", {point, point}}}}}};
    QVERIFY(isXml(memoryTimelineSvg(memory)));
    QVERIFY(isXml(paretoSvg(Json::array({point}), memory)));
    QVERIFY(isXml(paretoSvg(Json::array({point}), nullptr)));
    QVERIFY(isXml(partitionHistogramSvg({{"method", "ago"}, {"weights", {0, 1, 5, 700}}})));
    QVERIFY(isXml(searchHistorySvg({{"best_history", {{{"seconds", 0}, {"cost", 3}}}}})));
}

void SvgTest::figuresOfNothing()
{
    for (const Json &nothing : {Json(), Json::object(), Json::array(), Json(3)}) {
        QCOMPARE(memoryTimelineSvg(nothing), std::string());
        QCOMPARE(paretoSvg(nothing, nothing), std::string());
        QCOMPARE(partitionHistogramSvg(nothing), std::string());
        QCOMPARE(searchHistorySvg(nothing), std::string());
    }
}

void SvgTest::aLongTimelineIsThinnedOut()
{
    Json memory;
    for (int i = 0; i < 20'000; ++i)
        memory["timeline"].push_back(
            {{"start_ms", i}, {"ms", 1}, {"bytes", i == 12'345 ? 1'000'000 : 10}});
    const std::string svg = memoryTimelineSvg(memory);
    QVERIFY(svg.size() < 100'000);
    QVERIFY(svg.find("976.6 KiB") != std::string::npos); // the peak stays
}

QTEST_GUILESS_MAIN(SvgTest)
#include "svg_test.moc"

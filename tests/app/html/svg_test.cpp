// SPDX-License-Identifier: Apache-2.0
#include "app/html/themed_svg.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <QXmlStreamReader>

namespace graphloom::test::svg_test {

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
    void groupsByPaintAreNoDifference();
    void otherDrawingsAreTheFirstOne();
};

void SvgTest::twoThemesAreOneDrawing()
{
    const ThemedSvg themed = themedSvg(fileWith("#ffffff"), fileWith("#000000"), "p");
    QVERIFY(isXml(themed.svg));
    QVERIFY(themed.svg.find("fill=") == std::string::npos);
    QVERIFY(themed.svg.find("<text x=\"3\" class=\"p") != std::string::npos);
    QVERIFY(themed.svg.find("a &lt; b</text>") != std::string::npos);
    QVERIFY(themed.svg.find("matrix(1,0,0,1,0,0)") == std::string::npos); // changes nothing
    const auto dark = themed.style.find("prefers-color-scheme:dark");
    QVERIFY(themed.style.find("fill:#ffffff") < dark);
    QVERIFY(themed.style.find("fill:#000000") > dark);
    QVERIFY(themed.style.find("font-size:12px") != std::string::npos);
}

/// Two texts that have one colour in one theme and two in the other.
void SvgTest::groupsByPaintAreNoDifference()
{
    const ThemedSvg themed =
        themedSvg("<svg><g fill=\"#111111\" transform=\"scale(2)\"><text x=\"1\">a</text>"
                  "<path d=\"M0,0\"/></g></svg>",
                  "<svg><g fill=\"#eeeeee\" transform=\"scale(2)\"><text x=\"1\">a</text></g>"
                  "<g fill=\"#cccccc\" transform=\"scale(2)\"><path d=\"M0,0\"/></g></svg>",
                  "p");
    QVERIFY(isXml(themed.svg));
    for (const char *text : {">a</text>", "transform=\"scale(2)\""})
        QVERIFY2(themed.svg.find(text) != std::string::npos, themed.svg.c_str());
    const auto dark = themed.style.find("prefers-color-scheme:dark");
    for (const char *colour : {"#eeeeee", "#cccccc"})
        QVERIFY2(themed.style.find(colour, dark) != std::string::npos, themed.style.c_str());
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

GRAPHLOOM_TESTS(SvgTest)

} // namespace graphloom::test::svg_test

#include "svg_test.moc"

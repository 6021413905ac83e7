// SPDX-License-Identifier: Apache-2.0
#include "app/batch/baseline.h"
#include "app/batch/junit.h"

#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace graphloom;
using Json = nlohmann::ordered_json;

namespace {

Json report(int subgraphs, double jain)
{
    return {{"schema", 1},
            {"model", {{"nodes", 569}, {"parameters", 5}, {"macs", nullptr}, {"opset", 17}}},
            {"partition", {{"subgraphs", subgraphs}, {"trivial", 3}, {"jain", jain}}},
            {"verify", {{"passed", true}}}};
}

const Gate *find(const std::vector<Gate> &gates, const std::string &text)
{
    const auto found =
        std::find_if(gates.begin(), gates.end(), [&](const Gate &g) { return g.text == text; });
    return found == gates.end() ? nullptr : &*found;
}

} // namespace

class GatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalReportsPass();
    void betterPassesWorseFails();
    void lastDigitsDoNotCount();
    void whatIsGoneFails();
    void failedVerificationFails();
    void modelDifferencesAreNamed();
    void readsReportsOnly();
    void junitHoldsAllChecks();
    void junitSurvivesAnyBytes();
};

void GatesTest::equalReportsPass()
{
    const auto gates = compareWithBaseline(report(80, 0.56), report(80, 0.56));
    QCOMPARE(gates.size(), std::size_t(4));
    for (const Gate &gate : gates)
        QVERIFY2(gate.passed, gate.text.c_str());
}

void GatesTest::betterPassesWorseFails()
{
    const auto better = compareWithBaseline(report(80, 0.56), report(79, 0.6));
    QVERIFY(find(better, "partition.subgraphs")->passed);
    QVERIFY(find(better, "partition.jain")->passed);
    const auto worse = compareWithBaseline(report(80, 0.56), report(81, 0.55));
    QVERIFY(!find(worse, "partition.subgraphs")->passed);
    QCOMPARE(find(worse, "partition.subgraphs")->message, std::string("81, was 80"));
    QVERIFY(!find(worse, "partition.jain")->passed);
    QVERIFY(find(worse, "partition.trivial")->passed);
}

void GatesTest::lastDigitsDoNotCount()
{
    const auto gates = compareWithBaseline(report(80, 0.56), report(80, 0.56 - 1e-15));
    QVERIFY(find(gates, "partition.jain")->passed);
}

void GatesTest::whatIsGoneFails()
{
    Json now = report(80, 0.56);
    now.erase("partition");
    const auto gates = compareWithBaseline(report(80, 0.56), now);
    QVERIFY(!find(gates, "partition.subgraphs")->passed);
    QVERIFY(find(gates, "verify.passed")->passed);
    // What only the new report has is not compared.
    QCOMPARE(compareWithBaseline(now, report(80, 0.56)).size(), std::size_t(1));
}

void GatesTest::failedVerificationFails()
{
    Json now = report(80, 0.56);
    now["verify"]["passed"] = false;
    QVERIFY(!find(compareWithBaseline(report(80, 0.56), now), "verify.passed")->passed);
    QVERIFY(find(compareWithBaseline(now, now), "verify.passed")->passed);
}

void GatesTest::modelDifferencesAreNamed()
{
    Json other = report(80, 0.56);
    QCOMPARE(modelDifferences(other, report(80, 0.56)), std::string());
    other["model"]["nodes"] = 570;
    other["model"]["macs"] = 12;
    QCOMPARE(modelDifferences(other, report(80, 0.56)),
             std::string("nodes 569, was 570, macs null, was 12"));
}

void GatesTest::readsReportsOnly()
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

void GatesTest::junitHoldsAllChecks()
{
    const std::string xml =
        junitOf("m.onnx", {{"pass", "ago", Check::Outcome::Passed, {}, 0.5},
                           {"assert", "a < b && c", Check::Outcome::Failed, "a is \"3\"", 0},
                           {"batch", "export", Check::Outcome::Error, "no\nplace", 0.25}});
    QXmlStreamReader reader(QByteArray::fromStdString(xml));
    QStringList names, messages;
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement)
            continue;
        const auto attributes = reader.attributes();
        if (reader.name() == QLatin1String("testsuite")) {
            QCOMPARE(attributes.value("tests").toInt(), 3);
            QCOMPARE(attributes.value("failures").toInt(), 1);
            QCOMPARE(attributes.value("errors").toInt(), 1);
            QCOMPARE(attributes.value("time").toDouble(), 0.75);
        }
        if (reader.name() == QLatin1String("testcase"))
            names << attributes.value("classname").toString() + '/' +
                         attributes.value("name").toString();
        if (attributes.hasAttribute("message"))
            messages << reader.name().toString() + ": " + attributes.value("message").toString();
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QCOMPARE(names, (QStringList{"graphloom.pass/ago", "graphloom.assert/a < b && c",
                                 "graphloom.batch/export"}));
    QCOMPARE(messages, (QStringList{"failure: a is \"3\"", "error: no\nplace"}));
}

void GatesTest::junitSurvivesAnyBytes()
{
    std::string bytes;
    for (int c = 1; c < 256; ++c)
        bytes += char(c);
    bytes += "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98\xe2\x82";
    const std::string xml = junitOf(bytes, {{"x", bytes, Check::Outcome::Failed, bytes, 0}});
    QXmlStreamReader reader(QByteArray::fromStdString(xml));
    QString message;
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::StartElement &&
            reader.attributes().hasAttribute("message"))
            message = reader.attributes().value("message").toString();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(message.endsWith(QString::fromUtf8("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98") + "??"));
}

QTEST_GUILESS_MAIN(GatesTest)
#include "gates_test.moc"

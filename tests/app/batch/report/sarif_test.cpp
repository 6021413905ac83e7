// SPDX-License-Identifier: Apache-2.0
#include "app/batch/report/sarif.h"

#include "tests/support/test_program.h"

#include <QRegularExpression>
#include <QTest>

namespace graphloom::test::sarif_test {

using Json = nlohmann::ordered_json;

namespace {

SarifRun someRun()
{
    SarifRun run;
    run.model = "models/a b#1.onnx";
    run.modelBytes = 77;
    run.exitCode = 1;
    run.diagnostics = {
        {"GL1002", "odd at m.onnx, byte 12", 12, {}, {}},
        {"GL2001", "node \"n1\" (NonZero) is opaque", {}, {"n1"}, {}},
        {"GL3005", "fusion.layers_after: 21, was 20", {}, {}, "fusion.layers_after"}};
    return run;
}

Json logOf(const SarifRun &run)
{
    return Json::parse(sarifOf(run), nullptr, false);
}

} // namespace

class SarifTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isAVersionThatReadersKnow();
    void everyRuleIsDescribed();
    void resultsPointToRulesAndPlaces();
    void fingerprintsDoNotDependOnFigures();
    void invocationTellsHowItEnded();
    void namesAreEscapedInUris();
    void survivesAnyBytes();
    void placesInTexts();
};

void SarifTest::isAVersionThatReadersKnow()
{
    const Json log = logOf(someRun());
    QCOMPARE(log["version"], Json("2.1.0"));
    QVERIFY(log["$schema"].get<std::string>().ends_with("sarif-schema-2.1.0.json"));
    QCOMPARE(log["runs"].size(), std::size_t(1));
    QCOMPARE(log["runs"][0]["tool"]["driver"]["name"], Json("Graphloom"));
    QCOMPARE(log["runs"][0]["artifacts"][0]["length"], Json(77));
}

void SarifTest::everyRuleIsDescribed()
{
    const Json rules = logOf(someRun())["runs"][0]["tool"]["driver"]["rules"];
    QCOMPARE(rules.size(), diagnosticRules().size());
    static const QRegularExpression id("^GL\\d{4}$"), name("^([A-Z][a-z]+)+$");
    std::set<std::string> ids;
    for (const Json &rule : rules) {
        const auto text = [&](const char *key) {
            return QString::fromStdString(rule[key].get<std::string>());
        };
        QVERIFY(id.match(text("id")).hasMatch());
        QVERIFY(name.match(text("name")).hasMatch());
        QVERIFY(ids.insert(rule["id"]).second);
        for (const char *key : {"shortDescription", "fullDescription", "help"})
            QVERIFY(rule[key]["text"].get<std::string>().ends_with('.'));
        QVERIFY((std::set<std::string>{"note", "warning", "error"})
                    .contains(rule["defaultConfiguration"]["level"]));
    }
}

void SarifTest::resultsPointToRulesAndPlaces()
{
    const Json run = logOf(someRun())["runs"][0];
    QCOMPARE(run["results"].size(), std::size_t(3));
    for (const Json &result : run["results"]) {
        QCOMPARE(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
                 result["ruleId"]);
        const Json &artifact = result["locations"][0]["physicalLocation"]["artifactLocation"];
        QCOMPARE(run["artifacts"][artifact["index"].get<std::size_t>()]["location"]["uri"],
                 artifact["uri"]);
        QVERIFY(!result["message"]["text"].get<std::string>().empty());
    }
    const Json &first = run["results"][0]["locations"][0], &second = run["results"][1];
    QCOMPARE(first["physicalLocation"]["region"]["byteOffset"], Json(12));
    QVERIFY(!first.contains("logicalLocations"));
    QVERIFY(!second["locations"][0]["physicalLocation"].contains("region"));
    QCOMPARE(second["locations"][0]["logicalLocations"][0]["name"], Json("n1"));
    QCOMPARE(second["level"], Json("note"));
    QCOMPARE(run["results"][2]["level"], Json("error"));
}

void SarifTest::fingerprintsDoNotDependOnFigures()
{
    const auto fingerprint = [](const Diagnostic &diagnostic) {
        SarifRun run = someRun();
        run.diagnostics = {diagnostic};
        return logOf(run)["runs"][0]["results"][0]["partialFingerprints"];
    };
    const Json layers = fingerprint({"GL3005", "21, was 20", {}, {}, "fusion.layers_after"});
    QCOMPARE(fingerprint({"GL3005", "25, was 20", {}, {}, "fusion.layers_after"}), layers);
    QVERIFY(fingerprint({"GL3005", "21, was 20", {}, {}, "fusion.modelled_ms"}) != layers);
    QVERIFY(fingerprint({"GL3007", "21, was 20", {}, {}, "fusion.layers_after"}) != layers);
}

void SarifTest::invocationTellsHowItEnded()
{
    SarifRun run = someRun();
    Json invocation = logOf(run)["runs"][0]["invocations"][0];
    QCOMPARE(invocation["executionSuccessful"], Json(true)); // it did its work, and found something
    QCOMPARE(invocation["exitCode"], Json(1));
    QVERIFY(!invocation.contains("toolExecutionNotifications"));
    run.exitCode = 4;
    run.problem = "build: no compiler";
    invocation = logOf(run)["runs"][0]["invocations"][0];
    QCOMPARE(invocation["executionSuccessful"], Json(false));
    QCOMPARE(invocation["toolExecutionNotifications"][0]["message"]["text"],
             Json("build: no compiler"));
}

void SarifTest::namesAreEscapedInUris()
{
    QCOMPARE(uriOf("models/a b#1.onnx"), std::string("models/a%20b%231.onnx"));
    QCOMPARE(uriOf("./m.onnx"), std::string("m.onnx"));
    QCOMPARE(uriOf("/x/\xc3\xa9.onnx"), std::string("file:///x/%C3%A9.onnx"));
}

void SarifTest::survivesAnyBytes()
{
    SarifRun run = someRun();
    run.diagnostics = {{"GL1002", "\xff\x01 \"", {}, {"\xfe"}, {}}};
    QVERIFY(!logOf(run).is_discarded());
}

void SarifTest::placesInTexts()
{
    QCOMPARE(byteIn("/x/m.onnx, byte 123: is cut short").value(), std::uint64_t(123));
    QVERIFY(!byteIn("/x/m.onnx: is cut short after 12 bytes"));
    QCOMPARE(nodesIn("m.onnx, node \"a\" (Conv): reads node \"b\"c\" (Relu), node \"a\" (Conv)"),
             (std::vector<std::string>{"a", "b\"c"}));
    QVERIFY(nodesIn("node \"unfinished").empty());
}

GRAPHLOOM_TESTS(SarifTest)

} // namespace graphloom::test::sarif_test

#include "sarif_test.moc"

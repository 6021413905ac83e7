// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/instruction_set.h"
#include "engine/pass/program_parts.h"
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace graphloom::test::list_test {

using graphloom::instructionSets;
using graphloom::ProgramPart;
using graphloom::programParts;
using Json = nlohmann::ordered_json;

/// `graphloom --list` from outside.
class ListTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesHaveTheirParameters();
    void operatorsSayWhatIsKnownOfThem();
    void rulesSayHowOftenTheyFired();
    void fusionsHaveAVerdict();
    void devicesHaveFiguresOrSayWhatIsMissing();
    void targetsSayWhatTheyFound();
    void targetsSayThatACompilerIsMissing();
    void whatThereIsNotIsRefused();
    void missingPartsAreTold_data();
    void missingPartsAreTold();
};

void ListTest::passesHaveTheirParameters()
{
    const Outcome text = runProgram({"--list", "passes"});
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.contains("--set ago.threshold="), qPrintable(text.out + text.err));
    const Outcome json = runProgram({"--list", "passes", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array() && !list.empty());
    QCOMPARE(list[0]["name"], Json("ago"));
    QVERIFY(!list[0]["parameters"].empty());
    for (const Json &parameter : list[0]["parameters"])
        for (const char *key : {"name", "kind", "initial", "help"})
            QVERIFY2(parameter.contains(key), parameter.dump().c_str());
}

void ListTest::operatorsSayWhatIsKnownOfThem()
{
    const Outcome json = runProgram({"--list", "ops", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array());
    const auto conv = std::find_if(list.begin(), list.end(),
                                   [](const Json &row) { return row["name"] == "Conv"; });
    QVERIFY(conv != list.end());
    QCOMPARE((*conv)["opsets"], Json("1 to 22"));
    QCOMPARE((*conv)["mapping"], Json("Many-to-Many"));
    QCOMPARE((*conv)["stages"].size(), 1u);
    QCOMPARE((*conv)["gradient"], Json(true));
    QCOMPARE((*conv)["kernels"], Json(true));
    QVERIFY((*conv)["opaque"].is_null());
    static const QRegularExpression row("\nTopK +up to 22 +Opaque +opaque +yes +yes +it sorts\n");
    QVERIFY(runProgram({"--list", "ops"}).out.contains(row));
}

void ListTest::rulesSayHowOftenTheyFired()
{
    const Outcome json = runProgram({"--list", "rules", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array());
    const auto square = std::find_if(list.begin(), list.end(), [](const Json &row) {
        return row["name"] == "square-by-product";
    });
    QVERIFY(square != list.end());
    QCOMPARE((*square)["category"], Json("cleanup"));
    QCOMPARE((*square)["formula"], Json("Pow(x, 2) = x * x"));
    for (const Json &row : list) // counted with the rules as they are
        QVERIFY2(row["fired"].is_number_integer() || row["pass"] != "dnnfusion",
                 row.dump().c_str());
    QVERIFY(runProgram({"--list", "rules"}).out.contains("square-by-product"));
}

void ListTest::fusionsHaveAVerdict()
{
    const Outcome json = runProgram({"--list", "fusions", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QCOMPARE(list.size(), 25u);
    const auto cell = std::find_if(list.begin(), list.end(), [](const Json &row) {
        return row["first"] == "One-to-Many" && row["second"] == "Many-to-Many";
    });
    QVERIFY(cell != list.end());
    QCOMPARE((*cell)["mapping"], Json("Many-to-Many"));
    QCOMPARE((*cell)["verdict"], Json("red"));
    QVERIFY(runProgram({"--list", "fusions"}).out.contains("One-to-Many   Many-to-Many"));
}

void ListTest::devicesHaveFiguresOrSayWhatIsMissing()
{
    const Outcome json = runProgram({"--list", "devices", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array());
    QCOMPARE(list[0]["name"], Json("phone-cpu"));
    QCOMPARE(list[0]["peak_gflops"], Json(219.2));
    QCOMPARE(list[0]["description"]["memory"][1]["bandwidth_gb_per_s"]["value"], Json(44.0));
    QStringList ofHost;
    for (const Json &row : list)
        if (const auto name = row["name"].get<std::string>(); name.starts_with("host:")) {
            ofHost << QString::fromStdString(name);
            QVERIFY(row.contains("peak_gflops") != row.contains("problem")); // what is missing
        }
    QCOMPARE(ofHost.front(), QString("host:cpu"));
    QCOMPARE(ofHost.size(), qsizetype(1 + instructionSets().size()));
    QVERIFY(runProgram({"--list", "devices"}).out.contains("phone-cpu"));
}

void ListTest::targetsSayWhatTheyFound()
{
    const Outcome outcome = runProgram({"--list", "targets", "--json"});
    QCOMPARE(outcome.code, 0);
    const Json list = Json::parse(outcome.out.toStdString(), nullptr, false);
    QCOMPARE(list[0]["name"], Json("host"));
    QCOMPARE(list[0]["devices"][0], Json("cpu"));
    QCOMPARE(list[0]["devices"].size(), 1 + instructionSets().size());
    QCOMPARE(list[0]["probe"][0]["what"], Json("processor"));
    QVERIFY(runProgram({"--list", "targets"}).out.contains("--target host:cpu"));
}

void ListTest::targetsSayThatACompilerIsMissing()
{
    const Outcome list = runProgram({"--list", "targets"}, withoutCompilers());
    QCOMPARE(list.code, 0);
    QVERIFY2(list.out.contains("C compiler MISSING"), qPrintable(list.out));
}

void ListTest::whatThereIsNotIsRefused()
{
    const Outcome outcome = runProgram({"--list", "everything"});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("--list"), qPrintable(outcome.err));
    QVERIFY2(outcome.out.isEmpty(), qPrintable(outcome.out));
}

void ListTest::missingPartsAreTold_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("without");
    for (const ProgramPart &part : programParts)
        QTest::newRow(std::string(part.file).c_str())
            << QString::fromStdString(std::string(part.file))
            << (part.kind == ProgramPart::Kind::Target ? "targets" : "passes")
            << QString::fromStdString(std::string(part.without));
}

/// A copy of the program in a folder that has links to all of its parts but one.
void ListTest::missingPartsAreTold()
{
    namespace fs = std::filesystem;
    QFETCH(QString, file);
    QFETCH(QString, list);
    QFETCH(QString, without);
    const QTemporaryDir folder;
    const fs::path build = fs::path(GRAPHLOOM_BINARY).parent_path().parent_path();
    const fs::path copy = folder.path().toStdString();
    for (const fs::path part : {"bin", "lib"}) {
        const fs::path from =
            part == "lib" ? fs::path(GRAPHLOOM_PLUGINS).parent_path().parent_path() : build / part;
        for (const auto &entry : fs::recursive_directory_iterator(from)) {
            const fs::path place = copy / build.filename() / entry.path().lexically_relative(build);
            if (!entry.is_regular_file() || entry.path().filename() == file.toStdString())
                continue;
            fs::create_directories(place.parent_path());
            fs::create_symlink(entry.path(), place);
        }
    }
    // The program looks for its parts from where it really is.
    const fs::path program = copy / build.filename() / "bin/graphloom";
    fs::remove(program);
    fs::copy_file(GRAPHLOOM_BINARY, program);

    const Outcome outcome =
        runProgramAt(QString::fromStdString(program.string()), {"--list", list});
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains(file + " is missing, so " + without), qPrintable(outcome.err));
    if (file.endsWith(".so"))
        QVERIFY2(outcome.out.contains("cannot be used: is missing"), qPrintable(outcome.out));
}

GRAPHLOOM_TESTS(ListTest)

} // namespace graphloom::test::list_test

#include "list_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "app/batch/arguments/command_line.h"
#include "app/batch/arguments/config_file.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::config_file_test {

/// --config and --print-config.
class ConfigFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfValue();
    void theCommandLineWins();
    void settingsAndTolerancesAreJoined();
    void refused_data();
    void refused();
    void aFileThatIsNotThere();
    void needsBatch();
    void printedConfigSaysTheSame();

private:
    std::filesystem::path write(const std::string &content) const
    {
        const auto file = std::filesystem::path(m_folder.filePath("ci.json").toStdString());
        std::ofstream(file) << content;
        return file;
    }
    Result<Command> parsed(const std::string &content, std::vector<std::string> words = {}) const
    {
        words.insert(words.begin(), {"--batch", "--config", write(content).string()});
        return parseCommandLine(words);
    }
    BatchOptions options(const std::string &content, std::vector<std::string> words = {}) const
    {
        const auto command = parsed(content, std::move(words));
        if (!command)
            qFatal("%s", command.error().text().c_str());
        return std::get<BatchOptions>(*command);
    }

    QTemporaryDir m_folder;
};

void ConfigFileTest::everyKindOfValue()
{
    const BatchOptions read = options(R"({
        // what CI looks at
        "model": "m.onnx",
        "passes": ["dnnfusion", "ago"], /* in this order */
        "set": {"ago.threshold": 600, "dnnfusion.search": "0", "dnnfusion.rules.x": false},
        "input": {"x:0": "1x3", "y": "scalar"},
        "training": true, "export-flat": false,
        "learning-rate": 0.25,
        "verify": true,
        "threads": 3, "seed": 18446744073709551615,
        "test-data": "t0",
        "assert": ["a < 1"],
        "profile-db": "p.db",
        "baseline": "old.json",
        "tolerance": {"latency.*": "5%", "partition.subgraphs": 2}
    })");
    QCOMPARE(read.model.string(), std::string("m.onnx"));
    QCOMPARE(read.passes, (std::vector<std::string>{"dnnfusion", "ago"}));
    QCOMPARE(read.settings.size(), std::size_t(3));
    QCOMPARE(read.settings[0].value, std::string("600"));
    QCOMPARE(read.settings[2].value, std::string("false"));
    QCOMPARE(read.inputShapes.at("x:0"), (std::vector<std::int64_t>{1, 3}));
    QCOMPARE(read.inputShapes.at("y"), std::vector<std::int64_t>{});
    QCOMPARE(read.training->learningRate, 0.25);
    QVERIFY(!read.exportFlat);
    QCOMPARE(read.verify.value(), 1e-4);
    QCOMPARE(read.threads, 3u);
    QCOMPARE(read.seed, std::numeric_limits<std::uint64_t>::max());
    QCOMPARE(read.testData.front().string(), std::string("t0"));
    QCOMPARE(read.assertions, std::vector<std::string>{"a < 1"});
    QCOMPARE(read.profile->string(), std::string("p.db"));
    QCOMPARE(read.tolerances.size(), std::size_t(2));
    QVERIFY(read.tolerances[0].relative && !read.tolerances[1].relative);
}

void ConfigFileTest::theCommandLineWins()
{
    const std::string file =
        R"({"model": "m.onnx", "passes": ["ago"], "seed": 3, "threads": 2, "verify": 0.5,
            "assert": ["a < 1"], "training": true})";
    const BatchOptions read = options(file, {"other.onnx", "--passes", "dnnfusion", "--seed", "7",
                                             "--assert", "b < 1", "--training=false", "--verify"});
    QCOMPARE(read.model.string(), std::string("other.onnx"));
    QCOMPARE(read.passes, std::vector<std::string>{"dnnfusion"});
    QCOMPARE(read.seed, std::uint64_t(7));
    QCOMPARE(read.threads, 2u);
    QCOMPARE(read.assertions, std::vector<std::string>{"b < 1"});
    QCOMPARE(read.verify.value(), 1e-4);
    QVERIFY(!read.training);
}

void ConfigFileTest::settingsAndTolerancesAreJoined()
{
    const BatchOptions read =
        options(R"({"model": "m.onnx", "passes": ["ago"], "set": {"ago.threshold": 1, "ago.x": 2},
                    "baseline": "o.json", "tolerance": {"*": 1}})",
                {"--set", "ago.threshold=9", "--tolerance", "partition.*=2"});
    QCOMPARE(read.settings.size(), std::size_t(3));
    QCOMPARE(read.settings.back().value, std::string("9")); // the last one counts
    QCOMPARE(read.tolerances.size(), std::size_t(2));
    QCOMPARE(read.tolerances.back().pattern, std::string("partition.*"));
}

void ConfigFileTest::refused_data()
{
    QTest::addColumn<QString>("content");
    QTest::addColumn<QString>("named");
    const auto row = [](const char *name, const char *content, const char *named) {
        QTest::newRow(name) << QString(content) << QString(named);
    };
    row("unknown key", "{\"model\": \"m.onnx\",\n\n\"pases\": [\"ago\"]}",
        "line 3: unknown option \"pases\"");
    row("option of the window", "{\"theme\": \"dark\"}", "\"theme\"");
    row("itself", "{\"config\": \"x\"}", "\"config\"");
    row("batch", "{\"batch\": true}", "\"batch\"");
    row("no object", "[1]", "expected an object");
    row("text", "\"m.onnx\"", "expected an object");
    row("number", "3", "expected an object");
    row("empty", "", "line 1");
    row("syntax", "{\n\"seed\": 3,\n\"passes\": [\"ago\",,]}", "line 3");
    row("rest", "{} {}", "line 1");
    row("null", "{\n\"model\": null}", "line 2: a value cannot be null");
    row("twice", "{\"seed\": 1,\n\"seed\": 2}", "line 2: duplicate \"seed\", first in line 1");
    row("nested", "{\"passes\": [[\"ago\"]]}", "nest");
    row("nested object", "{\"set\": {\"ago\": {\"threshold\": 3}}}", "nest");
    row("flag with a text", "{\n\"training\": \"yes\"}",
        "line 2: \"training\" must be true or false");
    row("two for one", "{\"seed\": [1, 2]}", "\"seed\" takes only one value");
    row("names for none", "{\"passes\": {\"a\": 1}}", "\"passes\" does not take NAME=VALUE");
    row("bad value", "{\"model\": \"m.onnx\", \"threads\": \"many\"}", "--threads");
    row("bad tolerance",
        "{\"model\": \"m.onnx\", \"baseline\": \"o\", \"tolerance\": {\"a\": \"much\"}}",
        "--tolerance a=much");
}

void ConfigFileTest::refused()
{
    QFETCH(QString, content);
    QFETCH(QString, named);
    const auto command = parsed(content.toStdString());
    QVERIFY(!command);
    QCOMPARE(int(command.error().kind), int(Error::Kind::Usage));
    QVERIFY2(QString::fromStdString(command.error().text()).contains(named),
             command.error().text().c_str());
}

void ConfigFileTest::aFileThatIsNotThere()
{
    for (const char *file : {"/nowhere/ci.json", "/"}) {
        const auto command = parseCommandLine({"--batch", "--config", file});
        QVERIFY(!command);
        QCOMPARE(int(command.error().kind), int(Error::Kind::Missing));
        QVERIFY(command.error().text().find(file) != std::string::npos);
    }
}

void ConfigFileTest::needsBatch()
{
    const auto command = parseCommandLine({"--config", write("{}").string()});
    QVERIFY(!command);
    QVERIFY(command.error().text().find("--batch") != std::string::npos);
}

void ConfigFileTest::printedConfigSaysTheSame()
{
    const std::string file =
        R"({"model": "m.onnx", "passes": ["ago", "dnnfusion"], "set": {"ago.threshold": 600},
            "input": {"x": "1x3"}, "training": true, "verify": true, "seed": 5,
            "learning-rate": 0.10, "measure": 3})";
    const auto printed = [&](const std::string &content, std::vector<std::string> words) {
        words.push_back("--print-config");
        const auto command = parsed(content, words);
        return command ? std::get<Answer>(*command).text : command.error().text();
    };
    const std::string once = printed(file, {"--seed", "6", "--report", "r.json"});
    QVERIFY2(once.find("\"seed\": 6") != std::string::npos, once.c_str());
    QVERIFY2(once.find("\"report\": \"r.json\"") != std::string::npos, once.c_str());
    QVERIFY(once.find("print-config") == std::string::npos);
    QCOMPARE(printed(once, {}), once);
    const BatchOptions read = options(once);
    QCOMPARE(read.settings[0].value, std::string("600"));
    QCOMPARE(read.training->learningRate, 0.1);
    QCOMPARE(read.measure.value(), 3);
    QCOMPARE(read.verify.value(), 1e-4);
    // What is refused when it is run is refused here, too.
    QVERIFY(printed(file, {"--budget", "x"}).find("--budget") == 0);
}

GRAPHLOOM_TESTS(ConfigFileTest)

} // namespace graphloom::test::config_file_test

#include "config_file_test.moc"

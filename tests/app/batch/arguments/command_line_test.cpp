// SPDX-License-Identifier: Apache-2.0
#include "app/batch/arguments/command_line.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::command_line_test {

namespace {

std::vector<std::string> words(const QString &line)
{
    std::vector<std::string> result;
    for (const QString &word : line.split(' ', Qt::SkipEmptyParts))
        result.push_back(word.toStdString());
    return result;
}

} // namespace

class CommandLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingOpensTheWindow();
    void windowOptions();
    void theWindowOpensSeveralModels();
    void everyBatchOption();
    void defaultsOfBatch();
    void measuringIsOnThisMachineUnlessSaid();
    void theResultIsMeasuredOnSeveralTargets();
    void noBudgetIsABudget();
    void tuningInTheWindowHasABudget();
    void trainingOptions();
    void objectives_data();
    void objectives();
    void verifyTakesAnOptionalTolerance();
    void theWindowShowsATrainingGraph();
    void inputNamesMayHoldColons();
    void profileDatabase();
    void listAndAnswers();
    void refused_data();
    void refused();
};

void CommandLineTest::theWindowShowsATrainingGraph()
{
    const auto command =
        parseCommandLine(words("m.onnx --training --optimizer adam --batch-size 4"));
    QVERIFY(command.has_value());
    const auto &window = std::get<WindowOptions>(*command);
    QCOMPARE(window.batchSize, std::optional<std::int64_t>(4));
    QVERIFY(window.training);
    QCOMPARE(window.training->optimizer, TrainingOptions::Optimizer::Adam);
}

void CommandLineTest::nothingOpensTheWindow()
{
    const auto command = parseCommandLine({});
    QVERIFY(command.has_value());
    const auto *window = std::get_if<WindowOptions>(&*command);
    QVERIFY(window);
    QVERIFY(!window->document && !window->screenshot);
}

void CommandLineTest::windowOptions()
{
    const auto command = parseCommandLine(
        words("m.onnx --screenshot s.png --view partition --theme dark --input x:2x3"));
    QVERIFY(command.has_value());
    const auto *window = std::get_if<WindowOptions>(&*command);
    QVERIFY(window);
    QCOMPARE(window->document->string(), std::string("m.onnx"));
    QCOMPARE(window->screenshot->string(), std::string("s.png"));
    QCOMPARE(window->view, std::string("partition"));
    QCOMPARE(window->theme, std::string("dark"));
    QCOMPARE(window->inputShapes.at("x"), (std::vector<std::int64_t>{2, 3}));
}

void CommandLineTest::theWindowOpensSeveralModels()
{
    const auto command = parseCommandLine(words("a.onnx b.onnx c.gloom --theme dark"));
    QVERIFY(command.has_value());
    const auto &window = std::get<WindowOptions>(*command);
    QCOMPARE(window.document->string(), std::string("a.onnx"));
    QVERIFY(window.more == (std::vector<std::filesystem::path>{"b.onnx", "c.gloom"}));
}

void CommandLineTest::everyBatchOption()
{
    const auto command = parseCommandLine(words(
        "--batch m.onnx --input a:1x3x224x224 --input b:scalar --batch-size 8 --passes ago,xenos "
        "--set ago.threshold=600 --set xenos.a.b=c=d --budget 2000trials --threads 3 --seed 7 "
        "--export o.onnx --export-flat --report r.json --verify 1e-3 --test-data t0 --test-data t1 "
        "--target host:cpu --measure 50 --emit-kernels k --trace t.json "
        "--progress json --junit j.xml --assert partition.subgraphs<=82 --baseline old.json "
        "--checkpoint c --resume d --html r.html --sarif r.sarif --tolerance *=5% "
        "--tolerance partition.jain=0.1 --dry-run"));
    QVERIFY2(command.has_value(), command ? "" : command.error().text().c_str());
    const auto *batch = std::get_if<BatchOptions>(&*command);
    QVERIFY(batch);
    QCOMPARE(batch->model.string(), std::string("m.onnx"));
    QCOMPARE(batch->inputShapes.at("a"), (std::vector<std::int64_t>{1, 3, 224, 224}));
    QCOMPARE(batch->inputShapes.at("b"), std::vector<std::int64_t>{});
    QCOMPARE(batch->batchSize.value(), 8);
    QCOMPARE(batch->passes, (std::vector<std::string>{"ago", "xenos"}));
    QCOMPARE(batch->settings.size(), std::size_t(2));
    QCOMPARE(batch->settings[1].pass, std::string("xenos"));
    QCOMPARE(batch->settings[1].parameter, std::string("a.b"));
    QCOMPARE(batch->settings[1].value, std::string("c=d"));
    QVERIFY(batch->budget && batch->budget->unit == Budget::Unit::Trials);
    QCOMPARE(batch->budget->amount, 2000.0);
    QCOMPARE(batch->threads, 3u);
    QCOMPARE(batch->seed, std::uint64_t(7));
    QCOMPARE(batch->exportTo->string(), std::string("o.onnx"));
    QVERIFY(batch->exportFlat);
    QCOMPARE(batch->report->string(), std::string("r.json"));
    QCOMPARE(batch->target->target, std::string("host"));
    QCOMPARE(batch->target->device, std::string("cpu"));
    QCOMPARE(batch->measure.value(), 50);
    QCOMPARE(batch->emitKernels->string(), std::string("k"));
    QCOMPARE(batch->trace->string(), std::string("t.json"));
    QCOMPARE(batch->verify.value(), 1e-3);
    QCOMPARE(batch->testData.size(), std::size_t(2));
    QCOMPARE(batch->testData[1].string(), std::string("t1"));
    QCOMPARE(batch->progress.value(), ProgressStyle::Json);
    QCOMPARE(batch->junit->string(), std::string("j.xml"));
    QCOMPARE(batch->assertions, std::vector<std::string>{"partition.subgraphs<=82"});
    QCOMPARE(batch->baseline->string(), std::string("old.json"));
    QCOMPARE(batch->objective.checkpoint->string(), std::string("c"));
    QCOMPARE(batch->objective.resume->string(), std::string("d"));
    QCOMPARE(batch->html->string(), std::string("r.html"));
    QCOMPARE(batch->sarif->string(), std::string("r.sarif"));
    QCOMPARE(batch->tolerances.size(), std::size_t(2));
    QCOMPARE(batch->tolerances[1].pattern, std::string("partition.jain"));
    QVERIFY(batch->dryRun);
}

void CommandLineTest::defaultsOfBatch()
{
    const auto command = parseCommandLine(words("m.onnx --batch"));
    QVERIFY(command.has_value());
    const auto *batch = std::get_if<BatchOptions>(&*command);
    QVERIFY(batch);
    QVERIFY(batch->passes.empty() && batch->settings.empty() && batch->assertions.empty());
    QVERIFY(!batch->verify && !batch->exportTo && !batch->report && !batch->budget);
    QVERIFY(!batch->batchSize && !batch->progress);
    QCOMPARE(batch->seed, std::uint64_t(0));
    QCOMPARE(batch->threads, 0u);
}

void CommandLineTest::measuringIsOnThisMachineUnlessSaid()
{
    for (const char *line : {"--batch m.onnx --measure 5", "--batch m.onnx --emit-kernels d",
                             "--batch m.onnx --trace t.json"}) {
        const auto command = parseCommandLine(words(line));
        QVERIFY(command.has_value());
        QCOMPARE(std::get<BatchOptions>(*command).target->target, std::string());
    }
    QVERIFY(!std::get<BatchOptions>(*parseCommandLine(words("--batch m.onnx --verify"))).target);
}

void CommandLineTest::theResultIsMeasuredOnSeveralTargets()
{
    const auto command =
        parseCommandLine(words("--batch m.onnx --target host,arm64:rpi5@ssh:pi@board --measure 3"));
    QVERIFY(command.has_value());
    const auto &options = std::get<BatchOptions>(*command);
    QCOMPARE(options.target->target, std::string("host"));
    QCOMPARE(options.otherTargets.size(), std::size_t(1));
    QCOMPARE(options.otherTargets.front().target, std::string("arm64"));
    QCOMPARE(options.otherTargets.front().device, std::string("rpi5@ssh:pi@board"));
}

void CommandLineTest::noBudgetIsABudget()
{
    const auto command = parseCommandLine(words("--batch m.onnx --target host --budget 0"));
    QVERIFY(command.has_value());
    QCOMPARE(std::get<BatchOptions>(*command).budget->amount, 0.0);
}

void CommandLineTest::tuningInTheWindowHasABudget()
{
    const auto command = parseCommandLine(words("m.onnx --view tuning --budget 90s"));
    QVERIFY(command.has_value());
    QCOMPARE(std::get<WindowOptions>(*command).budget->amount, 90.0);
    QVERIFY(std::get<WindowOptions>(*parseCommandLine(words("m.onnx --view pareto --budget 9s")))
                .budget);
    QVERIFY(!std::get<WindowOptions>(*parseCommandLine(words("m.onnx --view tuning"))).budget);
}

void CommandLineTest::trainingOptions()
{
    const auto optionsOf = [](const char *line) {
        return std::get<BatchOptions>(*parseCommandLine(words(line))).training;
    };
    QVERIFY(!optionsOf("--batch m.onnx"));
    const auto initial = optionsOf("--batch m.onnx --training");
    QVERIFY(initial);
    QVERIFY(initial->batchNorm == TrainingOptions::BatchNorm::Batch);
    QVERIFY(initial->optimizer == TrainingOptions::Optimizer::Sgd);
    QVERIFY(initial->loss == TrainingOptions::Loss::Automatic);
    QCOMPARE(initial->learningRate, 0.001);
    const auto all = optionsOf("--batch m.onnx --training --batchnorm frozen --optimizer adam "
                               "--loss squared-error --learning-rate 0.5");
    QVERIFY(all->batchNorm == TrainingOptions::BatchNorm::Frozen);
    QVERIFY(all->optimizer == TrainingOptions::Optimizer::Adam);
    QVERIFY(all->loss == TrainingOptions::Loss::SquaredError);
    QCOMPARE(all->learningRate, 0.5);
}

void CommandLineTest::objectives_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("mode");
    QTest::addColumn<double>("bytes"); // of an original of 1000 bytes; 0: no limit
    QTest::addColumn<double>("latency");
    const auto row = [](const char *arguments, Objective::Mode mode, double bytes, double latency) {
        QTest::newRow(arguments) << QString(arguments) << int(mode) << bytes << latency;
    };
    using enum Objective::Mode;
    row("", Memory, 0, 0);
    row("--objective latency", Latency, 0, 0);
    row("--objective pareto", Pareto, 0, 0);
    row("--memory-limit 0.6", Latency, 600, 0);
    row("--memory-limit 1", Latency, 1000, 0);
    row("--memory-limit 512MiB", Latency, 512.0 * 1024 * 1024, 0);
    row("--memory-limit 1.5KiB", Latency, 1536, 0);
    row("--memory-limit 2GiB --objective memory", Memory, 2147483648.0, 0);
    row("--latency-limit 1.10", Memory, 0, 1.1);
    row("--latency-limit 1.10 --objective pareto", Pareto, 0, 1.1);
    row("--latency-limit 2 --memory-limit 0.5", Latency, 500, 2);
}

void CommandLineTest::objectives()
{
    QFETCH(QString, arguments);
    QFETCH(int, mode);
    QFETCH(double, bytes);
    QFETCH(double, latency);
    const auto command = parseCommandLine(words("--batch m.onnx " + arguments));
    QVERIFY2(command.has_value(), command ? "" : command.error().text().c_str());
    const ObjectiveOptions &options = std::get<BatchOptions>(*command).objective;
    QCOMPARE(int(options.objective.mode), mode);
    const auto &limit = options.objective.memoryLimit;
    QCOMPARE(limit ? double(bytesOf(*limit, 1000)) : 0.0, bytes);
    QCOMPARE(options.objective.latencyLimit.value_or(0), latency);
    QCOMPARE(options.option.empty(), arguments.isEmpty());
}

void CommandLineTest::verifyTakesAnOptionalTolerance()
{
    for (const QString &line :
         {QString("--batch m.onnx --verify"), QString("--batch m.onnx --verify --report r.json")}) {
        const auto command = parseCommandLine(words(line));
        QVERIFY(command.has_value());
        QCOMPARE(std::get<BatchOptions>(*command).verify.value(), 1e-4);
    }
}

void CommandLineTest::inputNamesMayHoldColons()
{
    const auto command = parseCommandLine(words("--batch m.onnx --input serving:input:0:1x2"));
    QVERIFY(command.has_value());
    QCOMPARE(std::get<BatchOptions>(*command).inputShapes.at("serving:input:0"),
             (std::vector<std::int64_t>{1, 2}));
}

void CommandLineTest::profileDatabase()
{
    const auto import =
        parseCommandLine(words("--profile-db p.db --profile import a.jsonl b.jsonl"));
    QVERIFY2(import.has_value(), import ? "" : import.error().text().c_str());
    const auto &options = std::get<ProfileOptions>(*import);
    QCOMPARE(int(options.action), int(ProfileOptions::Action::Import));
    QCOMPARE(options.files, (std::vector<std::filesystem::path>{"a.jsonl", "b.jsonl"}));
    QCOMPARE(options.database->string(), std::string("p.db"));
    const auto info = parseCommandLine(words("--profile info"));
    QVERIFY(info.has_value());
    QCOMPARE(int(std::get<ProfileOptions>(*info).action), int(ProfileOptions::Action::Info));
    QVERIFY(!std::get<ProfileOptions>(*info).database);
}

void CommandLineTest::listAndAnswers()
{
    const auto list = parseCommandLine(words("--list passes --json"));
    QVERIFY(list.has_value());
    QCOMPARE(std::get<ListOptions>(*list).what, std::string("passes"));
    QVERIFY(std::get<ListOptions>(*list).json);
    const auto help = parseCommandLine(words("--help"));
    QVERIFY(help.has_value());
    for (const char *option : {"--batch", "--verify", "--list", "--screenshot", "Exit codes"})
        QVERIFY(std::get<Answer>(*help).text.find(option) != std::string::npos);
    for (const QString &line : QString::fromStdString(std::get<Answer>(*help).text).split('\n'))
        QVERIFY2(line.size() <= 100, qPrintable(line));
    const auto version = parseCommandLine(words("--version"));
    QVERIFY(version.has_value());
    QCOMPARE(std::get<Answer>(*version).text, std::string("graphloom " GRAPHLOOM_VERSION "\n"));
}

void CommandLineTest::refused_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("named"); // what the message must name
    const auto row = [](const char *line, const char *named) {
        QTest::newRow(line) << QString(line) << QString(named);
    };
    row("--batch m.onnx --frobnicate", "--frobnicate");
    row("--batch", "model");
    row("--batch a.onnx b.onnx", "b.onnx");
    row("a.onnx b.onnx --screenshot s.png", "b.onnx");
    row("--batch m.onnx --input x", "--input x");
    row("--batch m.onnx --input x:1xqx3", "\"q\"");
    row("--batch m.onnx --input x:1x-3", "\"-3\"");
    row("--batch m.onnx --input x:", "\"\"");
    row("--batch m.onnx --input :3", "name");
    row("--batch m.onnx --input x:99999999999999999999", "9999");
    row("--batch m.onnx --input x:1 --input x:2", "twice");
    row("--batch m.onnx --batch-size 0", "--batch-size");
    row("--batch m.onnx --batch-size many", "--batch-size");
    row("--batch m.onnx --batchnorm frozen", "--training");
    row("--batch m.onnx --optimizer adam", "--training");
    row("--batch m.onnx --loss squared-error", "--training");
    row("--batch m.onnx --learning-rate 0.1", "--training");
    row("--batch m.onnx --training --batchnorm thawed", "--batchnorm");
    row("--batch m.onnx --training --optimizer magic", "--optimizer");
    row("--batch m.onnx --training --loss mse", "squared-error");
    row("--batch m.onnx --training --learning-rate 0", "from 1e-30");
    row("--batch m.onnx --training --learning-rate nan", "from 1e-30");
    row("m.onnx --optimizer adam", "--training");
    row("--batch m.onnx --objective speed", "--objective");
    row("--batch m.onnx --memory-limit 1.5", "512MiB");
    row("--batch m.onnx --memory-limit 0", "512MiB");
    row("--batch m.onnx --memory-limit 12MB", "512MiB");
    row("--batch m.onnx --memory-limit -3MiB", "512MiB");
    row("--batch m.onnx --latency-limit x", "1.10");
    row("--batch m.onnx --latency-limit -1", "1.10");
    row("--batch m.onnx --checkpoint=", "--checkpoint");
    row("--batch m.onnx --resume=", "--resume");
    row("m.onnx --objective memory", "--batch");
    row("--batch m.onnx --set threshold=3", "PASS.PARAMETER=VALUE");
    row("--batch m.onnx --set ago.=3", "PASS.PARAMETER=VALUE");
    row("--batch m.onnx --set ago.threshold", "PASS.PARAMETER=VALUE");
    row("--batch m.onnx --passes ago,,x", "commas");
    row("--batch m.onnx --budget 3", "180s");
    row("m.onnx --view kernels --budget 3s", "--view tuning");
    row("m.onnx --view tuning --budget 0", "greater than 0");
    row("m.onnx --view memory --budget 0", "greater than 0");
    row("--batch m.onnx --target host:", "NAME:DEVICE");
    row("--batch m.onnx --target :cpu", "NAME:DEVICE");
    row("--batch m.onnx --measure 3 --target host,,opencl", "commas");
    row("--batch m.onnx --target host,opencl:0", "--measure");
    row("--batch m.onnx --measure -1", "--measure");
    row("--batch m.onnx --emit-kernels ", "--emit-kernels");
    row("m.onnx --measure 5", "--batch");
    row("--batch m.onnx --budget -3s", "180s");
    row("--batch m.onnx --budget nans", "180s");
    row("--batch m.onnx --threads 0", "--threads");
    row("--batch m.onnx --seed x", "--seed");
    row("--batch m.onnx --export", "--export");
    row("--batch m.onnx --export-flat", "--export");
    row("--batch m.onnx --verify nan", "--verify");
    row("--batch m.onnx --verify -1", "--verify");
    row("--batch --verify m.onnx", "--verify");
    row("--batch m.onnx --progress loud", "--progress");
    row("--batch m.onnx --theme dark", "--theme");
    row("--batch m.onnx --screenshot x.png", "--screenshot");
    row("--batch m.onnx --list ops", "--list");
    row("m.onnx --passes ago", "--batch");
    row("m.onnx --html o.html", "--batch");
    row("m.onnx --dry-run", "--batch");
    row("m.onnx --print-config", "--batch");
    row("--batch m.onnx --html=", "--html");
    row("--batch m.onnx --sarif=", "--sarif");
    row("--batch m.onnx --config=", "--config");
    row("--batch m.onnx --tolerance latency=5%", "--baseline");
    row("--batch m.onnx --baseline o --tolerance latency", "METRIC=5%");
    row("--batch m.onnx --print-config --budget x", "--budget");
    row("m.onnx --theme pink", "--theme");
    row("--screenshot x.png", "--screenshot");
    row("--list", "--list");
    row("--list everything", "--list");
    row("--json", "--list");
    row("--profile", "--profile");
    row("--profile forget", "--profile forget");
    row("--profile info a", "--profile info");
    row("--profile export", "--profile export");
    row("--profile export a b", "--profile export");
    row("--profile import", "--profile import");
    row("--profile-db p.db", "--profile");
    row("--profile-db= --profile info", "--profile-db");
    row("m.onnx --profile info", "only be combined");
    row("--batch m.onnx --profile info", "only be combined");
    row("--batch session.gloom", "session");
}

void CommandLineTest::refused()
{
    QFETCH(QString, line);
    QFETCH(QString, named);
    const auto command = parseCommandLine(words(line));
    QVERIFY(!command);
    QCOMPARE(int(command.error().kind), int(Error::Kind::Usage));
    QVERIFY2(QString::fromStdString(command.error().text()).contains(named),
             command.error().text().c_str());
}

GRAPHLOOM_TESTS(CommandLineTest)

} // namespace graphloom::test::command_line_test

#include "command_line_test.moc"

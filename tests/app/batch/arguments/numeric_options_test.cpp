// SPDX-License-Identifier: Apache-2.0
#include "app/batch/arguments/command_line.h"
#include "app/batch/arguments/raw_arguments.h"
#include "tests/support/test_program.h"

#include <CLI/CLI.hpp>
#include <QTest>
#include <algorithm>

namespace graphloom::test::numeric_options_test {

namespace {

using Words = std::vector<std::string>;

/// An option that takes numbers: how a command line with it goes on, what it takes, and what says
/// in a refusal what is allowed. `around` has a % where the number stands.
struct NumericOption {
    const char *name, *around, *good, *allowed;
    Words others;      // that it needs
    bool zero = false; // is zero one of its numbers?
};

const std::vector<NumericOption> numeric = {
    {"--threads", "%", "4", "from 1 to 1024", {}},
    {"--seed", "%", "18446744073709551615", "from 0 to 18446744073709551615", {}, true},
    {"--batch-size", "%", "8", "from 1 to 1099511627776", {}},
    {"--measure", "%", "20", "from 1 to 1000000", {}},
    {"--export-scale", "%", "2.5", "from 0.1 to 10", {"--export-view", "model=m.svg"}},
    {"--learning-rate", "%", "0.01", "from 1e-30 to 1e+30", {"--training"}},
    {"--verify", "%", "1e-3", "at least 0", {}, true},
    {"--latency-limit", "%", "1.1", "greater than 0", {}},
    {"--memory-limit", "%", "0.6", "up to 1", {}},
    {"--memory-limit", "%MiB", "512", "512MiB", {}},
    {"--budget", "%s", "180", "greater than 0 and up to 2592000s", {}},
    {"--budget", "%trials", "2000", "up to 1000000000", {}},
    {"--tolerance", "latency.*=%", "3", "at least 0", {"--baseline", "o.json"}, true},
    {"--tolerance", "latency.*=%%", "3", "at least 0", {"--baseline", "o.json"}, true},
    {"--input", "x:1x%", "3", "NAME:1x3x224x224", {}},
};

/// Those that take no number, or only inside of something that is checked elsewhere (--set by the
/// pass' parameter, --assert by its condition).
const char *const others[] = {
    "--help",     "--version",    "MODEL",          "MORE",          "--view",
    "--theme",    "--screenshot", "--export-view",  "--list",        "--json",
    "--profile",  "--profile-db", "--batch",        "--config",      "--print-config",
    "--dry-run",  "--progress",   "--training",     "--batchnorm",   "--optimizer",
    "--loss",     "--passes",     "--set",          "--objective",   "--checkpoint",
    "--resume",   "--device",     "--target",       "--test-data",   "--assert",
    "--baseline", "--compare",    "--export",       "--export-flat", "--emit-kernels",
    "--trace",    "--save",       "--report",       "--html",        "--junit",
    "--sarif",    "--times",      "--emit-package", "--partial"};

Words lineWith(const NumericOption &option, const std::string &number)
{
    std::string value = option.around;
    value.replace(value.find('%'), 1, number);
    const bool ofWindow = std::string_view(option.name) == "--export-scale";
    Words line = ofWindow ? Words{"m.onnx"} : Words{"--batch", "m.onnx"};
    line.insert(line.end(), option.others.begin(), option.others.end());
    line.push_back(option.name + ("=" + value));
    return line;
}

} // namespace

/// Whatever is said in place of a number, it is refused with the option, the value and what is
/// allowed.
class NumericOptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOptionIsKnownHere();
    void goodNumbersAreTaken();
    void badNumbersAreRefused_data();
    void badNumbersAreRefused();
};

void NumericOptionsTest::everyOptionIsKnownHere()
{
    CLI::App app("", "graphloom");
    RawArguments raw;
    addArguments(app, raw);
    QVERIFY(app.get_options().size() > numeric.size());
    for (const CLI::Option *option : app.get_options()) {
        const std::string name = option->get_name();
        const bool isNumeric =
            std::ranges::any_of(numeric, [&](const auto &known) { return known.name == name; });
        const bool isOther =
            std::ranges::any_of(others, [&](const char *known) { return known == name; });
        QVERIFY2(isNumeric != isOther, (name + " is in neither list, or in both").c_str());
    }
}

void NumericOptionsTest::goodNumbersAreTaken()
{
    for (const NumericOption &option : numeric) {
        const auto command = parseCommandLine(lineWith(option, option.good));
        QVERIFY2(command, command ? "" : command.error().text().c_str());
        QCOMPARE(parseCommandLine(lineWith(option, "0")).has_value(), option.zero);
    }
}

void NumericOptionsTest::badNumbersAreRefused_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<QString>("number");
    for (std::size_t i = 0; i < numeric.size(); ++i)
        for (const char *number :
             {"-1", "-0.5", "nan", "-nan", "inf", "-inf", "1e999", "-1e999",
              "9999999999999999999999999999999999999999", "1e", "0x", "1,5", "ten"}) {
            const bool huge = std::string_view(number).starts_with("999");
            // There a large number means that all are good enough.
            if (huge && std::string_view(numeric[i].allowed).find("to ") == std::string_view::npos)
                continue;
            QTest::addRow("%s %s %s", numeric[i].name, numeric[i].around, number)
                << int(i) << QString(number);
        }
}

void NumericOptionsTest::badNumbersAreRefused()
{
    QFETCH(int, index);
    QFETCH(QString, number);
    const NumericOption &option = numeric[std::size_t(index)];
    const auto command = parseCommandLine(lineWith(option, number.toStdString()));
    QVERIFY(!command);
    QCOMPARE(int(command.error().kind), int(Error::Kind::Usage));
    const QString text = QString::fromStdString(command.error().text());
    QVERIFY2(text.contains(option.name), qPrintable(text));
    QVERIFY2(text.contains(number), qPrintable(text));
    QVERIFY2(text.contains(option.allowed), qPrintable(text));
}

GRAPHLOOM_TESTS(NumericOptionsTest)

} // namespace graphloom::test::numeric_options_test

#include "numeric_options_test.moc"

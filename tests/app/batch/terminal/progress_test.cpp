// SPDX-License-Identifier: Apache-2.0
#include "app/batch/terminal/progress.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace graphloom::test::progress_test {

namespace {

/// What is written while something goes on.
template <class Work> std::string writtenOf(ProgressStyle style, bool terminal, Work work)
{
    std::ostringstream stream;
    Progress progress(style, stream, terminal);
    work(progress);
    return stream.str();
}

/// Something goes on for so long that it is worth telling.
void pass(Progress &progress, const std::string &stage, double fraction, const std::string &what)
{
    progress.begin(stage);
    QTest::qWait(110);
    progress.update(fraction, what);
}

} // namespace

class ProgressTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void barIsRedrawnInPlace();
    void barElsewhereIsALineForEachStage();
    void jsonSurvivesAnyBytes();
    void everyLineOfJsonIsAnEvent();
    void otherStylesHaveNoEvents();
    void noneIsSilentButForWhatIsSaid();
    void updatesAreFew();
    void mayBeCalledFromThreads();
};

void ProgressTest::barIsRedrawnInPlace()
{
    const QString text =
        QString::fromStdString(writtenOf(ProgressStyle::Bar, true, [](Progress &progress) {
            pass(progress, "ago", 0.5, "merging");
            progress.say("a warning");
        }));
    QVERIFY(text.contains("[############            ] 50 % ago: merging"));
    QVERIFY(text.endsWith("\r\033[Ka warning\n"));
    QCOMPARE(text.count('\n'), 1);
}

void ProgressTest::barElsewhereIsALineForEachStage()
{
    const std::string text = writtenOf(ProgressStyle::Bar, false, [](Progress &progress) {
        pass(progress, "open", 0.5, "reading");
        progress.begin("ago");
        progress.end();
    });
    QCOMPARE(text, std::string("graphloom: open\ngraphloom: ago\n"));
}

void ProgressTest::jsonSurvivesAnyBytes()
{
    std::istringstream lines(writtenOf(ProgressStyle::Json, true, [](Progress &progress) {
        pass(progress, "ago", 7, "a \"node\"\n\xff");
    }));
    std::string line;
    std::vector<nlohmann::json> parsed;
    while (std::getline(lines, line))
        parsed.push_back(nlohmann::json::parse(line, nullptr, false));
    QCOMPARE(parsed.size(), std::size_t(2));
    QCOMPARE(parsed[1]["stage"].get<std::string>(), std::string("ago"));
    QCOMPARE(parsed[1]["fraction"].get<double>(), 1.0); // kept within 0 to 1
    QVERIFY(parsed[1]["text"].get<std::string>().starts_with("a \"node\"\n"));
}

void ProgressTest::everyLineOfJsonIsAnEvent()
{
    std::istringstream lines(writtenOf(ProgressStyle::Json, true, [](Progress &progress) {
        progress.tell("start", {{"model", "m\xff"}});
        pass(progress, "ago", 0.5, "merging");
        progress.say("a warning\nin two lines");
        progress.say("an error", "error");
        progress.tell("end", {{"code", 0}});
    }));
    QStringList events;
    double last = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto event = nlohmann::json::parse(line, nullptr, false);
        QVERIFY2(event.is_object(), line.c_str());
        events << QString::fromStdString(event["event"].get<std::string>());
        QVERIFY(event["time"].get<double>() >= last);
        last = event["time"].get<double>();
    }
    QCOMPARE(events, (QStringList{"start", "stage", "progress", "warning", "warning", "end"}));
    QVERIFY(last >= 0.1);
}

void ProgressTest::otherStylesHaveNoEvents()
{
    for (const ProgressStyle style : {ProgressStyle::Bar, ProgressStyle::None})
        QCOMPARE(writtenOf(style, false,
                           [](Progress &progress) {
                               progress.tell("end", {{"code", 0}});
                           }),
                 std::string());
}

void ProgressTest::noneIsSilentButForWhatIsSaid()
{
    const std::string text = writtenOf(ProgressStyle::None, true, [](Progress &progress) {
        pass(progress, "open", 0.5, "reading");
        progress.say("an error");
    });
    QCOMPARE(text, std::string("an error\n"));
}

void ProgressTest::updatesAreFew()
{
    const std::string text = writtenOf(ProgressStyle::Json, true, [](Progress &progress) {
        progress.begin("ago");
        for (int i = 0; i < 100'000; ++i)
            progress.update(i / 1e5, "step");
    });
    QVERIFY(std::count(text.begin(), text.end(), '\n') < 100);
}

void ProgressTest::mayBeCalledFromThreads()
{
    std::istringstream lines(writtenOf(ProgressStyle::Json, true, [](Progress &progress) {
        progress.begin("ago");
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&progress] {
                const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(250);
                while (std::chrono::steady_clock::now() < end)
                    progress.update(0.5, "step");
            });
    }));
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
        QVERIFY(nlohmann::json::accept(line));
        ++count;
    }
    QVERIFY(count >= 2);
}

GRAPHLOOM_TESTS(ProgressTest)

} // namespace graphloom::test::progress_test

#include "progress_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/worker/pass_process.h"

#include "engine/onnx/import.h"
#include "engine/pass/plugins.h"
#include "tests/support/kept_plans.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <atomic>
#include <thread>

namespace graphloom::test::pass_process_test {

namespace {

PassJob jobOf(const std::filesystem::path &library)
{
    const PassPlugin plugin = loadPassPlugin(library);
    if (!plugin.pass)
        qFatal("%s", plugin.problem.c_str());
    PassJob job;
    job.library = library;
    job.pass = plugin.pass;
    job.version = "test";
    return job;
}

PassJob faulty()
{
    return jobOf(std::filesystem::path(GRAPHLOOM_FAULTY_PLUGINS) / "faulty_pass.so");
}

Context contextOf(const PassJob &job, std::string_view how = {})
{
    Context context;
    context.settings = Settings(job.pass->parameters(), job.pass->rules());
    if (!how.empty())
        if (auto set = context.settings.set("how", how); !set)
            qFatal("%s", set.error().text().c_str());
    return context;
}

Plan somePlan()
{
    return *initialPlan(test::modelOf(test::transformer(40)));
}

Plan withoutTimes(Plan plan)
{
    for (PassRecord &record : plan.history)
        record.seconds = 0;
    plan.search = nullptr; // its history has times
    return plan;
}

QString textOf(const Result<Plan> &result)
{
    return result ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class PassProcessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatThePassGives()
    {
        const auto plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
        const auto found = std::ranges::find_if(plugins, [](const PassPlugin &plugin) {
            return plugin.pass && plugin.pass->name() == "dnnfusion";
        });
        QVERIFY(found != plugins.end());
        const PassJob job = jobOf(found->file);
        auto model =
            importOnnx(std::filesystem::path(GRAPHLOOM_SAMPLES) / "shufflenet_v2_x1_0_224.onnx");
        QVERIFY(model);
        const Plan plan = *initialPlan(std::make_shared<const Model>(*std::move(model)));
        const auto apart = runPassApart(job, plan, contextOf(job));
        QVERIFY2(apart, qPrintable(textOf(apart)));
        const auto here = runPass(*job.pass, plan, contextOf(job));
        QVERIFY(here);
        QCOMPARE(test::keptBytes(withoutTimes(*apart)), test::keptBytes(withoutTimes(*here)));
        QCOMPARE(apart->model, plan.model); // what was not changed is the same object
    }

    void plansOnTheWayComeThrough()
    {
        const PassJob job = faulty();
        Context context = contextOf(job, "none");
        std::vector<std::shared_ptr<const Plan>> seen;
        context.publish = [&](auto plan) { seen.push_back(std::move(plan)); };
        const Plan plan = somePlan();
        const auto result = runPassApart(job, plan, context);
        QVERIFY2(result, qPrintable(textOf(result)));
        QCOMPARE(seen.size(), std::size_t{1});
        QCOMPARE(seen.front()->partition->subgraphs.size(), std::size_t{2});
        QCOMPARE(seen.front()->model, plan.model);
        QCOMPARE(result->partition->subgraphs.size(), std::size_t{3});
    }

    void whatGoesWrongIsAnError_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("said");
        QTest::newRow("throw") << "throw"
                               << "the pass failed: nothing works";
        QTest::newRow("crash") << "crash"
                               << "its process crashed with SIGSEGV";
        QTest::newRow("abort") << "abort"
                               << "its process crashed with SIGABRT";
        QTest::newRow("exit") << "exit"
                              << "its process exited with code 7";
    }
    void whatGoesWrongIsAnError()
    {
        QFETCH(QString, how);
        QFETCH(QString, said);
        const PassJob job = faulty();
        Context context = contextOf(job, how.toStdString());
        std::shared_ptr<const Plan> last;
        context.publish = [&](auto plan) { last = std::move(plan); };
        const auto result = runPassApart(job, somePlan(), context);
        QVERIFY(!result);
        QVERIFY2(textOf(result).contains(said), qPrintable(textOf(result)));
        QCOMPARE(result.error().kind, Error::Kind::Fault);
        QVERIFY(last); // what it had published is not lost
    }

    void whatItPrintsDisturbsNobody()
    {
        const PassJob job = faulty();
        const auto result = runPassApart(job, somePlan(), contextOf(job, "talk"));
        QVERIFY2(result, qPrintable(textOf(result)));
    }

    void aStoppedPassGivesItsBest()
    {
        const PassJob job = faulty();
        Context context = contextOf(job, "wait");
        std::stop_source stop;
        context.stop = stop.get_token();
        context.progress = [&](double, std::string_view) { stop.request_stop(); };
        const auto result = runPassApart(job, somePlan(), context);
        QVERIFY2(result, qPrintable(textOf(result)));
        QCOMPARE(result->partition->subgraphs.size(), std::size_t{3});
    }

    void oneThatDoesNotStopCanBeEnded()
    {
        const PassJob job = faulty();
        Context context = contextOf(job, "deaf");
        context.progress = [&](double, std::string_view) { job.control->abandon(); };
        const auto result = runPassApart(job, somePlan(), context);
        QVERIFY(!result);
        QVERIFY2(textOf(result).contains("its result is lost"), qPrintable(textOf(result)));
    }

    void aHeldPassStandsStill()
    {
        const PassJob job = faulty();
        Context context = contextOf(job, "wait");
        std::stop_source stop;
        context.stop = stop.get_token();
        std::atomic<std::uint64_t> steps = 0;
        context.observe = [&](const SearchRecord &record) { steps = record.generated; };
        std::optional<Result<Plan>> result;
        std::jthread runner([&] { result = runPassApart(job, somePlan(), context); });
        QTRY_VERIFY(steps > 5);
        job.control->hold(true);
        QTest::qWait(700); // until it certainly stands still
        const std::uint64_t held = steps;
        QTest::qWait(700);
        QCOMPARE(steps.load(), held);
        job.control->hold(false);
        QTRY_VERIFY(steps > held);
        stop.request_stop();
        runner.join();
        QVERIFY2(*result, qPrintable(textOf(*result)));
        // Its clock stood still, too.
        QVERIFY((*result)->history.back().seconds < 1.4 + 0.01 * double(steps));
        QVERIFY(std::get<double>((*result)->history.back().summary.front().value) < 10);
    }

    void aHeldPassCanBeStopped()
    {
        const PassJob job = faulty();
        Context context = contextOf(job, "wait");
        std::stop_source stop;
        context.stop = stop.get_token();
        std::atomic<bool> runs = false;
        context.progress = [&](double, std::string_view) { runs = true; };
        std::optional<Result<Plan>> result;
        std::jthread runner([&] { result = runPassApart(job, somePlan(), context); });
        QTRY_VERIFY(runs);
        job.control->hold(true);
        QTest::qWait(700);
        stop.request_stop();
        runner.join();
        QVERIFY2(*result, qPrintable(textOf(*result)));
    }

    void aMissingLibraryIsSaid()
    {
        PassJob job = faulty();
        job.library = "/nowhere/pass.so";
        const auto result = runPassApart(job, somePlan(), contextOf(job));
        QVERIFY(!result);
        QCOMPARE(result.error().kind, Error::Kind::Missing);
        QVERIFY2(textOf(result).contains("/nowhere/pass.so"), qPrintable(textOf(result)));
    }

    void withoutALibraryItRunsHere()
    {
        PassJob job = faulty();
        job.library.clear();
        const auto result = runPassApart(job, somePlan(), contextOf(job, "none"));
        QVERIFY2(result, qPrintable(textOf(result)));
        QCOMPARE(result->partition->subgraphs.size(), std::size_t{3});
    }
};

GRAPHLOOM_TESTS(PassProcessTest)

} // namespace graphloom::test::pass_process_test

#include "pass_process_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training_plan.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/interpreter/interpreter.h"
#include "engine/interpreter/random.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "engine/pass/pass.h"
#include "engine/pass/plugins.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <cstdlib>
#include <new>

namespace graphloom::test {

// Work is counted in allocations: passes are full of them, whatever the machine and its load.
static std::atomic<std::uint64_t> allocations{0};
static std::atomic<std::uint64_t> stopAt{0}; // 0: never
static std::atomic<std::stop_source *> armed{nullptr};

static void *counted(std::size_t size)
{
    if (allocations.fetch_add(1, std::memory_order_relaxed) + 1 == stopAt)
        if (std::stop_source *source = armed)
            source->request_stop();
    void *memory = std::malloc(size == 0 ? 1 : size);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

} // namespace graphloom::test

// Those of the whole test program, and of the libraries that it loads.
void *operator new(std::size_t size)
{
    return graphloom::test::counted(size);
}
void *operator new[](std::size_t size)
{
    return graphloom::test::counted(size);
}
// Without this a sanitizer's would serve std::stable_sort, whose memory comes to delete below.
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    try {
        return graphloom::test::counted(size);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace graphloom::test::stop_distance_test {

namespace {

/// What a run comes to: all its work, and the work behind the request to stop.
struct Work {
    std::uint64_t all = 0, behindStop = 0;
    bool isDone = false; // it gave a result
};

/// Runs something and asks it to stop at so many allocations; 0: never.
Work workOf(const std::function<bool(std::stop_token)> &run, std::uint64_t at)
{
    std::stop_source source;
    armed = &source;
    const std::uint64_t before = allocations;
    stopAt = at == 0 ? 0 : before + at;
    const bool isDone = run(source.get_token());
    const std::uint64_t all = allocations - before;
    stopAt = 0;
    armed = nullptr;
    return {all, at < all ? all - at : 0, isDone};
}

/// The same for a pass.
Work workOf(const Pass &pass, const Plan &plan, std::uint64_t at)
{
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    const std::map<std::string_view, double> budgets = {
        {"seconds", 0}, {"states", 40}, {"search", 10}};
    for (const Parameter &parameter : pass.parameters())
        if (const auto budget = budgets.find(parameter.name); budget != budgets.end())
            if (auto set = context.settings.set(parameter.name, budget->second); !set)
                qFatal("%s", set.error().text().c_str());
    context.threads = 1;
    const auto run = [&](std::stop_token stop) {
        context.stop = std::move(stop);
        return runPass(pass, plan, context).has_value();
    };
    return workOf(run, at);
}

std::shared_ptr<const Pass> passOf(const QString &name)
{
    static const auto plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
    const auto found = std::ranges::find_if(plugins, [&](const PassPlugin &plugin) {
        return plugin.pass && QString::fromUtf8(plugin.pass->name().data()) == name;
    });
    return found == plugins.end() ? nullptr : found->pass;
}

constexpr std::size_t manyNodes = 3000;

/// A large model with a plan of its blocks, and its file, which holds the plan; made once.
struct Large {
    QTemporaryDir folder;
    std::filesystem::path file;
    Plan plan;
    std::unique_ptr<const FusionFacts> facts;
};
const Large &large()
{
    static const auto made = [] {
        auto result = std::make_unique<Large>();
        result->file = result->folder.filePath("large.onnx").toStdString();
        auto plan = initialPlan(test::modelOf(test::resNetLike(manyNodes)));
        const auto pass = passOf("dnnfusion");
        if (!plan || !pass)
            qFatal("there is no plan of a large graph");
        Context context;
        context.settings = Settings(pass->parameters(), pass->rules());
        if (!context.settings.set("rewrite", "off"))
            qFatal("the pass has no such parameter");
        plan = runPass(*pass, *std::move(plan), context);
        auto facts = FusionFacts::of(plan->graph, opsetsOf(*plan->model), {}, devices().front());
        if (!facts || !exportOnnx(*plan, result->file))
            qFatal("the large graph cannot be written");
        result->plan = *std::move(plan);
        result->facts = std::move(*facts);
        return result;
    }();
    return *made;
}

} // namespace

/// How much work passes do once they are asked to stop, wherever they are then.
class StopDistanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesEndSoon_data();
    void passesEndSoon();
    void passesOfLargeGraphsEndSoon_data();
    void passesOfLargeGraphsEndSoon();
    void whatGoesOnAroundThemEndsSoon_data();
    void whatGoesOnAroundThemEndsSoon();
    void layoutsAskAllTheTime();
};

void StopDistanceTest::passesEndSoon_data()
{
    QTest::addColumn<QString>("pass");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<quint64>("allowed"); // a third more than what is needed to make a plan
    for (const auto &[pass, allowed] :
         {std::pair("ago", 60'000), {"dnnfusion", 60'000}, {"magis", 100'000}})
        for (const char *graph : {"transformer", "residual", "u-net"})
            QTest::addRow("%s, %s", pass, graph) << pass << graph << quint64(allowed);
}

void StopDistanceTest::passesEndSoon()
{
    QFETCH(QString, pass);
    QFETCH(QString, graph);
    QFETCH(quint64, allowed);
    const auto found = passOf(pass);
    QVERIFY(found);
    constexpr std::size_t nodes = 200;
    const auto plan = initialPlan(test::modelOf(graph == "transformer" ? test::transformer(nodes)
                                                : graph == "residual"  ? test::resNetLike(nodes)
                                                                       : test::unet(nodes)));
    QVERIFY(plan);
    const Work whole = workOf(*found, *plan, 0);
    QVERIFY(whole.isDone);
    constexpr std::uint64_t samples = 4;
    std::uint64_t most = 0, where = 0;
    for (std::uint64_t k = 0; k < samples; ++k) {
        const std::uint64_t at = 1 + whole.all * k / samples;
        const Work work = workOf(*found, *plan, at);
        QVERIFY(work.isDone); // stopping is not an error
        if (work.behindStop > most) {
            most = work.behindStop;
            where = k;
        }
    }
    qInfo("%s on %s: %llu allocations, at most %llu behind a stop at %llu/%llu", qPrintable(pass),
          qPrintable(graph), static_cast<unsigned long long>(whole.all),
          static_cast<unsigned long long>(most), static_cast<unsigned long long>(where),
          static_cast<unsigned long long>(samples));
    QVERIFY(most <= allowed);
}

/// Stopped at several places, the first of which is before anything is done.
void StopDistanceTest::passesOfLargeGraphsEndSoon_data()
{
    QTest::addColumn<QString>("pass");
    QTest::addColumn<quint64>("at");
    for (const char *pass : {"ago", "dnnfusion", "magis"})
        for (const quint64 at : {1, 100'000, 1'000'000, 4'000'000})
            QTest::addRow("%s, %llu", pass, static_cast<unsigned long long>(at)) << pass << at;
}

void StopDistanceTest::passesOfLargeGraphsEndSoon()
{
    QFETCH(QString, pass);
    QFETCH(quint64, at);
    const auto found = passOf(pass);
    QVERIFY(found);
    static const auto plan = initialPlan(test::modelOf(test::transformer(manyNodes, true)));
    QVERIFY(plan);
    const Work work = workOf(*found, *plan, at);
    qInfo("%llu allocations, %llu behind the stop", static_cast<unsigned long long>(work.all),
          static_cast<unsigned long long>(work.behindStop));
    QVERIFY(work.isDone);
    QVERIFY(work.behindStop <= 1'000'000); // of 60 to 200 ns
}

void StopDistanceTest::whatGoesOnAroundThemEndsSoon_data()
{
    QTest::addColumn<QString>("what");
    for (const char *what : {"reading", "inference", "folding", "training", "restoring", "facts",
                             "export", "interpretation"})
        QTest::newRow(what) << what;
}

void StopDistanceTest::whatGoesOnAroundThemEndsSoon()
{
    QFETCH(QString, what);
    const Large &of = large();
    const auto opsets = opsetsOf(*of.plan.model);
    const auto model = what == "restoring" ? importOnnx(of.file) : Result<Model>(*of.plan.model);
    QVERIFY(model);
    const auto shared = std::make_shared<const Model>(*model);
    const auto inputs = randomInputs(of.plan.graph, 1);
    QVERIFY(inputs);
    const auto run = [&](std::stop_token stop) {
        if (what == "reading") {
            ImportOptions options;
            options.stop = std::move(stop);
            return importOnnx(of.file, options).has_value();
        }
        if (what == "inference")
            return inferShapes(of.plan.graph, opsets, stop).has_value();
        if (what == "folding")
            return initialPlan(of.plan.model, stop).has_value();
        if (what == "training")
            return trainingPlan(*of.plan.model, {}, stop).has_value();
        if (what == "restoring")
            return importPlan(shared, stop).has_value();
        if (what == "facts")
            return Ecg::of(of.plan.graph, opsets, stop).has_value();
        if (what == "export") {
            ExportOptions options;
            options.stop = std::move(stop);
            return exportOnnx(of.plan, of.folder.filePath("again.onnx").toStdString(), options)
                .has_value();
        }
        InterpreterOptions options;
        options.stop = std::move(stop);
        options.threads = 1;
        return interpret(of.plan.graph, opsets, *inputs, options).has_value();
    };
    constexpr std::uint64_t samples = 8;
    // What runs for long is not run to its end to find out how long that is.
    const std::uint64_t whole = what == "interpretation" ? 8000 : workOf(run, 0).all;
    std::uint64_t most = 0;
    for (std::uint64_t k = 0; k < samples; ++k) {
        const Work work = workOf(run, 1 + whole * k / samples);
        QVERIFY(!work.isDone || k + 1 == samples);
        most = std::max(most, work.behindStop);
    }
    qInfo("%llu allocations, at most %llu behind a stop", static_cast<unsigned long long>(whole),
          static_cast<unsigned long long>(most));
    QVERIFY(most <= 300'000);
}

void StopDistanceTest::layoutsAskAllTheTime()
{
    const Large &of = large();
    Steps steps;
    const LayoutPlan free =
        chooseLayouts(of.facts->ecg(), *of.plan.fusion, devices().front(), {}, &steps);
    qInfo("%llu steps, at most %llu without a question",
          static_cast<unsigned long long>(steps.total()),
          static_cast<unsigned long long>(steps.longest()));
    QVERIFY(steps.total() > 1000);
    QVERIFY(steps.longest() <= 50'000);
    QCOMPARE(free.blocks.size(), of.plan.fusion->blocks.size());

    std::stop_source source;
    source.request_stop();
    Steps stopped(source.get_token());
    const FixedLayouts fixed{Layout::ChannelsLast};
    const LayoutPlan left =
        chooseLayouts(of.facts->ecg(), *of.plan.fusion, devices().front(), fixed, &stopped);
    QCOMPARE(left.blocks.size(), free.blocks.size());
    QCOMPARE(left.blocks[0].layout, Layout::ChannelsLast); // as was wanted
    for (std::size_t b = 1; b < left.blocks.size(); ++b)
        QCOMPARE(left.blocks[b].layout, Layout::ChannelsFirst);
    QVERIFY(stopped.total() < steps.total());
}

GRAPHLOOM_TESTS(StopDistanceTest)

} // namespace graphloom::test::stop_distance_test

#include "stop_distance_test.moc"

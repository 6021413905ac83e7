// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/pass.h"
#include "engine/plan/plugins.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <atomic>
#include <cstdlib>
#include <new>

using namespace graphloom;

namespace {

// Work is counted in allocations: passes are full of them, whatever the machine and its load.
std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> stopAt{0}; // 0: never
std::atomic<std::stop_source *> armed{nullptr};

void *counted(std::size_t size)
{
    if (allocations.fetch_add(1, std::memory_order_relaxed) + 1 == stopAt)
        if (std::stop_source *source = armed)
            source->request_stop();
    void *memory = std::malloc(size == 0 ? 1 : size);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

} // namespace

// Those of the whole test program, and of the libraries that it loads.
void *operator new(std::size_t size)
{
    return counted(size);
}
void *operator new[](std::size_t size)
{
    return counted(size);
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

namespace {

/// What a run comes to: all its work, and the work behind the request to stop.
struct Work {
    std::uint64_t all = 0, behindStop = 0;
    bool hasPlan = false;
};

/// Runs a pass and asks it to stop at so many allocations; 0: never.
Work workOf(const Pass &pass, const Plan &plan, std::uint64_t at)
{
    std::stop_source source;
    Context context;
    context.stop = source.get_token();
    context.settings = Settings(pass.parameters(), pass.rules());
    const std::map<std::string_view, double> budgets = {
        {"seconds", 0}, {"states", 40}, {"search", 10}};
    for (const Parameter &parameter : pass.parameters())
        if (const auto budget = budgets.find(parameter.name); budget != budgets.end())
            if (auto set = context.settings.set(parameter.name, budget->second); !set)
                qFatal("%s", set.error().text().c_str());
    context.threads = 1;
    armed = &source;
    const std::uint64_t before = allocations;
    stopAt = at == 0 ? 0 : before + at;
    const auto result = runPass(pass, plan, context);
    const std::uint64_t all = allocations - before;
    stopAt = 0;
    armed = nullptr;
    return {all, at < all ? all - at : 0, result.has_value()};
}

} // namespace

/// How much work passes do once they are asked to stop, wherever they are then.
class StopDistanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesEndSoon_data();
    void passesEndSoon();
};

void StopDistanceTest::passesEndSoon_data()
{
    QTest::addColumn<QString>("pass");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<quint64>("allowed"); // a third more than what is needed to make a plan
    for (const auto &[pass, allowed] :
         {std::pair("ago", 240'000), {"dnnfusion", 470'000}, {"magis", 720'000}})
        for (const char *graph : {"transformer", "residual", "u-net"})
            QTest::addRow("%s, %s", pass, graph) << pass << graph << quint64(allowed);
}

void StopDistanceTest::passesEndSoon()
{
    QFETCH(QString, pass);
    QFETCH(QString, graph);
    QFETCH(quint64, allowed);
    static const auto plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
    const auto found = std::ranges::find_if(plugins, [&](const PassPlugin &plugin) {
        return plugin.pass && QString::fromUtf8(plugin.pass->name().data()) == pass;
    });
    QVERIFY(found != plugins.end());
    constexpr std::size_t nodes = 200;
    const auto plan =
        initialPlan(testing::modelOf(graph == "transformer" ? testing::transformer(nodes)
                                     : graph == "residual"  ? testing::resNetLike(nodes)
                                                            : testing::unet(nodes)));
    QVERIFY(plan);
    const Work whole = workOf(*found->pass, *plan, 0);
    QVERIFY(whole.hasPlan);
    constexpr std::uint64_t samples = 4;
    std::uint64_t most = 0, where = 0;
    for (std::uint64_t k = 0; k < samples; ++k) {
        const std::uint64_t at = 1 + whole.all * k / samples;
        const Work work = workOf(*found->pass, *plan, at);
        QVERIFY(work.hasPlan); // stopping is not an error
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

GRAPHLOOM_TESTS(StopDistanceTest)
#include "stop_distance_test.moc"

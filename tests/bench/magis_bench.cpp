// SPDX-License-Identifier: Apache-2.0
// MAGIS' Figures 9 and 10: the pass "magis" on steps of training of the models of a folder, beside
// the paper's figures, read off, and the baselines of the report. One search for the whole front,
// all columns are of it. Latencies are against the fastest graph that rewriting alone makes. Each
// plan that a column is of is made into a graph, whose memory is counted again: by its schedule,
// which is what an export carries, and by live_tensors, as a runtime needs it that knows neither
// swaps nor what is joined in place. The plans at +10 % and +5 % are priced for a second device,
// too. Options:
// --models DIR, --seconds N (30), --threads N (0: all), --batchnorm batch|frozen (frozen), --model
// NAME (all), --device NAME (rtx-3090), --other NAME (rtx-3090-measured), --realize no: leave out
// the graphs, --states yes: how fast states are evaluated instead.
#include "engine/ops/derive/infer.h"
#include "engine/plan/memory/live_tensors.h"
#include "plugins/magis/checkpoint.h"
#include "plugins/magis/magis_pass.h"
#include "plugins/magis/search/fission_tree.h"
#include "plugins/magis/variants/choice.h"
#include "plugins/magis/variants/variant_graphs.h"
#include "tests/bench/training_models.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

using namespace graphloom;

namespace {

struct Paper {
    const char *file;
    double ratio10, ratio5;      // of the peak, at 10 % and 5 % more latency
    double latency80, latency40; // percent more latency at 80 % and 40 % of the peak
};
constexpr Paper papers[] = {
    {"resnet50_b64", .51, .64, 2.9, 13.2},   {"bert_base_b32_s512", .46, .70, 1.6, 15},
    {"vit_base_b64", .37, .61, 4.5, 9.5},    {"unet_b32_256", .25, .49, 2.1, 5.7},
    {"unetpp_b16_256", .12, .25, 1.7, 3.2},  {"gpt_neo_1.3b_b32_s512", .41, .64, 5, 9.5},
    {"btlm_3b_b32_s512", .26, .43, 2.9, 7.5}};

struct Options {
    bench::TrainingModels models;
    std::string device = "rtx-3090", other = "rtx-3090-measured";
    double seconds = 30;
    unsigned threads = 0;
    bool states = false, realize = true;
};

/// The lowest share of the peak within a limit of latency, a multiple of `ms`, in points of a plan;
/// infinite: none.
double lowest(const std::vector<MemoryPoint> &points, const MemoryPoint &before, double limit,
              double ms)
{
    double found = std::numeric_limits<double>::infinity();
    for (const MemoryPoint &point : points)
        if (point.ms <= limit * ms)
            found = std::min(found, double(point.peakBytes) / double(before.peakBytes));
    return found;
}

/// The least latency within a share of the peak, in percent more than `ms`.
double fastest(const std::vector<MemoryPoint> &points, const MemoryPoint &before, double share,
               double ms)
{
    double found = std::numeric_limits<double>::infinity();
    for (const MemoryPoint &point : points)
        if (double(point.peakBytes) <= share * double(before.peakBytes))
            found = std::min(found, 100 * (point.ms / ms - 1));
    return found;
}

/// Points of baselines that no point of the front is as good as in both costs.
std::size_t betterThanFront(const MemoryPlan &memory)
{
    std::size_t better = 0;
    for (const MemoryPlan::Baseline &baseline : memory.baselines)
        for (const MemoryPoint &point : baseline.points)
            better += std::ranges::none_of(memory.front, [&](const MemoryPoint &found) {
                return found.ms <= point.ms && found.peakBytes <= point.peakBytes;
            });
    return better;
}

/// Seconds until the search had so large a share of what it gained in all, over `first`: the graph
/// as it was, whose peak and latency are 1, or what the search began with.
double secondsTo(double share, double first, const SearchRecord &record)
{
    const double last = record.history.back().cost;
    const auto there = std::ranges::find_if(record.history, [&](const SearchRecord::Best &best) {
        return best.cost <= first - share * (first - last);
    });
    return there->seconds;
}

/// Of this thread: what else runs on the machine does not count.
double processorSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// States that can run, for each second of the processor in which one thread arranges, simulates
/// and hashes: neighbours of those that a short search has found, half of them with other fissions.
/// Those that cannot run, which is seen sooner, take their share of the time, but do not count.
bool measureStates(const Paper &paper, const Plan &plan, const Options &options)
{
    const Opsets opsets = opsetsOf(*plan.model);
    auto variant = magis::variantOf("", plan.graph, opsets, {findDevice(options.device), true, 4});
    if (!variant) {
        std::printf("%-22s %s\n", paper.file, variant.error().text().c_str());
        return false;
    }
    const magis::Outcome &before = variant->unoptimized.outcome;
    SearchOptions search;
    search.seconds = 3;
    search.threads = 1;
    magis::prepareSearch(*variant, before, {{1.1 * before.seconds, 0}}, 1, search);
    magis::addSeeds(*variant, search);
    const auto &entries = variant->search->run().entries();
    magis::Simulator simulator(*variant->memory, variant->space->evictions());
    std::mt19937_64 random(1);
    std::vector<double> rates;
    std::size_t tried = 0, possible = 0;
    for (int round = 0; round < 9; ++round) {
        const double start = processorSeconds();
        double seconds = 0;
        std::size_t states = 0;
        for (; seconds < options.seconds / 9; ++tried) {
            const magis::State &state = entries[random() % entries.size()].state;
            auto policies = state.policies;
            for (int k = 0; k < 4; ++k)
                policies[magis::EvictionIndex(random() % policies.size())] =
                    magis::Policy(random() % 3);
            auto fissions = state.arrangement->fissions().elements();
            if (tried % 2 == 0 && !fissions.empty()) {
                auto &changed = fissions[random() % fissions.size()];
                const auto &numbers = variant->space->fissions().fission(changed.fission).numbers();
                changed = {changed.fission, numbers[1 + random() % (numbers.size() - 1)]};
            }
            if (auto arrangement = variant->space->arrange(state.order, std::move(fissions)))
                states += variant->space
                              ->evaluate(simulator, state.order, std::move(arrangement),
                                         std::move(policies))
                              .has_value();
            seconds = processorSeconds() - start;
        }
        possible += states;
        rates.push_back(double(states) / seconds);
    }
    std::ranges::sort(rates);
    std::printf("%-22s %5zu nodes, %5zu steps: %7.0f states/s (least %.0f, most %.0f), %.0f %% of "
                "those tried can run\n",
                paper.file, plan.graph.nodeCount(), variant->memory->steps().size(),
                rates[rates.size() / 2], rates.front(), rates.back(),
                100 * double(possible) / double(tried));
    std::fflush(stdout);
    return true;
}

/// The plan that a column is of, as a graph: how large it is, how long that takes, and what it
/// needs beside what the search has said. False when there is none, or when it needs more.
bool measureRealized(const char *column, const Plan &plan, const Plan &result, Context context,
                     const Objective &objective)
{
    context.objective = objective;
    context.resume = Context::Resume{*result.search->state, "the search", true, nullptr};
    const auto start = std::chrono::steady_clock::now();
    const auto made = magis::MagisPass().run(plan, context);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!made || !made->memory->limitsMet) {
        std::printf("  %-8s %s\n", column, made ? "not reached" : made.error().text().c_str());
        return made.has_value();
    }
    const MemoryPlan &memory = *made->memory;
    const MemorySchedule *schedule = scheduleOf(*made);
    if (!memory.realized || !schedule) {
        std::printf("  %-8s NOT REALIZED: %s\n", column, memory.unrealized.c_str());
        return false;
    }
    const auto checked = checkSchedule(made->graph, *schedule);
    const auto live = liveTensorsOf(made->graph, opsetsOf(*made->model), {.arena = false});
    const double counted = double(peakOf(*schedule).bytes), said = double(memory.after.peakBytes),
                 before = double(memory.before.peakBytes);
    const bool fits = checked && counted <= said;
    std::printf("  %-8s %7zu nodes in %6.2f s: peak %.4f, said %.4f (%+.2f %%); arena %.4f; "
                "without schedule %.4f%s%s\n",
                column, made->graph.nodeCount(), seconds, counted / before, said / before,
                100 * (counted / said - 1), double(memory.arenaBytes) / before,
                double(live->peakBytes) / before, fits ? "" : " MORE THAN SAID",
                checked ? "" : (": " + checked.error().message).c_str());
    std::fflush(stdout);
    return fits;
}

/// The graphs that a search was of, as one device and as another one prices them.
class TwoDevices {
public:
    /// Fails as the pass does.
    static Result<TwoDevices> of(const Plan &plan, const Plan &found, const Settings &settings,
                                 const Device &device, const Device &other)
    {
        TwoDevices both;
        both.m_opsets = opsetsOf(*plan.model);
        both.m_other = other;
        both.m_other.name = device.name; // what it has found is not refused
        auto variants = magis::variantsOf(plan, settings, both.m_opsets, {&device, true, 4});
        if (!variants)
            return tl::unexpected(variants.error());
        both.m_variants = *std::move(variants);
        const magis::Outcome before = both.m_variants.front().unoptimized.outcome;
        SearchOptions search;
        search.threads = 1;
        for (magis::Variant &variant : both.m_variants) {
            magis::prepareSearch(variant, before, {{1.1 * before.seconds, 0}}, 1, search);
            auto twin = magis::variantOf(variant.name, variant.graph, both.m_opsets,
                                         {&both.m_other, true, 4});
            if (!twin)
                return tl::unexpected(twin.error());
            both.m_twins.push_back(*std::move(twin));
        }
        Context::Resume resume;
        resume.state = *found.search->state;
        if (auto read = magis::readCheckpoint(resume, both.m_variants); !read)
            return tl::unexpected(read.error());
        return both;
    }

    /// "0.142 at +9.8 %, there 0.143 at +12.1 %": the plan with the lowest peak within a limit of
    /// latency, against the fastest of the graphs on each device.
    std::string spread(double limit) const
    {
        const double here = secondsOf(m_variants), there = secondsOf(m_twins);
        const magis::State *best = nullptr;
        std::size_t of = 0;
        for (std::size_t v = 0; v < m_variants.size(); ++v)
            for (const auto &entry : m_variants[v].search->archive().entries())
                if (entry.first <= limit * here &&
                    (!best || entry.state.outcome.peak < best->outcome.peak)) {
                    best = &entry.state;
                    of = v;
                }
        if (!best)
            return "none";
        const magis::Decisions decisions{m_variants[of].name, *best, {}, {}};
        const auto priced =
            magis::readDecisions(magis::textOf(m_variants[of], decisions), m_twins[of], "");
        return figures(best->outcome, m_variants, here) + ", there " +
               (priced ? figures(priced->state.outcome, m_twins, there) : priced.error().text());
    }

private:
    static double secondsOf(const std::vector<magis::Variant> &variants)
    {
        return variants[magis::fastest(variants)].unoptimized.outcome.seconds;
    }
    static std::string figures(const magis::Outcome &outcome,
                               const std::vector<magis::Variant> &variants, double reference)
    {
        char text[64];
        std::snprintf(text, sizeof text, "%.3f at %+.1f %%",
                      double(outcome.peak) / double(variants.front().unoptimized.outcome.peak),
                      100 * (outcome.seconds / reference - 1));
        return text;
    }

    Opsets m_opsets;
    Device m_other;
    std::vector<magis::Variant> m_variants, m_twins;
};

/// Returns what a search for the whole front is run with, or nothing after saying why not.
std::optional<Context> searchContext(const magis::MagisPass &pass, const Options &options)
{
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    context.objective.mode = Objective::Mode::Pareto;
    context.threads = options.threads;
    context.seed = 1;
    for (const auto &[name, value] :
         {std::pair{"seconds", std::to_string(options.seconds)}, {"device", options.device}})
        if (auto set = context.settings.set(name, value); !set) {
            std::printf("%s\n", set.error().text().c_str());
            return std::nullopt;
        }
    return context;
}

/// Prints all columns of a model; the pass took so many seconds.
void printRow(const Paper &paper, const Plan &result, double seconds)
{
    const MemoryPlan &memory = *result.memory;
    const double reference = memory.rewritten.ms;
    double baseline10 = std::numeric_limits<double>::infinity(), baseline5 = baseline10;
    for (const MemoryPlan::Baseline &baseline : memory.baselines) {
        baseline10 = std::min(baseline10, lowest(baseline.points, memory.before, 1.10, reference));
        baseline5 = std::min(baseline5, lowest(baseline.points, memory.before, 1.05, reference));
    }
    std::printf("%-22s %8.0f MB %8.1f %8.1f ms | %.3f (%.2f, %.3f) | %.3f (%.2f, %.3f) | %+5.2f "
                "(%.1f) | %+6.2f (%.1f) | %.3f %.3f | %8.0f | %5.1f | %5.1f | %4.1f | %zu\n",
                paper.file, double(memory.before.peakBytes) / 1e6, memory.before.ms, reference,
                lowest(memory.front, memory.before, 1.10, reference), paper.ratio10, baseline10,
                lowest(memory.front, memory.before, 1.05, reference), paper.ratio5, baseline5,
                fastest(memory.front, memory.before, 0.8, reference), paper.latency80,
                fastest(memory.front, memory.before, 0.4, reference), paper.latency40,
                lowest(memory.front, memory.before, 1.10, memory.before.ms),
                lowest(memory.front, memory.before, 1.05, memory.before.ms),
                double(result.search->simulated) / result.search->seconds,
                secondsTo(0.9, 1, *result.search),
                secondsTo(0.9, result.search->history.front().cost, *result.search),
                seconds - result.search->seconds, betterThanFront(memory));
}

/// Measures the graphs of the plans that the columns are of. Returns false if one falls short.
bool measureColumns(const Plan &plan, const Plan &result, const Context &context)
{
    const std::pair<const char *, Objective> columns[] = {
        {"+10 %", {Objective::Mode::Memory, {}, 1.10}},
        {"+5 %", {Objective::Mode::Memory, {}, 1.05}},
        {"at 80 %", {Objective::Mode::Latency, MemoryLimit(0.8), {}}},
        {"at 40 %", {Objective::Mode::Latency, MemoryLimit(0.4), {}}}};
    bool all = true;
    for (const auto &[column, objective] : columns)
        all = measureRealized(column, plan, result, context, objective) && all;
    return all;
}

bool measure(const Paper &paper, const Options &options)
{
    const auto say = [&](const Error &error) {
        std::printf("%-22s %s\n", paper.file, error.text().c_str());
        return false;
    };
    const auto plan = bench::trainingPlan(
        options.models.folder / (std::string(paper.file) + ".onnx"), options.models.training);
    if (!plan)
        return say(plan.error());
    if (options.states)
        return measureStates(paper, *plan, options);
    const magis::MagisPass pass;
    const auto context = searchContext(pass, options);
    if (!context)
        return false;
    const auto start = std::chrono::steady_clock::now();
    const auto result = pass.run(*plan, *context);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!result)
        return say(result.error());
    printRow(paper, *result, seconds);
    const auto both = TwoDevices::of(*plan, *result, context->settings, *findDevice(options.device),
                                     *findDevice(options.other));
    if (!both)
        return say(both.error());
    for (const double limit : {1.10, 1.05})
        std::printf("    within %+.0f %%: %s\n", 100 * (limit - 1), both->spread(limit).c_str());
    std::fflush(stdout);
    return !options.realize || measureColumns(*plan, *result, *context);
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    const bool understood = bench::readOptions(argc, argv, options.models,
                                               {{"--seconds", &options.seconds},
                                                {"--device", &options.device},
                                                {"--other", &options.other},
                                                {"--states", &options.states},
                                                {"--realize", &options.realize},
                                                {"--threads", &options.threads}});
    if (!understood || !findDevice(options.device) || !findDevice(options.other)) {
        std::printf("usage: magis_bench --models DIR [--model NAME] [--seconds N] [--threads N] "
                    "[--device NAME] [--other NAME] [--batchnorm batch|frozen] [--realize no] "
                    "[--states yes]\n");
        return 2;
    }
    if (!options.states) {
        std::printf("%.0f s each on %s, batch normalization %s; latencies against the fastest "
                    "rewritten graph; in brackets the paper and the best baseline; \"there\": %s\n",
                    options.seconds, options.device.c_str(),
                    std::string(nameOf(options.models.training.batchNorm)).c_str(),
                    options.other.c_str());
        std::printf("%-22s %11s %8s %11s | %-20s | %-20s | %-12s | %-13s | %-11s | %8s | %s | %s | "
                    "%s | %s\n",
                    "", "peak", "latency", "rewritten", "peak at +10 %", "peak at +5 %",
                    "+% at 80 %", "+% at 40 %", "of original", "states/s", "s to 90 %",
                    "beyond seeds", "s besides", "points of baselines not reached");
    }
    bool all = true;
    for (const Paper &paper : papers)
        if (options.models.name.empty() || options.models.name == paper.file)
            all = measure(paper, options) && all;
    return all ? 0 : 1;
}

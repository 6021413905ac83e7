// SPDX-License-Identifier: Apache-2.0
// What the search of MAGIS gains by analyzing and scheduling again (Algorithms 1 and 2 inside of
// Algorithm 3): the lowest peak at 10 % and 5 % more latency after so many states, with and
// without, from the same seeds, on steps of training of a folder's models; and how many states a
// second of the processor is enough for. Budgets are counted in states, so that it does not matter
// what else runs. Options: --models DIR, --model NAME (all), --states N: whose moves are looked at
// (1000), --seeds N (3), --batchnorm batch|frozen (frozen).
#include "engine/ops/derive/infer.h"
#include "plugins/magis/variants/variants.h"
#include "tests/bench/training_models.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>

using namespace graphloom;

namespace {

struct Options {
    bench::TrainingModels models;
    std::uint64_t states = 1000;
    int seeds = 3;
};

struct Way {
    const char *name;
    magis::SearchMoves moves;
};
const Way ways[] = {{"neither", {.analyses = false, .reschedules = false}},
                    {"analyses", {.analyses = true, .reschedules = false}},
                    {"schedules", {.analyses = false, .reschedules = true}},
                    {"both", {.analyses = true, .reschedules = true}}};

/// Of the process: it has one thread.
double processorSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

struct Outcome {
    double ratio10 = 1, ratio5 = 1;
    double seedRate = 0, rate = 0; // states a second, while seeds are made and while it is searched
    std::size_t orders = 0;        // of the front, that no seed has
};

Result<Outcome> searched(const Plan &plan, const magis::SearchMoves &moves, std::uint64_t seed,
                         std::uint64_t states)
{
    auto variant =
        magis::variantOf("", plan.graph, opsetsOf(*plan.model), {findDevice("rtx-3090"), true, 4});
    if (!variant)
        return tl::unexpected(variant.error());
    const magis::Outcome before = variant->unoptimized.outcome;
    SearchOptions options;
    options.seconds = 0;
    options.expanded = states;
    options.batch = 16;
    options.threads = 1;
    magis::prepareSearch(*variant, before, {{1.10 * before.seconds, 0}, {1.05 * before.seconds, 0}},
                         seed, options, moves);
    Outcome outcome;
    double start = processorSeconds();
    magis::addSeeds(*variant, options);
    const auto seeds = variant->optimization->simulated();
    outcome.seedRate = double(seeds) / (processorSeconds() - start);
    start = processorSeconds();
    const auto &archive = variant->search->run();
    outcome.rate =
        double(variant->optimization->simulated() - seeds) / (processorSeconds() - start);
    const auto share = [&](double latency) {
        const auto *best = archive.bestWithinFirst(latency * before.seconds);
        return best ? best->second / double(before.peak) : 1;
    };
    outcome.ratio10 = share(1.10);
    outcome.ratio5 = share(1.05);
    for (const auto &entry : archive.entries())
        outcome.orders += !variant->space->orders().contains(entry.state.order);
    return outcome;
}

bool measure(const std::filesystem::path &file, const Options &options)
{
    const std::string name = file.stem().string();
    const auto say = [&](const Error &error) {
        std::printf("%-22s %s\n", name.c_str(), error.text().c_str());
        return false;
    };
    const auto plan = bench::trainingPlan(file, options.models.training);
    if (!plan)
        return say(plan.error());
    for (const Way &way : ways) {
        std::vector<double> ratios10, ratios5, rates, seedRates;
        std::size_t orders = 0;
        for (int seed = 1; seed <= options.seeds; ++seed) {
            const auto outcome = searched(*plan, way.moves, std::uint64_t(seed), options.states);
            if (!outcome)
                return say(outcome.error());
            ratios10.push_back(outcome->ratio10);
            ratios5.push_back(outcome->ratio5);
            rates.push_back(outcome->rate);
            seedRates.push_back(outcome->seedRate);
            orders += outcome->orders;
        }
        for (auto *list : {&ratios10, &ratios5, &rates, &seedRates})
            std::ranges::sort(*list);
        const auto median = [](const std::vector<double> &list) { return list[list.size() / 2]; };
        std::printf("%-22s %-10s | %.4f %.4f | %.4f %.4f | %7.0f | %7.0f | %zu\n", name.c_str(),
                    way.name, ratios10.front(), median(ratios10), ratios5.front(), median(ratios5),
                    median(rates), median(seedRates), orders);
        std::fflush(stdout);
    }
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!bench::readOptions(argc, argv, options.models,
                            {{"--states", &options.states}, {"--seeds", &options.seeds}}) ||
        options.seeds < 1) {
        std::printf("usage: magis_search_bench --models DIR [--model NAME] [--states N] "
                    "[--seeds N] [--batchnorm batch|frozen]\n");
        return 2;
    }
    std::printf(
        "%llu states, %d seeds; peaks as shares of the original's, least and median; states "
        "a second of one processor; plans of the fronts in orders of their own\n%-33s | %-13s "
        "| %-13s | %7s | %7s | %s\n",
        static_cast<unsigned long long>(options.states), options.seeds, "", "at +10 %", "at +5 %",
        "search", "seeds", "orders");
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(options.models.folder))
        if (entry.path().extension() == ".onnx" &&
            (options.models.name.empty() || entry.path().stem() == options.models.name))
            files.push_back(entry.path());
    std::ranges::sort(files);
    bool all = !files.empty();
    for (const auto &file : files)
        all = measure(file, options) && all;
    return all ? 0 : 1;
}

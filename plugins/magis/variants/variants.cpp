// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/variants.h"

#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/search/fission_tree.h"

#include <algorithm>

namespace graphloom::magis {

Result<Variant> variantOf(std::string name, const Graph &graph, const Opsets &opsets,
                          const VariantOptions &options, const Variant *madeOf)
{
    Variant variant;
    const double start = options.clock();
    variant.name = std::move(name);
    variant.graph = graph;
    GL_TRY_RESULT(memory, MemoryGraph::of(graph, opsets, *options.device, options.countsWeights,
                                          options.stop));
    if (options.measuring) {
        GL_TRY_RESULT(times, options.measuring->calls(*memory, opsets));
        variant.times = *std::move(times);
        memory->use(variant.times);
    }
    variant.memory = std::make_unique<const MemoryGraph>(std::move(*memory));
    SegmentCache cache;
    SchedulingOptions scheduling;
    scheduling.stop = options.stop;
    variant.scheduled = madeOf ? rescheduled(*madeOf->memory, madeOf->scheduled, madeOf->waists,
                                             *variant.memory, scheduling, &cache)
                               : scheduled(*variant.memory, scheduling, &cache);
    variant.waists = narrowWaists(*variant.memory);
    variant.space = std::make_unique<const SearchSpace>(
        *variant.memory, portfolio(*variant.memory, variant.scheduled), options.stop);
    variant.unoptimized = *Optimization(*variant.space, {}, {}, 0).unoptimized(firstOrder);
    Trace trace;
    Simulator(*variant.memory, variant.space->evictions())
        .run(*variant.unoptimized.arrangement, variant.unoptimized.policies, &trace);
    constexpr std::size_t atRandom = 64; // candidates, about as many as an F-Tree has
    variant.candidates =
        options.usesTree
            ? buildFissionTree(*variant.space, hotSpots(trace, variant.unoptimized.outcome.peak),
                               options.levels, options.stop)
            : fissionsAnywhere(*variant.space, atRandom, options.seed);
    variant.seconds = options.clock() - start;
    return variant;
}

void prepareSearch(Variant &variant, const Outcome &before, const std::vector<Limits> &interests,
                   std::uint64_t seed, const SearchOptions &options, const SearchMoves &moves)
{
    variant.optimization = std::make_unique<Optimization>(*variant.space, before, interests, seed,
                                                          variant.candidates, moves);
    variant.optimization->lock(variant.locks);
    variant.search = std::make_unique<ArchiveSearch<Optimization>>(*variant.optimization, options);
}

void addSeeds(Variant &variant, const SearchOptions &options, double until)
{
    for (State &state : variant.optimization->seeds(options, until))
        variant.search->seed(std::move(state));
}

std::size_t fastest(const std::vector<Variant> &variants)
{
    const auto seconds = [](const Variant &variant) { return variant.unoptimized.outcome.seconds; };
    return std::size_t(std::ranges::min_element(variants, {}, seconds) - variants.begin());
}

std::size_t best(const std::vector<Variant> &variants)
{
    const auto objective = [](const Variant &variant) { // variants without results come last
        const auto &archive = variant.search->archive();
        return std::pair(archive.entries().empty(), variant.optimization->objective(archive));
    };
    return std::size_t(std::ranges::min_element(variants, {}, objective) - variants.begin());
}

std::size_t
searched(std::vector<Variant> &variants, const SearchOptions &options,
         const std::function<double(const Variant &, const ParetoArchive<State> &)> &improved)
{
    constexpr double share = 0.1, most = 2; // of the budget for each variant; seconds
    std::uint64_t expanded = 0;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        Variant &variant = variants[v];
        if (variants.size() > 1)
            variant.search->setBudget(
                std::min(options.seconds * share, most) * double(v + 1),
                options.expanded == 0
                    ? 0
                    : std::max<std::uint64_t>(1, std::uint64_t(double(options.expanded) * share)));
        variant.search->run([&](const ParetoArchive<State> &found) {
            const double seconds = improved(variant, found);
            if (variants.size() == 1)
                variant.search->setBudget(seconds, options.expanded);
        });
        expanded += variant.search->record().expanded;
    }
    const std::size_t winner = best(variants);
    if (variants.size() > 1 && !options.stop.stop_requested()) {
        Variant &variant = variants[winner];
        const std::uint64_t left = options.expanded > expanded ? options.expanded - expanded
                                   : options.expanded          ? 1
                                                               : 0;
        const std::uint64_t states =
            options.expanded == 0 ? 0 : variant.search->record().expanded + left;
        variant.search->setBudget(improved(variant, variant.search->archive()), states);
        variant.search->run([&](const ParetoArchive<State> &found) {
            variant.search->setBudget(improved(variant, found), states);
        });
    }
    return winner;
}

std::vector<MemoryPoint> frontOf(const std::vector<Variant> &variants)
{
    ParetoArchive<const Variant *> all;
    for (const Variant &variant : variants)
        for (const auto &entry : variant.search->archive().entries())
            all.add(entry.first, entry.second, &variant);
    std::vector<MemoryPoint> front;
    for (const auto &entry : all.entries())
        front.push_back({entry.first * 1e3, std::int64_t(entry.second),
                         entry.state->name.empty() ? "search" : "search " + entry.state->name});
    return front;
}

SearchRecord recordOf(const std::vector<Variant> &variants)
{
    SearchRecord all;
    all.cost = "cost, as a share of the original's";
    all.exhausted = true;
    std::uint64_t dominated = 0;
    for (const Variant &variant : variants) {
        const SearchRecord &record = variant.search->record();
        dominated += variant.search->dominated();
        all.generated += record.generated;
        all.filtered += record.filtered;
        all.expanded += record.expanded;
        all.simulated += variant.optimization->simulated();
        all.seconds = std::max(all.seconds, record.seconds);
        all.exhausted = all.exhausted && record.exhausted;
        all.history.insert(all.history.end(), record.history.begin(), record.history.end());
    }
    std::ranges::stable_sort(all.history, {}, &SearchRecord::Best::seconds);
    std::vector<SearchRecord::Best> improvements;
    for (const SearchRecord::Best &best : all.history)
        if (improvements.empty() || best.cost < improvements.back().cost)
            improvements.push_back(best);
    all.history = std::move(improvements);
    if (dominated > 0)
        all.refusals.push_back(
            {"no better than a known state in latency or in peak memory", dominated, {}});
    return all;
}

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/optimizer.h"
#include "plugins/magis/variants/measuring.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace graphloom::magis {

/// Holds a graph that computes the same as the one to optimize, with a search of its own.
struct Variant {
    std::string name; // names the changes; "" for the graph itself
    std::vector<std::string> changes;
    Graph graph;
    std::shared_ptr<CallTimes> times; // null: all is modelled
    std::unique_ptr<const MemoryGraph> memory;
    StepOrder scheduled; // for rescheduled(), as `waists` is
    IndexedVector<StepIndex, int> waists;
    std::unique_ptr<const SearchSpace> space;
    std::vector<FissionIndex> candidates; // of Algorithm 1
    double seconds = 0;                   // that preparation took
    std::vector<EnabledFission> locks;    // fissions that users have locked
    State unoptimized;                    // in the graph's own order
    std::unique_ptr<Optimization> optimization;
    std::unique_ptr<ArchiveSearch<Optimization>> search;
};

struct VariantOptions {
    const Device *device;
    bool countsWeights;
    int levels;
    bool usesTree = true;           // candidates are those of Algorithm 1, or else chosen at random
    std::uint64_t seed = 0;         // of random candidates
    double moreLatency = 0.1;       // that may be spent, as a share of what it was
    Measuring *measuring = nullptr; // null: all is modelled
    /// Restricts the variants to this one and those that it is made from; all if not set.
    std::optional<std::string> only = std::nullopt;
    /// Tells whether there is no time left for further variants; called now and then.
    std::function<bool()> isLate = [] { return false; };
    std::function<double()> clock = [] { return 0.0; }; // seconds since any point in time
    std::stop_token stop = {}; // ends the search for orders, fissions and further variants
};

/// Prepares a variant up to its costs before optimization. Keeps the order of the variant that its
/// graph was made from, where nothing has changed.
Result<Variant> variantOf(std::string name, const Graph &graph, const Opsets &opsets,
                          const VariantOptions &options, const Variant *madeOf = nullptr);
/// Makes a variant ready to be searched, without states to begin with.
void prepareSearch(Variant &variant, const Outcome &before, const std::vector<Limits> &interests,
                   std::uint64_t seed, const SearchOptions &options, const SearchMoves &moves = {});

/// Adds the states that every search begins with; see Optimization::seeds().
void addSeeds(Variant &variant, const SearchOptions &options, double until = 0);

/// Returns the place of the variant that is fastest before optimization; the first of equals.
std::size_t fastest(const std::vector<Variant> &variants);

/// Returns the place of the variant whose search has found the best states for what is asked for.
std::size_t best(const std::vector<Variant> &variants);

/// Searches all variants for a share of the time, then the most promising one for the rest, and
/// returns its place. `improved` is called as by ArchiveSearch, with the variant; it returns the
/// total number of seconds for all of the search, by what is known so far.
std::size_t
searched(std::vector<Variant> &variants, const SearchOptions &options,
         const std::function<double(const Variant &, const ParetoArchive<State> &)> &improved);

/// Returns the Pareto front of the states of all variants: none is worse than another in both
/// costs.
std::vector<MemoryPoint> frontOf(const std::vector<Variant> &variants);
/// Returns the combined record of the searches of all variants; its history has the best cost of
/// any of them by each time.
SearchRecord recordOf(const std::vector<Variant> &variants);

} // namespace graphloom::magis

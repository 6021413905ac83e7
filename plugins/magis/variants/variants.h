// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/optimizer.h"
#include "plugins/magis/variants/measuring.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace graphloom::magis {

/// A graph that computes the same as the one to optimize, with a search of its own.
struct Variant {
    std::string name; // of what was done to the graph; "" for the graph itself
    std::vector<std::string> changes;
    Graph graph;
    std::shared_ptr<CallTimes> times; // null: all is modelled
    std::unique_ptr<const MemoryGraph> memory;
    std::vector<int> scheduled, waists; // for rescheduled()
    std::unique_ptr<const SearchSpace> space;
    std::vector<int> candidates;       // of Algorithm 1
    double seconds = 0;                // that preparing it took
    std::vector<EnabledFission> locks; // fissions that are kept as somebody chose them
    State unoptimized;                 // in the graph's own order
    std::unique_ptr<Optimization> optimization;
    std::unique_ptr<ArchiveSearch<Optimization>> search;
};

struct VariantOptions {
    const Device *device;
    bool countsWeights;
    int levels;
    double moreLatency = 0.1;       // that may be spent, as a share of what it was
    Measuring *measuring = nullptr; // null: all is modelled
    /// Makes this variant alone, besides those that it is made of; none: all.
    std::optional<std::string> only = std::nullopt;
    /// Is there no time for further variants? Asked now and then.
    std::function<bool()> isLate = [] { return false; };
    std::function<double()> clock = [] { return 0.0; }; // seconds since some time
    std::stop_token stop = {}; // then no orders, fissions and further variants are looked for
};

/// Prepares a variant as far as to know what it takes before anything is done. Of the variant that
/// its graph was made of, it keeps the order where nothing has changed.
Result<Variant> variantOf(std::string name, const Graph &graph, const Opsets &opsets,
                          const VariantOptions &options, const Variant *madeOf = nullptr);
/// Makes a variant ready to be searched, with nothing to begin with yet.
void prepareSearch(Variant &variant, const Outcome &before, const std::vector<Limits> &interests,
                   std::uint64_t seed, const SearchOptions &options, const SearchMoves &moves = {});

/// Gives the search the states that every search begins with; see Optimization::seeds.
void addSeeds(Variant &variant, const SearchOptions &options, double until = 0);

/// The variant that is the fastest as it is, by its place; the first of equals.
std::size_t fastest(const std::vector<Variant> &variants);

/// The variant whose search has found what is asked for best, by its place.
std::size_t best(const std::vector<Variant> &variants);

/// Searches all variants for a share of the time, then the one that promises most for the rest;
/// gives its place. `improved` is called as by ArchiveSearch, with the variant, and says how many
/// seconds there are for all of it, by what is known now.
std::size_t
searched(std::vector<Variant> &variants, const SearchOptions &options,
         const std::function<double(const Variant &, const ParetoArchive<State> &)> &improved);

/// States of all variants of which none is worse than another in both costs.
std::vector<MemoryPoint> frontOf(const std::vector<Variant> &variants);
/// What the searches of all variants did together; the best of any by then.
SearchRecord recordOf(const std::vector<Variant> &variants);

} // namespace graphloom::magis
